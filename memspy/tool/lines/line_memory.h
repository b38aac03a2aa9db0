// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory for what is known of cache lines: many small records that grow.
#pragma once

#include "rt/small_blocks.h"
#include "rt/vector.h"

namespace memspy::lines {

inline constexpr char kLineMemory[] = "memspy.line_memory";
using OnLineMemory = rt::OnSmallBlocks<kLineMemory>;  // for rt::Vector
inline rt::SmallBlocks<kLineMemory>& line_memory() { return rt::small_blocks<kLineMemory>(); }

// Before an element is added: most lines have one to four of them, so there is no room for more.
template <typename T>
void grow_by_one(rt::Vector<T, OnLineMemory>& elements) {
    if (elements.size() < 4) elements.reserve(elements.size() + 1);
}

}  // namespace memspy::lines
