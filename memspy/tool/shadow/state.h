// SPDX-License-Identifier: GPL-2.0-or-later
//
// The state of a byte of the program's memory.
#pragma once

#include "rt/base.h"

namespace memspy::shadow {

enum class State : u8 {
    Fine = 0,           // defined, or not tracked
    Uninitialised = 1,  // addressable, but at least one bit was never written
    Freed = 2,          // part of a block that was freed and is not yet reused
    Unaddressable = 3   // red zone, or never handed out
};
// The upper bit of a state alone makes an access invalid.
inline constexpr u8 kInvalidBit = 2;

}  // namespace memspy::shadow
