// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stores that add to what they overwrite: `total += x`, with whatever instructions. Threads that only do so
// to a word can as well have one each, and add these up at the end. Any operation of which that is true is a
// sum here: additions, also of floats, and bitwise operations.
#pragma once

#include "log/records.h"
#include "vg/vg.h"

namespace memspy::instrument {

// What the store, or atomic read-modify-write, makes of the bytes. Looks at the superblock alone: the old
// value must be loaded in it, from an address that is made in the same way.
log::SumKind sum_kind(const IRSB* block, const IRStmt* store);

}  // namespace memspy::instrument
