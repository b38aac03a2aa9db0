// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which values may be addresses of the program's: those in memory that it has or ever had. Valgrind gives a
// program low addresses, so that they look like numbers with upper bytes to spare; what distinguishes them is
// that all of them are in such memory. No Valgrind here.
#pragma once

#include "rt/base.h"

namespace memspy::zeros {

// The program gets memory. Of a granule it may have a part only.
void client_has(Address begin, usize bytes);
bool may_be_address(u64 value);

// Whether each aligned word at `offset` of the elements of `stride` bytes in [begin, end), which can be read,
// is null or an address, and one is an address.
bool holds_addresses(Address begin, Address end, u32 stride, u32 offset);

}  // namespace memspy::zeros
