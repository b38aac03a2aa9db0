// SPDX-License-Identifier: GPL-2.0-or-later
//
// Byte marks: the history of loads of each byte of the client's memory. Each byte has two bits, those of the
// lowest address in the lowest bits. Bit 0: the byte was loaded. Bit 1: at some load the byte was not
// redundant but *significant*; it is never set without bit 0. Marks are only set, until the memory gets a new
// owner, so marking a load twice does no harm.
//
// Every 32 bytes have a *tally* beside their marks: how many bytes all loads of them have read, and how many
// of these were redundant then. Tallies say how much a few other values matter, and when they were there.
//
// Generated code sets the bits itself without a branch (instrument/zeros/zero_bytes.h). So every address it
// can reach must have marks: leaves, each for 64 MiB of addresses, in a table indexed by the address. A leaf
// only reserves address space; pages become real where something is loaded. Addresses outside the client's
// memory share one leaf that is never read. A load that crosses two leaves is marked only in the first.
#pragma once

#include "rt/base.h"

namespace memspy::instrument {

inline constexpr unsigned kMarkLeafBits = 26;
inline constexpr unsigned kMarkAddressBits = kClientAddressBits;
inline constexpr u64 kMarkIndexMask = (u64{1} << (kMarkAddressBits - kMarkLeafBits)) - 1;
inline constexpr u64 kMarkLeafMask = (u64{1} << kMarkLeafBits) - 1;
// Leaves are read and written in whole words that start at any byte.
inline constexpr usize kMarkLeafPad = 64;

// Bytes loaded in the low half, redundant ones of them in the high half. Who reads tallies must do so before
// a half overflows.
inline constexpr unsigned kTallyBits = 5;
inline constexpr u64 kTallyBytes = u64{1} << kTallyBits;
constexpr u64 tally_of(u32 loaded, u32 redundant) { return loaded | u64{redundant} << 32; }
// Behind the marks of a leaf.
inline constexpr usize kTalliesAt = (usize{1} << (kMarkLeafBits - 2)) + kMarkLeafPad;

inline constexpr u64 kLoadedBits = 0x5555'5555'5555'5555u;

// The marks of a load of `bytes` <= 8 bytes; bit i of `significant` belongs to byte i.
constexpr u32 marks_of(u32 bytes, u32 significant) {
    u32 marks = 0;
    for (u32 i = 0; i < bytes; ++i) marks |= (1u | (significant >> i & 1) << 1) << 2 * i;
    return marks;
}

void initialise_marks();
// Gives [begin, begin + bytes) marks of its own. Call it when memory becomes the client's.
void make_markable(Address begin, usize bytes);
// The table of leaf addresses, with kMarkIndexMask + 1 entries. The marks of address a begin at bit 2 * (a &
// 3) of byte (a & kMarkLeafMask) >> 2 of its leaf, its tally at byte kTalliesAt + ((a & kMarkLeafMask) >> 5
// << 3).
u64* mark_leaves();

// ORs the marks of up to 8 bytes into the marks at `a`.
void mark(Address a, u32 marks);
// The marks of the eight bytes at `a`.
u32 marks_at(Address a);
// The first address from `from` on that may have a mark, or `end`.
Address next_marked(Address from, Address end);
// With the tallies that lie wholly inside.
void clear_marks(Address begin, Address end);

// Takes `part` of `whole` parts away from the tally that `a` belongs to.
u64 take_tally(Address a, u32 part = 1, u32 whole = 1);

}  // namespace memspy::instrument
