// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parts of memory that the program gave names (VALGRIND_CREATE_BLOCK): a report on an address inside says the
// name, whatever else is known of the address.
#pragma once

#include "findings/findings.h"

namespace memspy::defects {

// The handle; the name is copied. -1 for an empty range.
u64 create_named_block(u32 thread, Address begin, usize bytes, const char* name);
// False when there is no such block (any more).
bool discard_named_block(u64 handle);

// Kind Unknown when `a` is in none.
findings::AddressOwner named_place(Address a);

}  // namespace memspy::defects
