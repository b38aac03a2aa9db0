// SPDX-License-Identifier: GPL-2.0-or-later
//
// What OpenMP orders: teams, barriers, tasks and their dependences, as the calls of libgomp and libomp tell.
// What the libraries do inside orders nothing here: who comes first there is luck.
//
// An explicit task has a clock of its own, its strand, whichever thread runs it: what a thread did before it
// began the task is not before the task. So tasks that nothing orders race although one thread runs them all.
#pragma once

#include "analyses/races/omp_host.h"
#include "analyses/races/racing_thread.h"

namespace memspy::races {

struct OmpCall {
    OmpFunction function;
    Address code;
    Address stack_pointer, caller;
    CallPath path;
    bool is_resolved;  // the path is known
    u64 arguments[6];
    u64 further[2];  // behind those in registers
};

void initialise_openmp(const OmpHost& host);

// Whether the thread asks for a part of work that all share (dealing.h), and how often it did in this region.
struct WorkAsked {
    bool asks = false;
    u32 times = 0;
};
// The thread enters such a function.
WorkAsked enter_omp(RacingThread& f, const OmpCall& call);
// The thread runs at that path now: it has left what is not above it.
void leave_omp(RacingThread& f, CallPath path);
// The same, by the stack, while there is no log.
void leave_omp_below(RacingThread& f, Address stack_pointer);
void leave_all_omp(RacingThread& f);
// A block of the heap that the thread gets, in which libgomp may keep a task.
void omp_block(const RacingThread& f, Address begin, usize bytes);

// The function of a running construct whose shared variables the address may be among, and its distance from
// the first of them.
struct SharedByTeam {
    Address body = 0;
    u64 offset = 0;
};
SharedByTeam shared_by_team(Address a);

}  // namespace memspy::races
