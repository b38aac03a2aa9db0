// SPDX-License-Identifier: GPL-2.0-or-later
//
// Origins of uninitialised data: the allocation of a heap block (a context of the core), or a byte of a
// function's frame. An origin is one word in registers and in the side table, so frames are numbered here;
// their numbers are odd, unlike those of contexts. The variable of the byte is looked up only when a report
// needs it.
#pragma once

#include "dwarf/variables.h"
#include "vg/vg.h"

namespace memspy::places {

// A byte of the frame of the function with entry `function`; byte.pc is a run-time address. The same byte
// always gets the same number.
ContextId frame_origin(Address function, const dwarf::FrameByte& byte);
bool is_frame(ContextId origin);
bool has_returned(ContextId origin);  // it was the frame of a call that had ended
// The same for a frame of which the byte is not known.
ContextId without_variable(ContextId origin);

// The block's allocation, or the function's entry as a stack of one call; null if nothing is known.
ExeContext* origin_stack(ContextId origin);
// The result of dwarf::add_variable for a frame's byte; null if nothing is certain.
const char* origin_variable(ContextId origin);

}  // namespace memspy::places
