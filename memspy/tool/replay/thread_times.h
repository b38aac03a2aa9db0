// SPDX-License-Identifier: GPL-2.0-or-later
//
// When threads ran and when they waited, in virtual time, in a memory that does not depend on the run's length: of
// each thread some hundred spans. When there are too many, neighbours become one. Two neighbours as one show as
// waiting what the thread ran between them, and show the shorter one's wait as one for what the longer waited for.
// The half of the pairs with least time shown wrongly is joined. Cost: a thread that waited a million times has its
// spans joined 5,000 times, 0.05 s. No Valgrind here.
#pragma once

#include "lines/rules.h"
#include "rt/vector.h"

namespace memspy::replay {

using lines::Time;

struct WaitSpan {
    Time from = 0, until = 0;
    Time waited = 0;        // of all waits in it; less than its length where the thread ran between them
    Time named = 0;         // of these, by the row
    u32 row = 0, whom = 0;  // of what it waited for longest: index in Waits::rows(); a serial, 0: not known
    u32 times = 0;
};

// All zeros is a valid empty object.
class ThreadTimes {
public:
    static constexpr usize kMostSpans = 400;  // of a thread: a screen has hardly more places
    static constexpr u32 kNamedThreads = 64;  // threads with spans: 1 MB
    // What is shown wrongly for less of the run than this is not seen.
    static constexpr u64 kLeastPart = 20'000;

    struct ThreadTime {
        Time begin = 0, end = 0;
        rt::Vector<WaitSpan> spans;  // ascending
    };

    void began(u32 serial, Time at);
    void ended(u32 serial, Time at);
    // Each thread's waits come in ascending time.
    void add(u32 serial, u32 row, u32 whom, Time from, Time until);
    // Joins what a picture of the time until the last end cannot show.
    void settle();

    // Null for a thread without spans.
    const ThreadTime* find(u32 serial) const { return serial <= kNamedThreads ? &threads_[serial] : nullptr; }
    void clear();

private:
    ThreadTime* of(u32 serial);
    static Time shown_wrongly(const WaitSpan& a, const WaitSpan& b);
    static void join(WaitSpan& into, const WaitSpan& next);
    static void join_below(rt::Vector<WaitSpan>& spans, Time most);

    ThreadTime threads_[kNamedThreads + 1];  // by serial; 0 has none
};

}  // namespace memspy::replay
