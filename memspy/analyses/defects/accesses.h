// SPDX-License-Identifier: GPL-2.0-or-later
//
// The defects analysis of accesses: those of tracking translations, byte by byte against the shadow.
#pragma once

#include "instrument/tracking.h"

namespace memspy::defects {

instrument::TrackingHooks tracking_hooks();

// Where in a range the first byte is that may not be accessed, as far as is known, or is not mapped at all;
// the first that may be accessed and has an undefined bit. `bytes` when there is none.
usize first_unaddressable(Address begin, usize bytes);
usize first_undefined(Address begin, usize bytes);

// Call when a byte that is not Fine comes to stand outside the heap at `a`: from then on, stack (or constant)
// addresses have to be checked too, and all translations are made again.
void note_state_outside_heap(Address a);

// Call when a thread begins to run on a stack that may stand in a heap block: its accesses off the stack
// pointer have to be checked then, for they define what they write.
void note_stack(Address stack_pointer);

}  // namespace memspy::defects
