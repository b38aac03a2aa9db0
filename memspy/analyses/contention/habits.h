// SPDX-License-Identifier: GPL-2.0-or-later
//
// Habits: which bytes of a line its threads use each time that they have it.
//
// A line may go from thread to thread in steps: one stores to it, then many load it, until the next step. Between two
// stores almost all loads teach nothing, so they can be passed (passing.h) - but for the bytes that they read, which
// decide whether the next store is true sharing. So the bytes are learnt: some *rounds* of a thread (from its miss or
// its taking the line for itself to the loss of the line) are logged whole; in the others a thread is taken to read what
// it read in the last of these.
//
// A line gets habits when threads have come back to it a few times.
#pragma once

#include "log/records.h"
#include "replay/clocks.h"
#include "threads/thread.h"

namespace memspy::contention {

struct Habit {
    u32 serial = 0;
    u16 rounds = 0;          // that the merge has seen
    bool passed = false;     // loads of the merge's present round are passed
    bool ahead = false;      // loads of the round are passed whose first access is still to be merged
    u64 used = 0;            // bytes, in the last round that was logged whole
    replay::Time until = 0;  // loads were passed until then, by the thread's clock

    // The merge is at the first access of a round. Returns the bytes that the thread is taken to use in it, if loads of it
    // are passed.
    u64 begin_round(u64 used_before) {
        if (!passed) used = used_before;
        if (rounds < kMostRounds)
            ++rounds;
        else
            rounds = kMostRounds - kEach + 1;
        passed = ahead;
        ahead = false;
        return passed ? used : 0;
    }
    // Whether loads of the present round may be passed.
    bool is_known() const { return rounds >= kLearnt && rounds % kEach != 0; }

private:
    static constexpr u16 kLearnt = 2, kEach = 32, kMostRounds = 1024;
};

struct alignas(8) Habits {
    u32 slots;
    Habit* habits() { return reinterpret_cast<Habit*>(this + 1); }
};

}  // namespace memspy::contention
