// SPDX-License-Identifier: GPL-2.0-or-later
//
// Watched lines: of a sampled log with several threads, the memory of which all accesses are logged, because
// the order of threads may depend on them: words that threads wait for, or may wait for.
//
// Generated code looks at one byte for each line; lines a MiB apart share it. Few lines are watched: those of
// words that are known to order threads for good, others for a number of accesses.
//
// No Valgrind here.
#pragma once

#include "rt/base.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::log {

// All zeros is a valid empty object.
class WatchedLines {
public:
    static constexpr unsigned kLineBits = 6, kSlotBits = 14;
    static constexpr u8 kWatched = 0x80;
    static constexpr u32 kForGood = ~u32{0};

    // The line of `a`, for so many accesses from now on or more.
    void watch(Address a, u32 accesses);
    bool is_watched(Address a) { return slots_[slot_of(a)] != 0 && lines_.find(a >> kLineBits) != nullptr; }
    // An access to it has been logged.
    void accessed(Address a) {
        if (slots_[slot_of(a)] != 0) [[unlikely]]
            count_down(a);
    }
    void unwatch(Address a);
    void forget(Address begin, Address end);  // the memory gets another use

    // For generated code: kWatched or 0.
    const u8* slots() const { return slots_; }
    static u32 slot_of(Address a) { return static_cast<u32>(a >> kLineBits) & (kSlots - 1); }

private:
    static constexpr u32 kSlots = u32{1} << kSlotBits;
    void count_down(Address a);

    u8 slots_[kSlots] = {};
    u16 lines_in_[kSlots] = {};
    rt::HashMap<u32> lines_;  // accesses that are left
};

WatchedLines& watched_lines();

}  // namespace memspy::log
