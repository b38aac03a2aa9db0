// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bursts of a sampled run with several threads: a thread's time is divided into slots, the same for all
// threads, and of each 2^stage slots one is a burst. So what threads do at the same time is seen together,
// and neither threads nor schedule decide what is seen.
//
// A slot that is chosen at a stage is chosen at all earlier ones. So a log that was written at an earlier
// stage than that at which it is read has all bursts.
#pragma once

#include "rt/base.h"

namespace memspy::locality {

class BurstSlots {
public:
    // Of a slot: a thread alone has a third to half of the accesses in it that a burst has while one thread
    // runs. Fewer but longer slots would miss more of a program's parts.
    static constexpr unsigned kTimeBits = 13;
    static constexpr u64 slot_of(u64 time) { return time >> kTimeBits; }

    // Of two neighbours, be it slots or groups of them, one remains at the next stage, at random.
    static constexpr bool is_chosen(u64 slot, u32 stage) {
        for (u32 level = 0; level < stage; ++level)
            if ((slot >> level & 1) != remains(slot >> (level + 1), level)) return false;
        return true;
    }
    // The time until the next burst begins, or until this one ends. Not for stage 0, at which all slots are
    // bursts.
    static constexpr u64 until_change(u64 time, u32 stage) {
        u64 slot = slot_of(time);
        const bool in_burst = is_chosen(slot, stage);
        do ++slot;
        while (is_chosen(slot, stage) == in_burst);
        return (slot << kTimeBits) - time;
    }

private:
    static constexpr u64 remains(u64 group, u32 level) {
        u64 hash = (group << 4 | level) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
        return (hash * 0xED5AD4BBAC4C1B51u) >> 63;
    }
};

}  // namespace memspy::locality
