// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where uninitialised data came from: the allocation of a heap block, a context of the core, or a byte of a
// function's frame. An origin is one word in registers and in the side table, so frames are numbered here; their
// numbers are odd, which no context's is. The variable that the byte belongs to is looked up when a report
// wants it, and not before.
#pragma once

#include "dwarf/variables.h"
#include "vg/vg.h"

namespace memspy::places {

// A byte of the frame of the function that is entered at `function`; byte.pc is a run-time address. One number for
// one byte, however often.
ContextId frame_origin(Address function, const dwarf::FrameByte& byte);
bool is_frame(ContextId origin);
// The same frame, of which it is not known which byte.
ContextId without_variable(ContextId origin);

// The block's allocation, or the function's entry as a stack of one call; null when nothing is known.
ExeContext* origin_stack(ContextId origin);
// What dwarf::add_variable says of a frame's byte; null when nothing is certain.
const char* origin_variable(ContextId origin);

}  // namespace memspy::places
