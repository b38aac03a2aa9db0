// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many bits of a word are set. std::popcount calls libgcc on processors without the instruction.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

constexpr u32 count_bits(u64 set) {
    set -= set >> 1 & 0x5555'5555'5555'5555u;
    set = (set & 0x3333'3333'3333'3333u) + (set >> 2 & 0x3333'3333'3333'3333u);
    return static_cast<u32>(((set + (set >> 4)) & 0x0F0F'0F0F'0F0F'0F0Fu) * 0x0101'0101'0101'0101u >> 56);
}

}  // namespace memspy::rt
