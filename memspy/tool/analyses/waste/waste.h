// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wasted work (--waste): stores that nobody loads, stores of what is there, loads of what was loaded. See
// docs/waste.md.
#pragma once

#include "analyses/waste/totals.h"
#include "places/objects.h"
#include "rt/vector.h"

namespace memspy::waste {

// A context, or a pair of them, and the bytes of one object.
struct WasteRow {
    WasteRowKind kind{};
    places::Place place, killer;                                  // killer: of Dead
    enum class WasteEnd : u8 { Stored, Freed, FrameLeft } end{};  // of Dead
    bool direct = false;                                          // the own frame at a fixed place
    places::ObjectId object{};
    u64 offset = 0;  // in the object, of the first byte met; kNoOffset: not known
    u32 width = 0;   // bytes of an access
    u64 bytes = 0;
    u64 all = 0;   // bytes that the place stored, or loaded
    u64 held = 0;  // bytes of the object: of the heap, of all its blocks that there ever were; 0: not known
    // Of the place, see SiteLook.
    bool decides = false;
    u64 looked = 0, in_place = 0, near = 0;
};

struct ThreadWaste {
    u32 thread = 0;  // serial; 0: threads without a name
    WasteTotals totals;
};

// Of a run that was sampled: bursts, the part of it that they are, and standard errors of the shares that are wasted.
struct WasteSample {
    u64 bursts = 0;
    double rate = 0, errors[kWasteRowKinds] = {};
};

struct WasteReport {
    WasteTotals totals;
    WasteSample sample;                 // no bursts: all was counted
    u64 direct[kWasteRowKinds] = {};    // of totals.wasted, in the own frame at a fixed place
    rt::Vector<WasteRow> rows;          // by kind, most bytes first
    u64 left_out[kWasteRowKinds] = {};  // bytes of rows that are not there
    rt::Vector<ThreadWaste> threads;
};
const WasteReport& report();  // as of the last settle()

// rows.cc: makes rows of what was counted.
void build_rows(WasteReport& report);

void print_summary(const WasteReport& report, u32 top);

}  // namespace memspy::waste
