// SPDX-License-Identifier: GPL-2.0-or-later
//
// The data that generated code uses to count the zero bytes of loads: the places of sites' counters, laid out
// so that those of the running thread and the present calls are found quickly. See analyses/zeros/DESIGN.md. No
// Valgrind here.
//
// The counters of a site are consecutive u64:
//
//   integer of n bytes  n + 1: values that have 0, 1, … n leading zero bytes;
//                       of 8 bytes then the last value of each of these kinds
//   float               32: values by the set of their cells that are not redundant
//   double              32 by the lower five cells, 32 by the upper five, 1 for all cells redundant
//
// Without contexts a site has a slot, which is the same in the memory of each thread. With contexts a
// *stretch* (the loads of a superblock between two changes of the call path) has one block of counters for
// each context and thread.
//
// The owner of the counters sets ZeroHooks.
#pragma once

#include "instrument/core/stretch_number.h"
#include "instrument/zeros/element.h"
#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::instrument {

enum class SiteNumber : u32 {};

inline constexpr u32 kLastValues = 9;     // index of the first one
inline constexpr u32 kSignCell = 4;       // of a float
inline constexpr u32 kHalfOfDouble = 32;  // index of the sets of upper cells
inline constexpr u32 kZeroDoubles = 64;
constexpr u32 counters_of(ValueType type) {
    if (!type.is_float()) return type.bytes() == 8 ? 2 * kLastValues : type.bytes() + 1;
    return type.bytes() == 4 ? 32 : kZeroDoubles + 1;
}

// --- without contexts ---

inline constexpr u32 kPieceBytes = 1 << 20;
inline constexpr u32 kMostPieces = 1024;
extern u8* running_pieces[kMostPieces];  // the running thread's piece with this number
struct CounterSlot {
    u32 piece = kMostPieces;  // kMostPieces: there was no space
    u32 offset = 0;           // of the first counter
};

// --- with contexts ---

struct Stretch : StretchNumber {
    u32 block_bytes;
    rt::Vector<SiteNumber>* sites;  // their counters are consecutive
    Stretch* next;                  // another stretch that begins with the same instruction
};

// The running thread's blocks that were used last. All stretches share one table, because a few of them run
// in thousands of contexts and most in one.
struct ContextCell {
    u64 key;  // the stretch's tag | path; 0: empty
    u8* block;
};
static_assert(sizeof(ContextCell) == 16);
inline constexpr u64 kCells = u64{1} << 18;
extern ContextCell* cells;
inline ContextCell& cell_of(const Stretch& stretch, threads::CallPath path) {
    return cells[(static_cast<u32>(path) ^ stretch.spread()) & (kCells - 1)];
}

// --- their owner ---

struct ZeroHooks {
    bool contexts = false;  // counters are separate for each chain of calls
    // The site for the instruction's loads of `type`, and the site's type, which may be better known.
    SiteNumber (*site_of)(Address instruction, ValueType type, const Uses& uses) = nullptr;
    ValueType (*type_of)(SiteNumber number) = nullptr;
    CounterSlot (*slot_of)(SiteNumber number) = nullptr;
    // Returns the same stretch for the same sites behind the same instruction.
    Stretch* (*stretch_of)(Address first, const rt::Vector<SiteNumber>& sites) = nullptr;
    // Counts one value at once.
    void (*count)(u64* counters, ValueType type, const void* value) = nullptr;
    // Called from generated code. Fills the cell for the running thread's present path.
    void (*fill_cell)(Stretch& stretch, threads::CallPath path) = nullptr;
};
void set_zero_hooks(const ZeroHooks& hooks);
const ZeroHooks& zero_hooks();

}  // namespace memspy::instrument
