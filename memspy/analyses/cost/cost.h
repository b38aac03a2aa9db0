// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cost analysis (--cost=yes): every access of the log goes through a simulated hierarchy (hierarchy.h), and what
// it took is charged to the object that it was made to and to the place where it was made.
#pragma once

#include "places/objects.h"
#include "rt/vector.h"

namespace memspy::cost {

struct CostFigures {
    u64 loads = 0, stores = 0;
    u64 cycles = 0;
    u64 l1_misses = 0, l2_misses = 0, llc_misses = 0, tlb_misses = 0;
    u64 local = 0, remote = 0, transfers = 0;
};

struct ObjectCost {
    places::ObjectId object{};  // None: small blocks of the heap
    CostFigures figures;
    places::Place
        first_touch;       // of the first of its pages, or of its bytes where others were on those before
    u32 first_thread = 0;  // serial
    bool touched_page = false;
    u32 threads = 0;  // that used it, one after the other: how often another one came
    u32 last_thread = 0;
};

struct CostRow {
    places::Place place;
    places::ObjectId object{};
    CostFigures figures;
};

struct Report {
    rt::Vector<ObjectCost> objects;  // most cycles first
    rt::Vector<CostRow> rows;        // likewise
    u64 rows_left_out = 0;
    CostFigures total;
};

const Report& report();
const char* machine_name();
// In one line: the model, and the assumed latencies.
const char* assumptions();

void print_summary(u32 top);

}  // namespace memspy::cost
