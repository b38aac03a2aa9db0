// SPDX-License-Identifier: GPL-2.0-or-later
//
// The clock of instructions: how many the program has run, all threads together. Analyses that say how long
// something lived read it (--heap-profile); it is exact whenever a superblock has ended, so in system calls,
// client requests and functions of the malloc family.
//
// A *segment* is what lies between two exits of a superblock. Its instructions are counted where it begins.
// If a check inside it trips, the instructions from there on have not run, and the handler of the trip takes
// them back. For this the guest state has the number of the running segment.
#pragma once

#include "instrument/core/observer.h"

namespace memspy::instrument {

extern u64 instructions_run;

// From now on translations count. Call before the program runs.
void run_clock();

class ClockWriter final : public Observer {
public:
    ClockWriter(Emitter& emit, const IRSB* in) : emit_(emit), in_(in) {}

    void begin(int begin, int end) override;
    void passed_exit(const IRStmt*) override { count_segment(at_); }

private:
    void count_segment(int from);

    Emitter& emit_;
    const IRSB* in_;
    int at_ = 0, end_ = 0;
};

}  // namespace memspy::instrument
