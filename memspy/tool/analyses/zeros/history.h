// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of what was loaded from an object was redundant, over the run's time. A byte of an object counts
// as redundant if it is so at every load, so one early pass of other values spoils it for good; the history
// says from when on the object is redundant nevertheless. No Valgrind here.
#pragma once

#include "rt/base.h"

namespace memspy::zeros {

// Bytes loaded, each as often as it was; redundant ones of them.
struct LoadShare {
    u64 loaded = 0, redundant = 0;
    void add(const LoadShare& other) {
        loaded += other.loaded;
        redundant += other.redundant;
    }
};

// The run in slots of one length. When it has lasted longer than all slots, two become one.
struct LoadHistory {
    static constexpr u32 kSlots = 16;
    LoadShare slots[kSlots];

    void join_slots();
    LoadShare sum(u32 begin, u32 end) const;
    LoadShare all() const { return sum(0, kSlots); }
    // The slot from which on much more is redundant than before, and at least half; 0 if there is none.
    u32 change() const;
};

// The length of the slots, in any unit of time.
class Timeline {
public:
    static constexpr u64 kShortest = 1'000'000;
    // The run has lasted so long. Loads may be counted later, with those before them.
    void reach(u64 now) { end_ = now > end_ ? now : end_; }
    // Loads from now on are of this time. Returns how often slots must be joined before `slot` is used.
    u32 advance(u64 now);
    u32 slot() const { return static_cast<u32>(now_ / length_); }
    u64 length() const { return length_; }
    // The share of the run that was over when the slot began, in thousandths.
    u32 thousandths_before(u32 slot) const;

private:
    u64 length_ = kShortest, now_ = 0, end_ = 0;
};

}  // namespace memspy::zeros
