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

// Who uses a line, as far as its state tells.
struct LineUsers {
    u32 only = 0;  // serial; 0: nobody, or several
    bool several = false, stored = false;

    static LineUsers of(LineState state) {
        if (state.is_untouched()) return {};
        if (state.is_owned()) return {state.owner(), false, state.is_calm() || !state.has(LineState::kOnlyRead)};
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

}  // namespace

void LineSampler::look() {
    if (recording->options.observer.sampled == nullptr || recording->options.line_bytes != 64) return;
    const Time horizon = recording->clocks.horizon();
    if (horizon == kNever || horizon < next_) return;
    merge();
    if (last_ == 0) last_ = recording->merged_until;
    if (!sampling_) return begin();
    if (recording->merged_until >= until_) tell(until_);
}

void LineSampler::begin() {
    const Time now = recording->merged_until;
    usize found = 0;
    for_each_neighbour([&](u64) { ++found; });
    if (found == 0) {
        last_ = now;
        next_ = now + std::max(kFirst, now / kPartOfRun);
        return;
    }
    sample_.one_of = static_cast<u32>((found + kMostLines - 1) / kMostLines);
    // Lines side by side have different turns, else a pattern of the program could be one of the samples.
    const u32 turn = samples_++;
    for_each_neighbour([&](u64 line) {
        const u64 mixed = ((line >> kNeighbourhoodBits) + turn) * 0x9E37'79B9'7F4A'7C15u >> 32;
        if (mixed % sample_.one_of == 0) follow(line);
    });
    // What comes from now on is in the log; threads may be ahead of the replay.
    from_ = now;
    for (Strand* strand : recording->strands) {
        strand->begin_telling();
        if (!strand->is_gone()) from_ = std::max(from_, virtual_time(strand->thread()));
    }
    until_ = next_ = from_ + kLength;
    sampling_ = true;
}

void LineSampler::follow(u64 line) {
    if (lines_.find(line) != nullptr || lines_.size() >= 2 * kMostLines) return;
    lines_[line] = 1;
    filter_[line % kFilterBits / 64] |= u64{1} << line % 64;
    if (!log::quiet_lines().is_on()) return;
    const LineState state = lines()[line];
    const Passed passed = follow_line(line);
    if (state.has_record()) note_passed(lines().of(state), passed, kNever);
    if (log::quiet_lines().follow_for_now(line_begin(line))) followed_.push_back(line);
}

void LineSampler::keep(Thread t, const u64* first, const u64* end, Time time) {
    const Time delay = recording->merge.delay_of(t.serial);
    log::for_each_record(first, end, [&](const Record& record, const Shape& shape) {
        const Time begins = std::max(record.time, time) + delay;
        if (begins < from_ || begins >= until_) return;
        log::for_each_access(record, shape, [&](const AccessUse& use, Address a) {
            if (!is_watched(lines().line_of(a)) && !is_watched(lines().line_of(a + use.bytes - 1))) return;
            if (sample_.accesses.size() == kMostAccesses) return;
            sample_.accesses.push_back({.time = begins + use.ordinal,
                                        .begin = a,
                                        .thread = t.serial,
                                        .bytes = use.bytes,
                                        .loads = use.loads,
                                        .stores = use.stores});
            // Only what all threads did is a sample.
            if (sample_.accesses.size() == kMostAccesses) until_ = begins;
        });
    });
}

void LineSampler::tell(Time until) {
    std::sort(sample_.accesses.begin(), sample_.accesses.end(),
              [](const SampledAccess& a, const SampledAccess& b) {
                  if (a.time != b.time) return a.time < b.time;
                  return a.thread != b.thread ? a.thread < b.thread : a.begin < b.begin;
              });
    usize count = 0;
    while (count < sample_.accesses.size() && sample_.accesses[count].time < until) ++count;
    sample_.accesses.resize(count);
    sample_.length = until - from_;
    sample_.stands_for = until - last_;
    sampling_ = false;
    if (sample_.length != 0) {
        recording->options.observer.sampled(sample_);
        last_ = until;
    }
    next_ = until + std::max(kDistance * kLength, until / kPartOfRun);
    sample_.accesses.resize(0);
    for (const u64 line : followed_) {
        const LineState state = lines()[line];
        // Since then a word of it may have shown that threads wait for it.
        if (state.is_shared() && (lines().of(state).syncs || lines().of(state).updated)) continue;
        log::quiet_lines().follow_no_more(line_begin(line));
    }
    followed_.resize(0);
    lines_.clear();
    for (u64& word : filter_) word = 0;
}

void LineSampler::end() {
    if (sampling_ && recording->merged_until > from_) tell(std::min(until_, recording->merged_until));
}

void LineSampler::forget() {
    if (sampling_) {
        sample_.accesses.resize(0);
        until_ = from_;
    }
}

}  // namespace memspy::order
