// SPDX-License-Identifier: GPL-2.0-or-later
//
// What generated code counts for the instruction mix (--mix): the stretches of superblocks between two exits,
// and the outcomes of branches. Numbers are those of counters; a counter is the same for all threads and for
// all translations of the same code. Entries live as long as the run.
//
//   segment   steps, each an instruction, or a part of one behind an exit. Counted where it begins: a segment
//             is left early only by a trip, which puts the count right (operation_counts.h).
//   branch    four counters: by outcome (taken: 2) and by prediction (wrong: 1)
#pragma once

#include "instrument/mix/operation.h"

namespace memspy::instrument {

struct SegmentStep {
    Address address;
    u32 operation;  // its number
};

struct CodeSegment {
    u32 first, count;  // steps
    u32 counter;
    u32 epoch;  // of the core's debug information when the code was translated
    u32 next;   // with the same hash: its index + 1
};
struct BranchSite {
    Address address;
    u32 counter;  // the first of four
    u32 epoch;
};

// Counters stand in pieces of the same layout for each thread.
inline constexpr u32 kCountersOfPiece = 1 << 16;
inline constexpr u32 kMostCounterPieces = 128;
inline constexpr u32 kNoCounter = ~u32{0};

u32 number_of_operation(const InstructionCounts& operation);
const InstructionCounts& operation_numbered(u32 number);

// The counter of a segment with these steps; kNoCounter if there are none, or if there is no more space.
u32 counter_of_segment(const SegmentStep* steps, u32 count);
// The first of the counters of the branch at `address`.
u32 counter_of_branch(Address address);

u32 segment_count();
const CodeSegment& segment_at(u32 index);
const SegmentStep& step_at(u32 index);
u32 branch_count();
const BranchSite& branch_at(u32 index);
u32 counter_pieces();  // in use
bool counters_complete();

// The counter of the part of the segment with counter `counter` that comes before `address`.
u32 counter_before(u32 counter, Address address);

}  // namespace memspy::instrument
