// SPDX-License-Identifier: GPL-2.0-or-later
//
// The defects analysis of accesses: tracking translations check them byte by byte against the shadow.
#pragma once

#include "instrument/core/tracking_hooks.h"

namespace memspy::defects {

instrument::TrackingHooks tracking_hooks();

// The offset of the first byte in a range that is known not to be accessible, or is not mapped; and of the
// first accessible byte with an undefined bit. `bytes` if there is none.
usize first_unaddressable(Address begin, usize bytes);
usize first_undefined(Address begin, usize bytes);

// The undefined bits of a byte that may be accessed: 1 is undefined.
u8 undefined_bits(Address a);
// Sets which bits of bytes that may be accessed are undefined: one byte of `bits` for each.
void set_undefined_bits(Address a, const u8* bits, usize bytes);

// Call when a byte outside the heap, at `a`, gets a state other than Fine. From then on accesses off the
// stack pointer (or to constant addresses) are checked, too, and all translations are made again.
void note_state_outside_heap(Address a);

// Call when a thread begins to run on a stack that may be in a heap block. Its accesses off the stack pointer
// have to be checked then, because they define the bytes that they write.
void note_stack(Address stack_pointer);

}  // namespace memspy::defects
