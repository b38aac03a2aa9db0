// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bounds that let the core's unwinding read no memory. It reads a word at A if low <= A <= high - 7, unsigned: so a
// `high` of 0 would let it read everywhere. A frame that aligns its stack has its end in memory.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

struct MemoryBounds {
    Address low, high;
};
constexpr MemoryBounds kNoMemory{~Address{0}, sizeof(Address) - 1};

}  // namespace memspy::vg
