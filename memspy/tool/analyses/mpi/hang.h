// SPDX-License-Identifier: GPL-2.0-or-later
//
// Programs that are stuck (--mpi-hang): all ranks wait in calls of MPI, and none has got on for some seconds.
// Each rank finds that out by itself, from what the ranks tell each other (rank_states.h), reports its wait,
// and ends when all have. A rank that is told to end reports its wait as well, and the monitor shows it.
#pragma once

#include "analyses/mpi/node_checks.h"

namespace memspy::mpi {

class Hang {
public:
    void attach(Communication& communication, RankWaits& waits, NodeChecks& node) {  // first of all
        all_ = &communication;
        waits_ = &waits;
        node_ = &node;
    }

    // The rank is known. `end_program` is a function of the program's that ends it with status 1.
    void begin(Address end_program);
    // The program has called MPI_Finalize; it has returned.
    void ended();
    bool
    may_end();  // asked before the library's MPI_Finalize is called: whether all ranks have come to theirs
    // A thread is about to run; it has run.
    void look();
    void ran(u32 thread);
    // The process ends by a signal.
    void told_to_end();
    // Its report is complete.
    void wait_for_others();
    // In the monitor.
    void show();
    const RankWait& last() const { return last_; }  // that was reported

private:
    void publish(const RankWait& wait, u32 phase);
    bool judge(u64 now);
    void measure_starving();
    void report(const RankWait& wait);

    Communication* all_ = nullptr;
    RankWaits* waits_ = nullptr;
    NodeChecks* node_ = nullptr;
    Address end_program_ = 0;
    u64 next_look_ = 0, next_end_ = 0;  // milliseconds
    u64 told_moves_ = 0;
    // What it lacked processors for since the last move, as of the last look; and what was published of it.
    u64 starved_ = 0, told_starved_ = 0;
    u64 starved_before_ = 0, looked_moves_ = 0;  // at the last look
    bool told_ = false, concluded_ = false, ends_ = false, at_end_ = false;
    RankWait last_;
};

}  // namespace memspy::mpi
