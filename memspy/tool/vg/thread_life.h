// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes threads begin and end at fixed points of the program's execution. Otherwise the time would depend on
// the load of the machine, and would decide which threads others find and which thread runs next.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

// The kernel's id of the running thread.
Int kernel_id();

// Of the running thread; less than a second.
void sleep(u32 microseconds);

// Waits until that thread of this process sleeps, for its turn to run or in a system call; some 100 us for a
// new one. For threads that the core is about to let run: the creating thread waits before the core hands its
// turn to the new thread, and the new thread waits for its creator before it begins.
void await_sleep(Int kernel_id);

// The running client thread is about to end. `word` is the one from set_tid_address or clone (0: none). Does
// in advance what the kernel would do a little later, when others run already: clears the word and wakes the
// threads that wait for it. If the thread has robust mutexes, everything is left to the kernel, which must
// handle them first.
void end_thread(Address word);

// Waits until the kernel has ended all threads for which end_thread() was called. For the end of the process:
// who waited for the last thread may end it at once, and the core, which then looks twice whether a thread is
// still there, ends with an assertion if that changes in between.
void await_ends();

}  // namespace memspy::vg
