// SPDX-License-Identifier: GPL-2.0-or-later
//
// The instruction mix (--mix): instructions by class, branches, accesses, bytes that leave the last cache,
// and I/O, by function and thread. See docs/mix.md.
#pragma once

#include "analyses/mix/figures.h"
#include "rt/vector.h"

namespace memspy::mix {

struct MixReport {
    rt::Vector<MixRow> rows;  // most instructions first
    rt::Vector<IoRow> io;     // most bytes first
    MixFigures total;
    bool complete = true;  // false: there was more code than counters
};
const MixReport& report();  // as of the last settle()
u64 cache_bytes();          // of the modelled last cache; 0: there is none

void print_summary(const MixReport& report, u32 top);

}  // namespace memspy::mix
