// SPDX-License-Identifier: GPL-2.0-or-later
//
// The name of a variable that a byte of a stack frame belongs to, by the debug information of the frame's module.
// A name is given only where it is certain: an optimised variable has its place in a part of its function only, and
// places may be shared. Variables that are found by a register other than the frame's own, or by a pointer (arrays
// of variable length), have no name here.
#pragma once

#include "dwarf/sections.h"
#include "rt/text.h"

namespace memspy::dwarf {

// All addresses are link-time ones.
struct FrameByte {
    u64 pc = 0;  // of the frame: the instruction that runs, or the call that it is in
    // Where the byte stands, from the three addresses that compilers count from: the frame's end (CFA, what the
    // stack pointer was before the call), the stack pointer, and the frame pointer.
    i64 from_end = 0, from_stack_pointer = 0, from_frame_pointer = 0;
    u64 bytes = 1;  // from there on: the name is of what holds them all
};

// Appends "variable `buf`", "variable `rows[1].sum`", "padding of variable `row`"; of a call that was inlined,
// "variable `i` of g, inlined". False when nothing is certain.
bool add_variable(rt::Text& text, const Sections& sections, const FrameByte& byte);

}  // namespace memspy::dwarf
