// SPDX-License-Identifier: GPL-2.0-or-later
//
// Owners: the object of every byte, as a small number. Object 0 is the heap outside large blocks
// (--cost-min-block).
#pragma once

#include "analyses/cost/figures.h"

namespace memspy::cost {

// Bytes [begin, end) are the object's, as long as owner_age stays the same.
struct OwnedExtent {
    Address begin = 0, end = 0;
    u32 object = 0;
};
OwnedExtent owner_of(Address a);

// The object that has all bytes of the line.
inline constexpr u32 kSeveralOwners = ~u32{0};
u32 owner_of_line(u64 line);

// Increases when memory changes its owner: it is mapped or unmapped, a large block comes or goes, a stack
// ends.
extern u64 owner_age;

rt::Vector<ObjectCost>& objects();  // by number

// `lines_changed`: called where memory may have got another owner though the age is the same.
void start_owners(u32 line_bits, void (*lines_changed)(Address begin, Address end));
void forget_owners();  // in a forked child
// A stack ends.
void owners_changed();
// Memory is mapped or unmapped.
void owners_changed_between(Address begin, Address end);

}  // namespace memspy::cost
