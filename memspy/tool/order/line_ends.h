// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory that gets another use: it is freed, handed out again, or becomes another stack.
//
// memspy's own heap hands memory out that any thread has freed, where the program's would often give each thread its
// own; C libraries give a new thread the stack of one that has ended. The program chose neither. So lines that one
// thread had to itself are untouched again for the next owner, if all that it did to them is merged; of a stack also
// what is still to be merged has no effect. What a thread uses first, just below the stack pointer with which it
// begins, is its own at once where nobody has touched it.
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
