// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the counters of sites stand, so that generated code finds those of the running thread and of the
// present calls with little ado; and the batch of values that are counted later. docs/internals.md,
// "Redundant zeros", has the picture. No Valgrind here.
//
// Without contexts a site has a slot, the same in the memory of each thread. With them a *stretch*, the loads
// of a superblock between two changes of the call path, has one block of counters for each context and
// thread.
#pragma once

#include "analyses/zeros/sites.h"
#include "rt/vector.h"

namespace memspy::zeros {

// Before anything else: how many calls make a context, 0 for none, kAllCalls for all that there are.
inline constexpr u32 kAllCalls = 1000;
void set_context_depth(u32 depth);
u32 context_depth();

// Threads, as they run.
void thread_runs(threads::Thread t);
void thread_gone(threads::Thread t);
void forget_all();  // in the child of a fork: what was counted is the parent's

// --- without contexts ---

inline constexpr u32 kPieceBytes = 1 << 20;
inline constexpr u32 kMostPieces = 1024;
extern u8* running_pieces[kMostPieces];  // memory of the running thread
struct Slot {
    u32 piece = kMostPieces;  // that: there was no room
    u32 offset = 0;           // of the first counter
};
Slot slot_of(SiteNumber number);

// --- with contexts ---

struct Stretch {
    u32 number;  // from 1
    u32 block_bytes;
    rt::Vector<SiteNumber>* sites;  // their counters stand one behind the other
    Stretch* next;                  // another stretch that begins with the same instruction

    // What generated code has as constants.
    u64 tag() const { return u64{number} << 32; }
    u64 spread() const { return u64{number} * 0x9E3779B1u; }
};

// The running thread's blocks that were used last: one table for all stretches, since a few of them run in
// thousands of contexts and most in one.
struct Cell {
    u64 key;  // the stretch's tag | path; 0: empty
    u8* block;
};
static_assert(sizeof(Cell) == 16);
inline constexpr u64 kCells = u64{1} << 18;
extern Cell* cells;
inline Cell& cell_of(const Stretch& stretch, threads::CallPath path) {
    return cells[(static_cast<u32>(path) ^ stretch.spread()) & (kCells - 1)];
}
// One and the same for the same sites behind the same instruction.
Stretch* stretch_of(Address first, const rt::Vector<SiteNumber>& sites);
// Fills the cell for the running thread's present path. For what generated code calls.
void fill_cell(Stretch& stretch, threads::CallPath path);

// --- the batch ---
//
// An entry is a head, the address of the site's counters with the code of the type in its upper byte, and
// what was loaded, 8 bytes at least.

inline constexpr u32 kHeadTypeShift = 56;
struct Batch {
    u8* cursor;  // generated code writes here and moves it on
    u8* full;    // from here on the batch is to be counted before more is written
};
extern Batch batch;
inline constexpr u32 kMostBatchOfSuperblock = 32 * 1024;  // bytes
void initialise_batch();
void count_batch();
extern u64 nobodys_counters[kMostCounters];  // for values whose load did not happen

// --- results ---

// build() of zeros.h makes rows and totals.
struct CounterUse {
    u64 bytes_of_blocks, sites, stretches, blocks, cell_misses, batches;
};
const CounterUse& counter_use();

}  // namespace memspy::zeros
