// SPDX-License-Identifier: GPL-2.0-or-later
//
// The order of threads inside Valgrind: what the core, the program's calls and the access log tell goes to
// the recorder (recorder.h) and the clocks, and threads that are ahead of others in virtual time let them
// run.
//
// A slice is as long as lets its thread get --skew units ahead of the slowest one that can run, by the instructions
// that a superblock had lately. While another thread waits in a loop it is not longer than that either: the loop sees a
// flag only if it gets to run in time. A short slice is not enough, because the core's lock may go to the same thread
// again and again. So a thread that has got the processor gives it back while another one that can go on is too far
// behind, or while it could only look at a lock that another thread has (vg/turns.h). It is called as soon as it may
// go on. A thread for which others have waited in vain for long does not count until it has run again: the clocks do
// not know all reasons to sleep.
//
// Before a lock, and where words are shared that threads update, they stay nearer to each other (Strand::skew): who is
// first there decides which thread does which work.
//
// It runs if somebody wants it: an analysis that observes lines (line_observer.h), or consumers of the log
// that want its order (log::request_replay_order()).
#pragma once

#include "lines/line_observer.h"
#include "log/records.h"

namespace memspy::order {

using namespace lines;

// The observer of lines; there may be one. Call once the command line is known, before start().
// `all_accesses`: those that can have no effect are logged, too.
void observe(const LineObserver& by, bool all_accesses);

void register_with_core();  // before the command line is read
void start();               // after it, before consumers of the log are attached

// The effect on a lock of the function that begins at the address, by any of its names.
log::LockCall lock_call_at(Address code);

// The thread lets others run for a while, though it could go on: they do not wait for it until it has run again.
void stays_behind(Thread t);

bool has_several_threads();  // a second thread was started, and all are followed from then on
bool is_following();         // the same, and accesses are logged

}  // namespace memspy::order
