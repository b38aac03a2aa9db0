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

}  // namespace memspy::places
