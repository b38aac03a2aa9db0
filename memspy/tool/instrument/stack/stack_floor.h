// SPDX-License-Identifier: GPL-2.0-or-later
//
// How far below the stack pointer memory surely is the running code's stack, where the mapping does not show
// it: coroutines' stacks in heap blocks, static arrays or parts of mappings. The memory may hold other data,
// or other stacks, and is used again for other things.
//
// The floor is the start of a range that the program registered (VALGRIND_STACK_REGISTER). Otherwise it is
// the lowest stack pointer since the thread came to this stack, rounded down to kFloorStep. So a stack
// pointer below the floor must be told. The floor is never outside the heap block with the stack pointer.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

inline constexpr Address kFloorStep = 1024;

// The thread came to `sp` from another stack, or from an unknown place of the same one.
void come_to_stack(ThreadId thread, Address sp);
// The floor after the thread's stack pointer was `sp`.
Address lower_stack_floor(ThreadId thread, Address sp);
Address stack_floor(ThreadId thread, Address sp);

// In a heap block that a stack pointer has been in.
bool is_in_stack_block(Address a);
// In another heap block than `sp`, or only one of them in a heap block.
bool is_in_other_block(Address a, Address sp);
void forget_stack_block(Address payload);  // it is freed

}  // namespace memspy::instrument
