// SPDX-License-Identifier: GPL-2.0-or-later
//
// The object of every access, as in places/objects, cached by line. A stack is one object.
//
// Accesses in the replay's order are told later than they happened. So a change of memory begins a new
// *epoch*, and what the memory was before is kept until all accesses of that time have been told.
#pragma once

#include "places/objects.h"

namespace memspy::locality {

// `oldest_pending`: the epoch of the oldest access that is still to be told; ~0: there is none. Call after
// the command line is known.
void start_places(u64 (*oldest_pending)());

// Blocks of one allocation that have been accessed. Each of the first kMostBlocks has an object of its own.
inline constexpr u32 kMostBlocks = 64;
u32 blocks_of(places::ObjectId object);
// Of a single block, all blocks of its allocation; 0: it is none.
places::ObjectId object_of_block(places::ObjectId block);

u64 present_epoch();  // grows with each change
// The extent of the bytes around `a`, as they were in that epoch.
const places::Extent& extent_of(Address a, u64 epoch);
// Whether the extent will be the same for all of its bytes until the epoch ends. (Memory between heap blocks
// may become a block's at any time.)
inline bool is_lasting(const places::Extent& extent) { return extent.end - extent.begin > 1; }

}  // namespace memspy::locality
