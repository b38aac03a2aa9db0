// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory that gets another use: it is freed, handed out again, or becomes another stack.
#pragma once

#include "order/clocks.h"

namespace memspy::order {

// [begin, end) is about to get another owner.
void retire(Address begin, Address end);
// memspy's own heap hands the memory out again. Who had it before is that heap's doing, so it is told to
// nobody: lines that one thread had to itself are new ones, if all its accesses have been merged.
void begin_anew(Address begin, Address end);
// A thread begins on the stack on which the thread with the serial `former` began, if that one has ended:
// below `top`, lines that it had to itself are new ones.
void begin_on_stack_of(u32 former, Address top);
// The thread begins on this stack. It uses what is just below first, so lines there that nobody has touched
// are its own from now on.
void begin_on_stack(Thread t, Address top);
// It has belonged to the heap and becomes a block's.
void change_hands(Address begin, Address end);

}  // namespace memspy::order
