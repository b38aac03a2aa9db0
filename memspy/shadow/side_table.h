// SPDX-License-Identifier: GPL-2.0-or-later
//
// SideTable: the exact bits and the origin of uninitialised data that the client has stored.
//
// A byte in state Uninitialised without an entry here is undefined in all eight bits and comes from the heap
// block that it is in. An entry exists for each aligned group of eight bytes into which the client stored
// data that is not fully defined: the undefined bits of each byte (1 = undefined, as everywhere), and the
// allocation that the data came from. An entry counts only for bytes in state Uninitialised. Stores of
// defined data change the state and leave stale entries, so code that makes a range Uninitialised again must
// call forget_range first.
#pragma once

#include "rt/base.h"

namespace memspy::shadow {

struct SideEntry {
    u8 undefined[8];  // bit mask per byte
    ContextId origin;
};

bool side_empty();
SideEntry* side_find(Address a);  // the group of `a`, or nullptr
SideEntry& side_make(Address a);  // a new entry has all bits undefined and no origin
// A group that is only partly in the range keeps its entry (and its one origin) for the other bytes; those in
// the range become undefined in all bits.
void side_forget_range(Address begin, usize bytes);
// Makes the destination's bytes equal to the source's: bytes of source groups with an entry get its bits and
// origin, the others have theirs forgotten. Ranges may overlap. Pointers to entries are invalid afterwards.
void side_copy_range(Address to, Address from, usize bytes);
usize side_count();

}  // namespace memspy::shadow
