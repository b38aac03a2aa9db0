// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the program made memory uninitialised by request, or a library that will fill it in: that is where an
// allocator of its own hands memory out, which says more of an undefined byte than the allocation of the
// whole arena. A later request on the same bytes goes before an earlier one; the end of the block that the
// bytes stand in ends all of them.
//
// Frames on the stack are not kept: the function of a frame says as much, and frames end too often.
#pragma once

#include "findings/findings.h"

namespace memspy::defects {

void note_requested_origin(u32 thread, Address begin, usize bytes, findings::Requester by);
void forget_requested_origins(Address begin, usize bytes);
// None when no request made the byte uninitialised.
ContextId requested_origin(Address a);

}  // namespace memspy::defects
