// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/passing.h"

#include <bit>

#include "analyses/contention/line_life.h"

namespace memspy::contention {
namespace {

using log::QuietLines;

struct Passer {
    u32 serial = 0;  // 0: the bit is free
    bool gone = false;
};
Passer passers[QuietLines::kThreads];
struct PassedLine {
    Passed by;
    bool counted = false;  // something of what passed may be missing
    u32 disturbed = 0;     // how often that was so
    u64 missing = 0;       // in all
};
rt::Global<rt::HashMap<PassedLine>> passed_lines;  // by line
u64 missing = 0;
rt::Global<rt::HashMap<u64>> missing_of;

u32 known_bit(u32 serial) {
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial) return log::quiet_lines().bit_of(i);
    return 0;
}

// The bits of threads that are gone are free once no line is quiet for them.
void free_bits() {
    u32 bits = 0;
    for (u32 i = 0; i < QuietLines::kThreads; ++i) {
        if (passers[i].serial == 0 || !passers[i].gone) continue;
        bits |= log::quiet_lines().bit_of(i);
        passers[i] = Passer{};
    }
    if (bits != 0) log::quiet_lines().forget_threads(bits);
}

Passed passed_by(u32 bits, Thread taker) {
    Passed passed;
    for (u32 i = 0; i < QuietLines::kThreads && bits != 0; ++i) {
        const u32 bit = log::quiet_lines().bit_of(i);
        if ((bits & bit) == 0) continue;
        bits &= ~bit;
        const Passer& passer = passers[i];
        if (passer.serial == taker.serial) continue;
        // All that a thread did before it ended has been read.
        for (const Strand* strand : recording->strands) {
            if (strand->thread().serial != passer.serial) continue;
            const Time now = strand->is_gone() ? strand->ended_at() : recording->clocks.now(strand->thread());
            if (now > passed.until) passed.until = now;
            passed.bits |= bit;
        }
    }
    return passed;
}

}  // namespace

u32 quiet_bit(Thread t) {
    if (!log::quiet_lines().is_on()) return QuietLines::kNobody;
    for (u32 round = 0; round < 2; ++round) {
        u32 free = QuietLines::kThreads;
        for (u32 i = 0; i < QuietLines::kThreads; ++i) {
            if (passers[i].serial == t.serial) return log::quiet_lines().bit_of(i);
            if (passers[i].serial == 0 && free == QuietLines::kThreads) free = i;
        }
        if (free != QuietLines::kThreads) {
            passers[free].serial = t.serial;
            return log::quiet_lines().bit_of(free);
        }
        free_bits();
    }
    return QuietLines::kNobody;
}

void make_quiet(Thread t, u64 line) {
    const u32 bit = quiet_bit(t);
    if (bit != QuietLines::kNobody) log::quiet_lines().make_quiet(line_begin(line), bit);
}

void quiet_thread_gone(Thread t) {
    for (Passer& passer : passers)
        if (passer.serial == t.serial) passer.gone = true;
}

void forget_quiet_threads(Thread mine) {
    for (Passer& passer : passers)
        if (passer.serial != mine.serial) passer.gone = true;
}

void watch(Address word, u32 accesses) {
    if (recording->options.sampled) log::watched_lines().watch(word, accesses);
}
void unwatch(u64 line) {
    if (!recording->options.sampled) return;
    log::watched_lines().forget(line_begin(line), line_end(line));
}

Passed follow_line(u64 line, Thread taker) {
    if (!log::quiet_lines().is_on()) return {};
    const bool stores = log::quiet_lines().are_stores_quiet(line_begin(line));
    Passed passed = passed_by(log::quiet_lines().follow(line_begin(line)), taker);
    passed.stores = stores;
    return passed;
}

bool was_passed_after(u64 line, Thread t, Time time) {
    if (!log::quiet_lines().is_on()) return false;
    const u32 bits = log::quiet_lines().quiet_for(line_begin(line));
    if (bits == 0) return false;
    for (const Strand* strand : recording->strands) {
        const u32 serial = strand->thread().serial;
        if (serial == t.serial || (bits & known_bit(serial)) == 0) continue;
        if (time_of(serial) > time + recording->merge.delay_of(t.serial)) return true;
    }
    return false;
}

// A thread that waits for a lock in the replay gets there later than its clock says.
bool may_be_earlier(const Passed& passed, Time time) {
    return passed.bits != 0 && (passed.until > time || recording->merge.delayed());
}

void note_passed(SharedLine& shared, const Passed& passed, Time time) {
    if (!may_be_earlier(passed, time)) return;
    PassedLine& line = (*passed_lines)[shared.line];
    if (!shared.passed) {
        line.by = Passed{};
        line.counted = false;
    }
    line.by.bits |= passed.bits;
    line.by.stores |= passed.stores;
    if (line.by.until < passed.until) line.by.until = passed.until;
    shared.passed = true;
}

bool may_miss(SharedLine& shared, Thread t, Time time) {
    const Passed& by = passed_lines->find(shared.line)->by;
    const Time now = time + recording->merge.delay_of(t.serial);
    bool others = false;
    for (const Strand* strand : recording->strands) {
        const u32 serial = strand->thread().serial;
        if ((by.bits & known_bit(serial)) == 0) continue;
        if (strand->next_record() >= by.until && now >= by.until + recording->merge.delay_of(serial))
            continue;
        if (serial != t.serial) return true;
        others = true;
    }
    shared.passed = others;
    return false;
}

u32 accesses_to_pass(const SharedLine& shared) {
    constexpr u64 kEach = 16, kMost = ~u32{0} / 4;
    const PassedLine* line = passed_lines->find(shared.line);
    if (line == nullptr || line->disturbed == 0) return 0;
    const u64 accesses = line->missing * kEach / line->disturbed;
    return static_cast<u32>(accesses < kMost ? accesses : kMost);
}

void count_missing(SharedLine& shared, Thread t, bool stores, Time time, ObjectId object) {
    if (!may_miss(shared, t, time)) return;
    PassedLine& line = *passed_lines->find(shared.line);
    if (!stores && !line.by.stores) return;  // loads do not disturb each other
    const u32 others = line.by.bits & ~known_bit(t.serial);
    const u32 events = 1 + static_cast<u32>(std::popcount(others));
    if (!line.counted) {
        line.counted = true;
        ++line.disturbed;
        shared.looks = 0;
    }
    line.missing += events;
    missing += events;
    (*missing_of)[static_cast<u64>(object)] += events;
}
u64 missing_events() { return missing; }
void for_each_missing(void (*f)(ObjectId, u64, void*), void* argument) {
    missing_of->for_each([&](u64 object, u64 events) { f(static_cast<ObjectId>(object), events, argument); });
}
void forget_missing() {
    missing = 0;
    missing_of->clear();
}

}  // namespace memspy::contention
