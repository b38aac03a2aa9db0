// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loads of a line that several threads hold: each passes its own until it waits for something (passing.h).
#pragma once

#include "lines/rules.h"
#include "log/records.h"
#include "rt/count_bits.h"
#include "threads/thread.h"

namespace memspy::lines {

struct PassedLoads {
    u32 serial = 0;
    bool listed = false;  // among the lines that end_passing() looks at
    Time until = 0;       // loads were passed until then, by the thread's clock
};

// Those of a line's threads, by slot.
struct alignas(8) LinePasses {
    static constexpr u32 kMostSlots = 32;

    u32 slots = 0;  // that have one, a bit each

    static u32 count(u32 slots) { return rt::count_bits(slots); }
    static usize bytes(u32 slots) { return sizeof(LinePasses) + count(slots) * sizeof(PassedLoads); }
    PassedLoads* begin() { return reinterpret_cast<PassedLoads*>(this + 1); }
    PassedLoads* end() { return begin() + count(slots); }
    PassedLoads* find(u32 slot) {
        const u32 bit = u32{1} << slot;
        return (slots & bit) == 0 ? nullptr : begin() + count(slots & (bit - 1));
    }
};

}  // namespace memspy::lines
