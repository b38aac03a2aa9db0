// SPDX-License-Identifier: GPL-2.0-or-later
//
// The redundant-zeros analysis by object: the record of each object. Its bytes' marks are read at the end of
// the memory's life (free, munmap, end of a thread) or of the run. All heap blocks of one allocation stack
// are one object, so their counts are added up.
#pragma once

#include "analyses/zeros/history.h"
#include "analyses/zeros/pattern.h"
#include "analyses/zeros/planes.h"
#include "places/place.h"

namespace memspy::zeros {

// A part of an object, summed over its blocks.
struct HeatCell {
    u64 accessed = 0, redundant = 0;  // bytes
};

inline constexpr u32 kZeroBlockSizes[] = {8, 64, 512};
inline constexpr u32 kZeroBlockKinds = 3;

// Counts of one object. Plain data; `map` is owned by the caller of forget_map().
struct ObjectCounts {
    places::ObjectId object{};
    u64 blocks = 0;
    u64 bytes = 0;      // of all blocks
    u64 accessed = 0;   // those of them that were loaded at least once
    u64 cells = 0;      // of their elements; those of integers and of what is only copied are bytes
    u64 redundant = 0;  // cells that were redundant at every load
    ZeroShare zero_blocks[kZeroBlockKinds];
    ZeroShare whole_blocks;
    u64 block_bytes = 0;  // of each block; 0: they have several sizes
    // For the largest block (the first of that size).
    u64 largest = 0;
    RowPattern rows;
    Columns columns;
    PlanePattern planes;  // of an array with dimensions
    // Heat map: cell i stands for cell_bytes bytes from i * cell_bytes on, of every block.
    static constexpr u32 kMostCells = 256;
    u32 cell_bytes = 1;  // a power of two
    u32 map_cells = 0;
    HeatCell* map = nullptr;
    u64 reach = 0;  // bytes from a block's start to the last byte in the map
    LoadHistory loads;

    // Rows of the largest block, or whole blocks where these say more: rows that are allocated one by one.
    RowPattern zero_rows() const;
};

// Adds the marks of a block's bytes [begin, end). The block starts at `start`. The bytes may be a part of it,
// which counts as a block only if it is the first part.
void fold(ObjectCounts& object, Address begin, Address end, Address start);
// Moves the tallies of memory in [begin, end) to the history of its object. Of one that others share it takes
// what the object's marked bytes are of all marked bytes there.
void take_tallies(ObjectCounts& object, Address begin, Address end, u32 slot);
// A copy with a map of its own.
ObjectCounts copy_of(const ObjectCounts& object);
void forget_map(ObjectCounts& object);

}  // namespace memspy::zeros
