// SPDX-License-Identifier: GPL-2.0-or-later
//
// The name of the variable that a byte of a stack frame belongs to, from the debug information of the frame's
// module. A name is given only if it is certain: an optimised variable has its place only in a part of its
// function, and variables may share places. Variables that are found by a register other than the frame's
// own, or by a pointer (arrays of variable length), get no name here.
#pragma once

#include "dwarf/sections.h"
#include "rt/text.h"

namespace memspy::dwarf {

// All addresses are link-time addresses.
struct FrameByte {
    u64 pc = 0;  // in the frame: the running instruction, or the present call
    // The byte's distances from the three addresses that compilers use: the frame's end (CFA, the stack
    // pointer before the call), the stack pointer, and the frame pointer.
    i64 from_end = 0, from_stack_pointer = 0, from_frame_pointer = 0;
    u64 bytes = 1;  // bytes from there on; the name is that of a variable that holds all of them
};

// Appends "variable `buf`", "variable `rows[1].sum`", "padding of variable `row`"; for an inlined call,
// "variable `i` of g, inlined". Returns false if nothing is certain.
bool add_variable(rt::Text& text, const Sections& sections, const FrameByte& byte);

}  // namespace memspy::dwarf
