// SPDX-License-Identifier: GPL-2.0-or-later
//
// The memory of the sites' counters, by thread and by context, laid out as in instrument/zeros/zero_layout.h.
// See analyses/zeros/DESIGN.md. No Valgrind here.
#pragma once

#include "analyses/zeros/sites.h"
#include "instrument/zeros/zero_layout.h"
#include "rt/vector.h"

namespace memspy::zeros {

using instrument::cell_of;
using instrument::cells;
using instrument::ContextCell;
using instrument::CounterSlot;
using instrument::kCells;
using instrument::kMostPieces;
using instrument::kPieceBytes;
using instrument::running_pieces;
using instrument::Stretch;

// Call first. The number of calls that make a context: 0 for none, kAllCalls for all.
inline constexpr u32 kAllCalls = 1000;
void set_context_depth(u32 depth);
u32 context_depth();

// Loads by these instructions are in no row: looks at a word that another thread changes are no work of the
// program.
void leave_out(bool (*wanted)(Address instruction));

// Calls for threads, as they run.
void thread_runs(threads::Thread t);
void thread_gone(threads::Thread t);
void forget_all();  // in the child of a fork: the counts belong to the parent

// For generated code, through the hooks of instrument/zeros/zero_layout.h.
CounterSlot slot_of(SiteNumber number);
// Returns the same stretch for the same sites behind the same instruction.
Stretch* stretch_of(Address first, const rt::Vector<SiteNumber>& sites);
void fill_cell(Stretch& stretch, threads::CallPath path);

// --- results ---

// build() makes rows and totals from these.
struct CounterUse {
    u64 bytes_of_blocks, sites, stretches, blocks, cell_misses;
};
const CounterUse& counter_use();

// Reports everything that happened so far; the program may go on afterwards. `report` must be empty.
void build(CodeReport& report);

}  // namespace memspy::zeros
