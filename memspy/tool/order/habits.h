// SPDX-License-Identifier: GPL-2.0-or-later
//
// Habits: which bytes of a line its threads use each time that they have it.
//
// A line may go from thread to thread in steps: one stores to it, then many load it, until the next step.
// Between two stores almost all loads teach nothing, so they can be passed (passing.h) - but for the bytes
// that they read, which decide whether the next store is true sharing. So the bytes are learnt: some *rounds*
// of a thread (from its miss or its taking the line for itself to the loss of the line) are logged whole; in
// the others a thread is taken to read what it read in the last of these. The same holds for stores by a
// thread that stores to the line first: what follows the store that takes the line from others is passed.
//
// The longer a habit lasts, the seldomer it is learnt again.
//
// A line gets habits when threads have come back to it a few times.
#pragma once

#include <bit>

#include "log/records.h"
#include "order/clocks.h"
#include "order/rules.h"
#include "threads/thread.h"

namespace memspy::order {

struct Habit {
    u32 serial = 0;
    u16 rounds = 0;           // that the merge has seen, up to kLearnt
    u16 left = 0, every = 0;  // so many rounds until it is learnt again, of so many
    bool passed = false;      // loads of the merge's present round are passed
    bool ahead = false;       // loads of the round are passed whose first access is still to be merged
    bool passed_stores = false, ahead_stores = false;  // the same for stores
    bool stores = false;                               // stores are passed now, until the thread waits
    bool listed = false;                               // among the lines that end_passing() looks at
    u64 used = 0, stored = 0;                          // bytes, in the last round that was logged whole
    Time until = 0;                                    // loads were passed until then, by the thread's clock
    Time stored_until =
        0;  // the same for stores; 0 also: all others' accesses that are to be merged come later

    // The merge is at the first access of a round. Returns whether the thread is taken to use the same bytes
    // in it, because loads of it are passed.
    bool begin_round(u64 used_before, u64 stored_before) {
        if (!passed) {
            const bool again = used == used_before && stored == stored_before;
            every = again && every != 0 && every < rules::kMostEachHabit ? every * 2 : rules::kEachHabit;
            used = used_before;
            stored = stored_before;
        }
        if (rounds < rules::kLearnt)
            ++rounds;
        else
            left = left == 0 ? every : left - 1;
        passed = ahead;
        passed_stores = ahead_stores;
        ahead = ahead_stores = false;
        return passed;
    }
    // Whether loads of the present round may be passed.
    bool is_known() const { return rounds >= rules::kLearnt && left != 0; }
    void forget() { rounds = left = every = 0; }
};

// Those of a line's threads, by slot.
struct alignas(8) Habits {
    static constexpr u32 kMostSlots = 32;

    u32 slots = 0;          // that have one, a bit each
    Time stored_until = 0;  // the latest of all habits

    static u32 count(u32 slots) { return static_cast<u32>(std::popcount(slots)); }
    static usize bytes(u32 slots) { return sizeof(Habits) + count(slots) * sizeof(Habit); }
    Habit* begin() { return reinterpret_cast<Habit*>(this + 1); }
    Habit* end() { return begin() + count(slots); }
    Habit* find(u32 slot) {
        const u32 bit = u32{1} << slot;
        return (slots & bit) == 0 ? nullptr : begin() + count(slots & (bit - 1));
    }
};

}  // namespace memspy::order
