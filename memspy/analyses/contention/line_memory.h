// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory for what is known of cache lines: many small records that grow.
#pragma once

#include "rt/small_blocks.h"

namespace memspy::contention {

inline constexpr char kLineMemory[] = "memspy.line_memory";
using OnLineMemory = rt::OnSmallBlocks<kLineMemory>;  // for rt::Vector
inline rt::SmallBlocks<kLineMemory>& line_memory() { return rt::small_blocks<kLineMemory>(); }

}  // namespace memspy::contention
