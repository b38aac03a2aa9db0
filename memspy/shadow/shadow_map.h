// SPDX-License-Identifier: GPL-2.0-or-later
//
// ShadowMap: address -> state, two bits per client byte.
//
// A table of 2^21 pointers, one per 64 KiB of the 128 GiB that Valgrind gives to a client, points to
// leaves of 16 KiB. Memory that nobody tracks has state Fine = 0 everywhere, and all its entries point
// to one shared leaf of zeros, so it costs neither memory nor a test of its own: generated code loads
// the state and tests it against zero, whatever it is. Addresses above 128 GiB wrap into the table; a
// client cannot own memory there, so what it finds is Fine and the access itself will fault.
//
// Generated code reads the table directly (see instrument/), so the layout below is its contract:
//   leaf  = primary()[(address >> kLeafBits) & kIndexMask]
//   state = (leaf[(address & kLeafMask) >> 2] >> 2 * (address & 3)) & 3
// and may *store* zero (Fine) into any leaf, the shared one included.
// Each leaf is followed by kLeafPad bytes of ones: a wide load of states that runs over the leaf's end
// sees "not fine" and takes the slow path.
#pragma once

#include "rt/base.h"

namespace memspy::shadow {

enum class State : u8 {
    Fine = 0,           // defined, or not tracked
    Uninitialised = 1,  // addressable, at least one bit was never written
    Freed = 2,          // part of a block that was freed and is not yet reused
    Unaddressable = 3   // red zone, or never handed out
};
// The upper bit of a state alone tells that an access is invalid.
inline constexpr u8 kInvalidBit = 2;

inline constexpr unsigned kLeafBits = 16;
inline constexpr unsigned kAddressBits = 37;
inline constexpr u64 kLeafMask = (u64{1} << kLeafBits) - 1;
inline constexpr u64 kIndexMask = (u64{1} << (kAddressBits - kLeafBits)) - 1;
inline constexpr usize kLeafBytes = usize{1} << (kLeafBits - 2);
inline constexpr usize kLeafPad = 16;

void initialise();
u8** primary();

State get(Address a);
void set(Address a, State state);
// The states of `count` <= 32 bytes from `a`, two bits each, lowest address in the lowest bits.
u64 get_bits(Address a, unsigned count);
void set_range(Address begin, usize bytes, State state);
// Copies states; ranges may overlap as for memmove.
void copy_range(Address to, Address from, usize bytes);
// The first byte in [begin, begin + bytes) whose state has a bit of `mask` in it (1 uninitialised,
// 2 invalid, 3 either... as State values), or `bytes` when there is none: an offset.
usize find_first(Address begin, usize bytes, u8 mask);

usize leaf_count();  // leaves in memory, for statistics and tests

}  // namespace memspy::shadow
