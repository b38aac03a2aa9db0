// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an address belongs to, and where an undefined byte came from.
#pragma once

#include "findings/findings.h"
#include "heap/heap.h"

namespace memspy::defects {

// `access` is where the access starts, `bad` its first byte at fault: the block is that of `bad`, the offset
// is that of `access`.
findings::AddressOwner place_of(Address access, Address bad);
findings::AddressOwner place_in(const heap::Block& block, Address access);

// The allocation that the uninitialised byte at `a` came from; None when that is not known.
ContextId origin_of(Address a);

// Prints the owner of an address: a heap block with its stacks, or the core's description.
void print_description(Address address);

}  // namespace memspy::defects
