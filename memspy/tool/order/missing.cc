// SPDX-License-Identifier: GPL-2.0-or-later
//
// What may be missing because accesses were passed: the windows of threads that passed a line, and the bound.
//
// Each thread that passed the line has a *window*, which ends where it may have passed it last. An access of the
// newcomer in others' windows can lack what these do until the next access that is logged, and what follows from that:
//
//            others only loaded                       another one stored as well
//   load     nothing                                  the other takes the line, the newcomer misses next: 2
//   store    each of the others misses, and the       the same, and the other takes the line, which the newcomer
//            next store takes it from them: 1 + N     takes back: 4
//
// Further accesses that pass in between change nothing, because the line stays where it is. No two threads have stored
// in one window, because a line is passed again only when all windows are behind the merge. So the sum over all
// accesses in windows is a bound.
//
// A thread's present time would be a bad end of its window: it may have worked elsewhere for long. So its bits in a
// line's word are *ages* (log/quiet_lines.h): a line becomes quiet by a fresh one, and the first record that passes it
// comes to a helper, which puts the line into the present age. A wait ends an age, if the bound is large enough to be
// worth the helper. With many threads each has one bit, and windows end at the present time. What a thread executes
// in a call on a lock is no access, so no window of a thread that sleeps there ends later than it entered the function.
#include <algorithm>
#include <new>

#include "order/line_life.h"
#include "order/passing.h"
#include "order/rules.h"

namespace memspy::order {

namespace {

// Whether threads may wait for locks in the replay of what has been read. They get behind these later than
// their clocks say.
bool may_be_delayed() {
    if (recording->merge.delayed()) return true;
    for (const Strand* strand : recording->strands)
        if (strand->has_locks_ahead()) return true;
    return false;
}

// What a thread passed a line by ends in the replay at `until`, by the thread's own clock.
struct Window {
    u32 serial;
    bool stores;
    Time until;

    // Whether an access that the replay makes at `now` may still be earlier. If not, none that follows is. A
    // lock that the thread is still to wait for in the replay delays what follows.
    bool is_open(Time now) const {
        const Strand* strand = strand_of(serial);
        return strand != nullptr && (strand->next_record() < until || strand->next_step() < until ||
                                     now < until + recording->merge.delay_of(serial));
    }
    // Whether an access at `time`, by its thread's clock, may be earlier.
    bool may_be_behind(Time time) const {
        if (until > time || recording->merge.delayed()) return true;
        const Strand* strand = strand_of(serial);
        return strand != nullptr && strand->next_step() < until && may_be_delayed();
    }
};
struct PassedLine {
    rt::Vector<Window> by;
    bool counted = false;  // something of what passed may be missing
    u32 disturbed = 0;     // how often that was so
    u64 missing = 0;       // in all
};
rt::Global<rt::HashMap<PassedLine*>> passed_lines;  // by line
PassedLine& passed_line(const SharedLine& shared) { return **passed_lines->find(shared.line); }
u64 missing = 0;
rt::Global<rt::HashMap<u64>> missing_of;

// When what is still to be merged begins in the replay.
Time next_in_replay() {
    Time next = kNever;
    for (const Strand* strand : recording->strands) {
        const u32 serial = strand->thread().serial;
        const Time delay = recording->merge.delay_of(serial);
        const Time least = recording->merge.blocked_until(serial);
        const Time ahead = std::min(strand->next_record(), strand->next_step()) + delay;
        next = std::min(next, strand->is_merged() ? time_of(serial) : std::max(ahead, least));
    }
    return next;
}

}  // namespace

// The replay has got to `now`.
static void close_windows(SharedLine& shared, Time now) {
    for (const Window& window : passed_line(shared).by)
        if (window.is_open(now)) return;
    shared.passed = false;
}

bool lacks_accesses(SharedLine& shared) {
    if (shared.passed) close_windows(shared, next_in_replay());
    return shared.passed;
}

static PassedLine& known_passed_line(const SharedLine& shared) {
    PassedLine*& line = (*passed_lines)[shared.line];
    if (line == nullptr) {
        line = new (rt::allocate(sizeof(PassedLine), "memspy.passed_line")) PassedLine;
        line->by.reserve(1);  // most lines were one thread's
    }
    return *line;
}

static void add_window(SharedLine& shared, const Window& window) {
    PassedLine& line = known_passed_line(shared);
    if (!shared.passed) {
        line.by.resize(0);
        line.counted = false;
    }
    shared.passed = true;
    for (Window& known : line.by) {
        if (known.serial != window.serial) continue;
        known.stores |= window.stores;
        known.until = std::max(known.until, window.until);
        return;
    }
    line.by.push_back(window);
}

void note_passed(SharedLine& shared, const Passed& followed, Time time) {
    Time next = 0;
    const auto is_open = [&next](const Window& window) {
        if (next == 0) next = next_in_replay();
        return window.is_open(next);
    };
    for (u64 bits = followed.bits; bits != 0; bits &= bits - 1) {
        const Passer& passer = passers[log::quiet_lines().number_of(bits)];
        if (passer.serial == 0 || passer.is_fresh()) continue;
        const Strand* strand = strand_of(passer.serial);
        if (strand == nullptr) continue;
        const Window window{passer.serial, followed.stores, std::min(strand->worked_until(), passer.ended)};
        if (knows_lives()) {
            ObservedOrder& order = recording->observed;
            const Thread by = strand->thread();
            shared.use->lives.passed(
                by, passer.is_present() ? order.part(by.slot) : order.part_at(by.slot, passer.ended),
                followed.stores);
        }
        // A thread that is behind may come to the line, too, when nothing tells any more that it was passed.
        if (is_open(window)) add_window(shared, window);
    }
    // What passed the line until a wait, and was ended since, but may be later than `time` in the replay.
    if (shared.passes == nullptr) return;
    for (PassedLoads& loads : *shared.passes) {
        const Window window{loads.serial, false, loads.until};
        if (window.until == 0 || !window.may_be_behind(time)) continue;
        if (is_open(window))
            add_window(shared, window);
        else
            loads.until = 0;
    }
}

void note_stores_passed(SharedLine& shared, Thread t, Time time) {
    if (log::quiet_lines().is_on() && log::quiet_lines().are_stores_quiet(line_begin(shared.line)))
        note_passed(shared, follow_line(shared.line, t), time);
}

// How many other threads that passed the line may still be earlier: all, and those that stored.
struct Others {
    u32 all = 0, storing = 0;
};
static Others others_open(const SharedLine& shared, Thread t, Time time) {
    const Time now = time + recording->merge.delay_of(t.serial);
    Others others;
    const Lives& lives = shared.use->lives;
    // At the access, which is not merged yet.
    const auto has_begun_then = [&](u32 slot, u32 serial, Time start) {
        return serial == t.serial ? start <= time : has_begun(slot, serial, start);
    };
    for (const Window& window : passed_line(shared).by) {
        if (window.serial == t.serial || !window.is_open(now)) continue;
        if (lives.any() && lives.has_handed_over_all(window.serial, window.until, has_begun_then)) continue;
        ++others.all;
        others.storing += window.stores ? 1 : 0;
    }
    return others;
}

bool may_miss(const SharedLine& shared, Thread t, Time time) { return others_open(shared, t, time).all != 0; }

u32 accesses_to_pass(const SharedLine& shared) {
    constexpr u64 kMost = ~u32{0} / 4;
    if (!shared.disturbed) return 0;
    const PassedLine& line = passed_line(shared);
    const u64 accesses = line.missing * rules::kSureForEachMissing / line.disturbed;
    return static_cast<u32>(accesses < kMost ? accesses : kMost);
}

static void tell_missing(SharedLine& shared, u32 events, ObjectId object) {
    PassedLine& line = passed_line(shared);
    if (!line.counted) {
        line.counted = true;
        ++line.disturbed;
        shared.disturbed = true;
        shared.looks = 0;
    }
    line.missing += events;
    missing += events;
    (*missing_of)[static_cast<u64>(object)] += events;
}

void count_missing(SharedLine& shared, Thread t, bool stores, Time time, ObjectId object) {
    const Others open = others_open(shared, t, time);
    if (open.all == 0) close_windows(shared, time + recording->merge.delay_of(t.serial));
    if (open.all == 0 || (!stores && open.storing == 0)) return;
    // Where both store, each misses and takes the line back.
    const u32 both_store = stores && open.storing != 0 ? 1 + open.storing : 0;
    tell_missing(shared, 1 + open.all + both_store, object);
}

void count_left_out(SharedLine& shared, Thread t, bool stores, ObjectId object) {
    // Its own, and that of the next store by another thread; a store's takes the line from all others.
    u32 events = 2;
    if (stores)
        for (const Strand* strand : recording->strands)
            events += strand->thread() == t ||
                              holds(*shared.order[static_cast<u32>(View::Modelled)], strand->thread())
                          ? 1
                          : 0;
    known_passed_line(shared);
    tell_missing(shared, events, object);
}
u64 missing_events() { return missing; }
bool is_bound_large() {
    return missing > rules::kFewMissing + recording->counts.events / rules::kMissingPart;
}
void for_each_missing(void (*f)(ObjectId, u64, void*), void* argument) {
    missing_of->for_each([&](u64 object, u64 events) { f(static_cast<ObjectId>(object), events, argument); });
}
void forget_missing() {
    missing = 0;
    missing_of->clear();
}

}  // namespace memspy::order
