// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks that memspy's heap parts: small ones that one thread allocated in one place and that different
// threads have to themselves. Red zones and the quarantine keep them on lines of their own; the program's
// allocator would put neighbours in one line. No Valgrind here.
#pragma once

#include "heap/heap.h"
#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

// A block as its time is over, or the run.
void note_block(const heap::Block& block);
// Of places with such blocks: the one with the most, and how many there are. `allocated` is None when there
// is none.
PartedBlocks most_parted(u32* places);

}  // namespace memspy::contention
