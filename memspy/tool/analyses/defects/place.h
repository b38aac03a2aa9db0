// SPDX-License-Identifier: GPL-2.0-or-later
//
// The owner of an address, and the origin of an undefined byte.
#pragma once

#include "findings/block_owner.h"
#include "heap/heap.h"

namespace memspy::defects {

// `access` is the start of the access, `bad` its first byte at fault. The block is that of `bad`, the offset
// that of `access`.
findings::AddressOwner place_of(Address access, Address bad);

// The allocation that the uninitialised byte at `a` came from; None if it is not known.
ContextId origin_of(Address a);
// The same for a byte that was not stored to: the origin of its block or frame. In a frame, that of the
// variable that holds all `bytes`.
ContextId memory_origin(Address a, usize bytes);

// Prints the owner of an address: a heap block with its stacks, or the core's description.
void print_description(Address address);

}  // namespace memspy::defects
