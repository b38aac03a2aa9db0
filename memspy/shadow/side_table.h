// SPDX-License-Identifier: GPL-2.0-or-later
//
// SideTable: the exact bits and the origin of uninitialised data that the client has stored somewhere.
//
// A byte in state Uninitialised is, without an entry here, undefined in all eight bits and comes from
// the heap block that it stands in. An entry exists for each aligned group of eight bytes into which
// the client stored data that is not fully defined: it says which bits of each byte are undefined (1 =
// undefined, as everywhere), and which allocation the data came from. An entry counts only for bytes
// whose state is Uninitialised; stores of defined data change the state and leave stale entries, so
// whoever makes a range Uninitialised again must call forget_range first.
#pragma once

#include "rt/base.h"

namespace memspy::shadow {

struct SideEntry {
    u8 undefined[8];  // bit mask per byte
    ContextId origin;
};

bool side_empty();
SideEntry* side_find(Address a);  // the group of `a`, or nullptr
SideEntry& side_make(Address a);  // new entries have all bits undefined and no origin
// A group that the range covers in part keeps its entry (and its one origin) for the other bytes; the
// covered ones become undefined in all bits.
void side_forget_range(Address begin, usize bytes);
// Makes the destination's bytes as the source's: those of source groups with an entry take its bits and
// origin, the others are forgotten. Ranges may overlap. Pointers to entries are invalid afterwards.
void side_copy_range(Address to, Address from, usize bytes);
usize side_count();

}  // namespace memspy::shadow
