// SPDX-License-Identifier: GPL-2.0-or-later
//
// Variables that an OpenMP construct shares. GCC copies them to a structure in the frame of who begins the
// construct, which no debug information of that frame tells of: only that of the construct's function does.
#pragma once

#include "places/frame_variables.h"

namespace memspy::places {

// The thread calls the run-time, which has its threads call `body` with the address `data`.
void note_construct(u32 thread, Address stack_pointer, Address body, Address data);
// Whether `a` is in a variable of the structure of a construct that has not ended.
bool find_captured(Address a, StackVariable* found);
// Appends the one of the variables with which `body` is called that points to the block, or whose descriptor does:
// "work of MAIN__". Returns whether there is one.
bool add_captured_holder(rt::Text& text, Address body, Address data, Address block);

}  // namespace memspy::places
