// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a frame ends (the stack pointer before the call, DWARF's CFA), as a register and a distance, at an
// instruction.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

struct FrameEnd {
    enum class ByRegister : u8 { Unknown, StackPointer, FramePointer };
    ByRegister by = ByRegister::Unknown;
    i64 above = 0;  // the end less the register
};
// From the core's tables for unwinding. The core has no function for this on ARM64.
FrameEnd frame_end(Address code);

}  // namespace memspy::vg
