// SPDX-License-Identifier: GPL-2.0-or-later
//
// The frame that a function's first instructions make. Places relative to the stack pointer, or to clang's
// base register, are certain only in code where the frame has that size: arguments that are pushed and memory
// from alloca make it larger.
#pragma once

#include "dwarf/sections.h"

namespace memspy::dwarf {

// Distances from the frame's end (the stack pointer before the call) down.
struct FixedFrame {
    i64 size = 0;              // of the stack pointer
    i64 base = 0;              // of the base register; 0: it is none
    i64 pointer = 0;           // of the frame pointer; 0: it is not made
    bool ends_by_sub = false;  // no more of the frame is made: what is pushed later are arguments
    bool is_aligned = false;   // the distances depend on the frame's end
};

// `end` is the frame's end, modulo a page: some functions align their frames. Optimised code has other
// instructions between those that make the frame. They are passed over if their form is known and they do not
// write the stack pointer; otherwise the frame ends there.
FixedFrame fixed_frame(FileBytes code, u64 end, Processor processor);

// Of one processor each.
FixedFrame fixed_frame_amd64(FileBytes code, u64 end);
FixedFrame fixed_frame_arm64(FileBytes code, u64 end);

}  // namespace memspy::dwarf
