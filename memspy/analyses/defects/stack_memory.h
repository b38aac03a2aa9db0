// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stack memory as defects sees it (--undef-stack=yes): which of its bytes are invalid, which frame a byte
// belongs to or belonged to. instrument/stack_window.h marks it.
#pragma once

#include "findings/findings.h"

namespace memspy::defects {

// Whether a byte in state Unaddressable that is in no block is one for good: below the running thread's stack
// pointer, or marked by a client's request. Else it is stack that came to life without being seen (a coroutine's,
// a thread's on used memory): it is made Fine.
bool is_invalid_for_good(Address a);
// Applies that to the invalid bytes of a range.
void settle_stack(Address begin, usize bytes);

// A request marked the range, which is outside the heap.
void note_request(Address begin, usize bytes);

// For an address below the running thread's stack pointer: how far, and the function that had it.
findings::AddressOwner below_stack(Address a);
// The frame of the running thread that holds `a`, as a stack of one call; None when there is none.
ContextId frame_origin(Address a);

}  // namespace memspy::defects
