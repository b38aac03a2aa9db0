// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap profile (--heap-profile): who holds how much of the heap, when, and how long. See docs/heap.md.
#pragma once

#include "analyses/heap_profile/block_bytes.h"
#include "analyses/heap_profile/timeline.h"
#include "places/object.h"

namespace memspy::heap_profile {

struct HeapReport {
    HeapTotal total;
    rt::Vector<HeapRow> rows;              // most bytes at the peak first
    rt::Vector<u32> numbers;               // of each row in the timeline
    rt::Vector<places::ObjectId> objects;  // of each row
    u64 mapped_peak = 0, mapped_end = 0;   // bytes mapped: files, libraries, stacks, mmap
};
const HeapReport& report();  // as of the last settle()
const HeapTimeline& timeline();
bool follows_accesses();
void places_of_row(u32 number, rt::Vector<BlockBytes::PlaceCounts>& to);  // by `numbers`

// --heap-limit
enum class LimitedFigure : u8 { Peak, End, Total, Blocks };
inline constexpr u32 kLimitedFigures = 4;
inline constexpr const char* kLimitNames[kLimitedFigures] = {"peak", "end", "total", "blocks"};
inline constexpr u64 kNoLimit = ~u64{0};
u64 limit_of(LimitedFigure figure);
bool has_limits();

void print_summary(const HeapReport& report, u32 top);
void report_limits(const HeapReport& report, u32 guest_thread);

}  // namespace memspy::heap_profile
