// SPDX-License-Identifier: GPL-2.0-or-later
//
// What accesses cost: of an object, of a place, of a thread.
#pragma once

#include "analyses/cost/placement.h"
#include "places/objects.h"

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
    places::Place first_touch;  // of its first page; of its bytes if others were on that page
    u32 first_thread = 0;       // serial
    bool touched_page = false;
};

struct CostRow {
    places::Place place;
    places::ObjectId object{};
    u32 object_number = 0;
    CostFigures figures;
};

// What a thread did to an object while there were several threads.
struct ThreadUse {
    u32 object_number = 0;
    u32 thread = 0;  // serial
    places::ObjectId object{};
    CostFigures figures;
};

// What other homes of an object's pages would change. In cycles less; 0 if it would be more.
struct ObjectPlacement {
    places::ObjectId object{};
    PlacementStudy study;
    PlacementAdvice advice = PlacementAdvice::None;
    u64 touched_saves = 0, interleaved_saves = 0, replicated_saves = 0;
};

}  // namespace memspy::cost
