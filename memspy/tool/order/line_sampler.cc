// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/line_sampler.h"

#include <algorithm>

#include "log/consumer.h"
#include "order/line_life.h"
#include "order/passing.h"
#include "order/recorder.h"
#include "order/recording.h"

namespace memspy::order {
namespace {

// In units of virtual time. Threads are up to the skew apart, so a sample must not be much shorter.
constexpr Time kLength = 32'768, kFirst = 4'096;
// The distance of samples, at least so many lengths, and this part of the run; where others would meet, less.
constexpr Time kDistance = 8, kPartOfRun = 4, kPartOfInterest = 16;
constexpr usize kMostLines = 4'096, kMostAccesses = 8'192;
// Lines are chosen by such neighbourhoods, so that those of one object stay together.
constexpr u32 kNeighbourhoodBits = 5;

SampleState& samples() { return recording->samples; }

// Who uses a line, as far as its state tells.
struct LineUsers {
    u32 only = 0;  // serial; 0: nobody, or several
    bool several = false, stored = false;

    static LineUsers of(LineState state) {
        if (state.is_untouched()) return {};
        if (state.is_owned())
            return {state.owner(), false, state.is_calm() || !state.has(LineState::kOnlyRead)};
        return {0, true, !state.is_read_only()};
    }
    bool any() const { return several || only != 0; }
    bool meets(const LineUsers& next) const {
        return any() && next.any() && (stored || next.stored) &&
               (several || next.several || only != next.only);
    }
};

// Calls f(line) for each line that has a neighbour, once or twice.
template <typename F>
void for_each_neighbour(F f) {
    lines().for_each_part([&](u64 first, const LineState* states, u64 count) {
        LineUsers before;
        for (u64 i = 0; i < count; ++i) {
            const LineUsers users = LineUsers::of(states[i]);
            if (before.meets(users)) {
                f(first + i - 1);
                f(first + i);
            }
            before = users;
        }
    });
}

void follow(u64 line) {
    SampleState& state = samples();
    if (state.watched.size() >= 2 * kMostLines || !state.watched.add(line) || !log::quiet_lines().is_on())
        return;
    const Passed passed = follow_line(line);
    if (const LineState now = lines()[line]; now.has_record()) note_passed(lines().of(now), passed, kNever);
    if (log::quiet_lines().follow_for_now(line_begin(line))) state.followed.push_back(line);
}

void follow_no_more() {
    SampleState& state = samples();
    for (const u64 line : state.followed) {
        const LineState now = lines()[line];
        // Since then a word of it may have shown that threads wait for it.
        if (now.is_shared() && (lines().of(now).syncs || lines().of(now).updated)) continue;
        log::quiet_lines().follow_no_more(line_begin(line));
    }
    state.followed.resize(0);
    state.watched.clear();
}

void begin() {
    SampleState& state = samples();
    const Time now = recording->merged_until;
    rt::Vector<u64> found;
    for_each_neighbour([&](u64 line) {
        if (found.empty() || found.back() != line) found.push_back(line);
    });
    if (found.empty()) {
        state.last = now;
        state.next = now + std::max(kFirst, now / kPartOfRun);
        return;
    }
    const u32 one_of = static_cast<u32>((found.size() + kMostLines - 1) / kMostLines);
    state.sample.one_of = one_of;
    // A regular choice could meet a pattern of the program.
    const u32 turn = state.taken++;
    for (const u64 line : found) {
        const u64 mixed = ((line >> kNeighbourhoodBits) + turn) * 0x9E37'79B9'7F4A'7C15u >> 32;
        if (mixed % one_of == 0) follow(line);
    }
    // What comes from now on is in the log; threads may be ahead of the replay.
    state.from = now;
    for (Strand* strand : recording->strands) {
        // A consumer of the order has been told what is logged; it is of before the sample.
        if (recording->options.in_order == nullptr) strand->begin_telling();
        if (!strand->is_gone()) state.from = std::max(state.from, virtual_time(strand->thread()));
    }
    state.until = state.next = state.from + kLength;
    state.sampling = true;
}

void tell(Time until) {
    SampleState& state = samples();
    LineSample& sample = state.sample;
    std::sort(sample.accesses.begin(), sample.accesses.end(),
              [](const SampledAccess& a, const SampledAccess& b) {
                  if (a.time != b.time) return a.time < b.time;
                  return a.thread != b.thread ? a.thread < b.thread : a.begin < b.begin;
              });
    usize count = 0;
    while (count < sample.accesses.size() && sample.accesses[count].time < until) ++count;
    sample.accesses.resize(count);
    sample.length = until - state.from;
    sample.stands_for = until - state.last;
    state.sampling = false;
    bool is_of_interest = false;
    if (sample.length != 0) {
        is_of_interest = recording->options.observer.sampled(sample);
        state.last = until;
    }
    const Time part = until / (is_of_interest ? kPartOfInterest : kPartOfRun);
    state.next = until + std::max(kDistance * kLength, part);
    sample.accesses.resize(0);
    follow_no_more();
}

}  // namespace

void perhaps_sample() {
    if (recording->options.observer.sampled == nullptr || recording->options.line_bytes != 64) return;
    SampleState& state = samples();
    const Time horizon = recording->clocks.horizon();
    if (horizon == kNever || horizon < state.next) return;
    merge();
    if (state.last == 0) state.last = recording->merged_until;
    if (!state.sampling) return begin();
    if (recording->merged_until >= state.until) tell(state.until);
}

void keep_in_sample(Thread t, const u64* first, const u64* end, Time time) {
    SampleState& state = samples();
    rt::Vector<SampledAccess>& accesses = state.sample.accesses;
    const Time delay = recording->merge.delay_of(t.serial);
    log::for_each_record(first, end, [&](const Record& record, const Shape& shape) {
        const Time begins = std::max(record.time, time) + delay;
        if (begins < state.from || begins >= state.until) return;
        log::for_each_access(record, shape, [&](const AccessUse& use, Address a) {
            const u64 line = lines().line_of(a), last = lines().line_of(a + use.bytes - 1);
            if (!state.watched.has(line) && !state.watched.has(last)) return;
            if (accesses.size() == 2 * kMostAccesses) return;
            accesses.push_back({.time = begins + use.ordinal,
                                .begin = a,
                                .thread = t.serial,
                                .bytes = use.bytes,
                                .loads = use.loads,
                                .stores = use.stores});
            // Only what all threads did is a sample: others may be behind by the slack.
            if (accesses.size() == kMostAccesses) state.next = state.until = begins;
        });
    });
}

void end_sample() {
    SampleState& state = samples();
    if (state.sampling && recording->merged_until > state.from)
        tell(std::min(state.until, recording->merged_until));
}

void forget_sample() {
    SampleState& state = samples();
    state.sample.accesses.resize(0);
    state.sampling = false;
    state.last = state.next = 0;
    follow_no_more();
}

}  // namespace memspy::order
