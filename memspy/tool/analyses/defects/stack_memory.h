// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stack memory for the defects analysis (--undef-stack=yes): which of its bytes are invalid, and the frame
// that a byte belongs or belonged to. instrument/stack/stack_window.h marks it.
#pragma once

#include "findings/findings.h"

namespace memspy::defects {

// For a byte in state Unaddressable that is in no block. It is invalid for good if it is below the running
// thread's stack pointer, or if a client's request marked it. Otherwise it is stack whose start was not seen
// (a coroutine's, a thread's on used memory), and is made Fine.
bool is_invalid_for_good(Address a);
// Does that for the invalid bytes of a range.
void settle_stack(Address begin, usize bytes);

// A request marked the range, which is outside the heap.
void note_request(Address begin, usize bytes);

// For an address below the running thread's stack pointer: the distance, and the function whose frame was
// there.
findings::AddressOwner below_stack(Address a);
// The frame of the running thread that holds `a`; None if there is none. Its variable is the one that holds
// all `bytes`.
ContextId frame_origin(Address a, usize bytes);

}  // namespace memspy::defects
