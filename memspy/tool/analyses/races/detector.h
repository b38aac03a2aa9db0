// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads the threads' records in the order that really ran and finds accesses that nothing orders. DESIGN.md
// has the rules.
#pragma once

#include "analyses/races/detector_host.h"
#include "analyses/races/openmp.h"

namespace memspy::races {

void initialise_detector(const DetectorHost& host);

// Events of threads, in the order of the run.
// It has been created. `cleared`: the word that the kernel clears at its end; 0: not known.
void begin(Thread parent, Thread t, Address cleared);
void end(Thread t);
void read(Thread t, const u64* first, const u64* end);
// It enters a function of OpenMP's run-time, or code that the run-time calls.
WorkAsked enter(Thread t, const OmpCall& call);
void got_block(Thread t, Address begin, usize bytes);
// It has seen the word as the kernel left it.
void looked_at(Thread t, Address word);
// What it did until now is before what threads do that receive a message from now on.
void send(Thread t);
void receive(Thread t);
// The thread frees the block, at that path.
void freed(Thread t, Address begin, usize bytes, threads::CallPath path);
// [begin, begin + bytes) gets another owner.
void forget(Address begin, usize bytes);
void forget_others(Thread t);  // in a forked child

lines::LockSets& lock_sets();

}  // namespace memspy::races
