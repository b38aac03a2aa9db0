// SPDX-License-Identifier: GPL-2.0-or-later
//
// Owners: the object of every byte, as a small number. Object 0 is the heap outside large blocks (--cost-min-block).
#pragma once

#include "analyses/cost/cost.h"

namespace memspy::cost {

// Bytes [begin, end) are the object's, as long as owner_age() stays the same.
struct OwnedExtent {
    Address begin = 0, end = 0;
    u32 object = 0;
};
OwnedExtent owner_of(Address a);

// Increases when memory changes its owner: it is mapped or unmapped, a large block comes or goes, a stack ends.
extern u64 owner_age;

rt::Vector<ObjectCost>& objects();  // by number

void start_owners();
void forget_owners();  // in a forked child
// Memory is mapped or unmapped, or a stack ends.
void owners_changed();

}  // namespace memspy::cost
