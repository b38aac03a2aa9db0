// SPDX-License-Identifier: GPL-2.0-or-later
//
// Variables in frames. Many functions use the same bytes of a stack, one after the other. So where a function
// of the program's own begins, marks on its future frame are cleared, which others have left there; where it
// ends, the marks of its frame are added to those of all its frames. They stand behind the client's addresses
// (instrument/zeros/byte_marks.h): a variable has one place there, whose bytes are redundant if they were so
// in every frame. What a function takes as it goes is a variable as large as the largest
// of its kind. What lies in no variable stays the stack's.
#pragma once

#include "places/objects.h"

namespace memspy::zeros {

void start_frames();
// The running thread is another one.
void frames_of(u32 thread);
// Its living frames count as left, and again when they are.
void leave_frames(u32 thread);
void leave_all_frames();
void forget_frames();  // in a forked child

// The places of all variables.
void for_each_kept_variable(void (*f)(const places::VariableOfFrame& variable, Address begin, void*),
                            void* argument);

}  // namespace memspy::zeros
