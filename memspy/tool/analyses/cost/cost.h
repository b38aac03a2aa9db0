// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cost analysis (--cost=yes): every access of the log goes through a simulated hierarchy (hierarchy.h).
// Its cycles are charged to the accessed object and to the place of the access.
#pragma once

#include "analyses/cost/figures.h"
#include "rt/vector.h"

namespace memspy::cost {

struct Report {
    rt::Vector<ObjectCost> objects;  // most cycles first
    rt::Vector<CostRow> rows;        // likewise; places left out are one row of each object, without a place
    rt::Vector<ThreadUse> uses;      // likewise; of objects that several threads use
    rt::Vector<ObjectPlacement> placements;  // of objects with advice
    u64 rows_left_out = 0;                   // places
    CostFigures total;
};

const Report& report();
const char* machine_name();
// One line: the model, and the assumed latencies.
const char* assumptions();

void print_summary(u32 top);

}  // namespace memspy::cost
