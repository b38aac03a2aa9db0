// SPDX-License-Identifier: GPL-2.0-or-later
//
// ShadowMap: address -> state, two bits per client byte.
//
// A table with one entry for each 16 KiB of the 128 GiB that Valgrind gives to a client leads to leaves of 4
// KiB. Small ones, because a heap's slabs are partly unused or freed: with leaves of 16 KiB two thirds of the
// shadow of python3 and of Ghostscript held one state. An entry is the leaf's distance from a leaf in static
// memory, the *fine* leaf, which is all zeros (State Fine) and serves all memory that is not tracked. So the
// table starts as zeros, costs nothing until it is written, and generated code adds the fine leaf's address
// as a constant of the addressing mode. Addresses above 128 GiB wrap around in the table; only a client that
// demands such an address by MAP_FIXED owns memory there (vg/low_memory.cc).
//
// Generated code reads the table directly (see instrument/), so it depends on this layout:
//   leaf  = shared_leaf() + primary_table()[(address >> kLeafBits) & kIndexMask]       (mod 2^64)
//   state = (leaf[(address & kLeafMask) >> 2] >> 2 * (address & 3)) & 3
// It may *store* zero (Fine) over states that it found to be Fine or Uninitialised, in any leaf. Each leaf is
// followed by kLeafPad bytes, its *pad*. They are ones: a wide load of states beyond the leaf's end finds
// "not fine" and takes the slow path. That calls reveal_beyond(), which makes those bytes of the pad zero
// whose states in the next leaf are Fine. They are ones again before any of these can become worse.
//
// Three more shared leaves stand for 16 KiB that are wholly Uninitialised, Freed or Unaddressable, so that a
// block of gigabytes costs no shadow until it is used. Generated code reads Unaddressable from all three and
// so never writes to them; the functions below know their true state. A slow path that finds no fault must
// call materialise() for the accessed bytes before generated code tries again.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"
#include "shadow/state.h"

namespace memspy::shadow {

inline constexpr unsigned kLeafBits = 14;
inline constexpr unsigned kAddressBits = kClientAddressBits;
inline constexpr u64 kLeafMask = (u64{1} << kLeafBits) - 1;
inline constexpr u64 kIndexMask = (u64{1} << (kAddressBits - kLeafBits)) - 1;
inline constexpr usize kLeafBytes = usize{1} << (kLeafBits - 2);
inline constexpr usize kLeafPad = 16;
inline constexpr usize kRevealedBytes = 8;  // of a pad, at most: generated code loads eight bytes of states
// Whole leaves that become Freed or Unaddressable always take the shared leaf, because they are not accessed.
// Uninitialised ones take it in ranges of at least this many bytes. With a lower limit, memory would be saved
// only on blocks that are never filled, while each first touch of a leaf would cost a slow path.
inline constexpr usize kLazyBytes = usize{1} << 20;

void initialise();
u64* primary_table();  // kIndexMask + 1 distances from shared_leaf()
u8* shared_leaf();     // the fine leaf, in the tool's static memory

State get(Address a);
void set(Address a, State state);
// The states of `count` <= 32 bytes from `a`, two bits each, lowest address in the lowest bits.
u64 get_bits(Address a, unsigned count);
void set_bits(Address a, unsigned count, u64 states);
void set_range(Address begin, usize bytes, State state);
// Makes the Uninitialised bytes of the range Fine and keeps the states of the others.
void define_range(Address begin, usize bytes);
void define_all();  // the same for all memory
// Copies states; ranges may overlap, as for memmove.
void copy_range(Address to, Address from, usize bytes);
// The offset in [begin, begin + bytes) of the first byte whose state has a bit of `mask` (1 uninitialised or
// unaddressable, kInvalidBit invalid, 3 anything but fine); `bytes` if there is none.
usize find_first(Address begin, usize bytes, u8 mask);
// The number of Uninitialised bytes.
usize count_uninitialised(Address begin, usize bytes);
// Whether the leaf's span from `a` is a shared one of that state.
bool is_wholly(Address a, State state);
// Gives the range leaves of its own in place of shared ones that generated code reads as Unaddressable.
// Returns true if there were any.
bool materialise(Address begin, usize bytes = 1);
// Generated code that checked up to 32 bytes from `a` found something that is not fine. Returns true if there
// was fine memory that it took for something else, because a leaf ends before it; it will not the next time.
bool reveal_beyond(Address a);

// An area of shadow without pads: the leaves of [begin, end), whole ones, are contiguous,
// so that the states of its bytes are at bias + (address >> 2). For stacks, whose code then needs no table. A
// leaf is in use, and generated code may write to it, once own_leaves() has covered it; before that the table
// leads to a shared leaf as usual.
struct Area {
    Address begin = 0, end = 0;
    u64 bias = 0;
};
// No two areas may overlap. The range keeps its states. An area stays for good.
Area make_area(Address begin, Address end);
const rt::Vector<Area>& areas();
const Area* area_at(Address a);  // null if there is none
// Gives the whole range leaves of its own; bytes in shared leaves keep their state.
void own_leaves(Address begin, Address end);

usize leaf_count();  // leaves in use that are not shared, for statistics and tests
// For tests: makes everything fine; keeps the memory for reuse.
void reset();

}  // namespace memspy::shadow
