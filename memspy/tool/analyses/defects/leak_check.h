// SPDX-License-Identifier: GPL-2.0-or-later
//
// The leak check: feeds the leak graph with the client's memory and registers, folds the lost blocks into
// loss records and reports them.
//
// Roots are the words of the memory that LeakRoots lists and the general registers of all threads. All
// functions are for the running thread; none may be called inside another.
#pragma once

#include "analyses/defects/leak_request.h"

namespace memspy::defects {

// The request given by the options, for the search at exit and for client requests (which set mode and
// delta).
LeakRequest leak_request_from_options();

void run_leak_check(u32 thread, const LeakRequest& request);

// Of the last search; all zero before the first.
const LeakCounts& last_leak_counts();

// For the end of the run. print_heap_summary prints the blocks still allocated. leak_check_at_exit runs the
// search that --leak-check asks for. In XML mode only the leaks themselves are printed.
void print_heap_summary();
void leak_check_at_exit(u32 thread);

// Call when a thread is about to end (track_pre_thread_ll_exit), while its registers are still available:
// unused parts of its stack are no longer roots then.
void note_thread_exit(u32 thread);

// For the monitor commands. Prints the blocks of loss records `from` to `to` (numbers as shown, from 1) of
// the last search; lost blocks with everything that was found from them. If `heuristics` is not 0, only
// blocks that one of them saved. Returns false if there is no such record or search.
bool print_block_list(u64 from, u64 to, u64 max_blocks, u32 heuristics);
// Prints each place that points into the `bytes` bytes from `target` on.
void print_who_points_at(Address target, usize bytes);

}  // namespace memspy::defects
