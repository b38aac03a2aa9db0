// SPDX-License-Identifier: GPL-2.0-or-later
//
// The beginning and the end of threads, each at one point of what the program does: when the kernel gets to
// them depends on the load of the machine, and decides which threads others find there and who runs next.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

// What the kernel calls the running thread.
Int kernel_id();

// Waits until that thread of this process sleeps, for its turn to run or in a system call; some 100 us for a
// new one. For threads that the core is about to let run: a maker before the core hands its turn to the new
// thread, and that one before it begins.
void await_sleep(Int kernel_id);

// The running client thread is about to end; `word` is what set_tid_address or clone named (0: nothing). Does
// what the kernel would do a little later, when others run already: clears the word and wakes who waits for
// it. Left to the kernel where the thread has robust mutexes, which have to be looked after before.
void end_thread(Address word);

}  // namespace memspy::vg
