// SPDX-License-Identifier: GPL-2.0-or-later
//
// Byte marks: the history of loads of each byte of the client's memory. Two bits a byte, lowest
// address in the lowest bits: it was loaded (bit 0), and at some load it was not redundant, *significant*
// (bit 1, never without bit 0). Both are only ever set, until the memory gets a new owner, so it does no harm
// to mark a load twice.
//
// Generated code sets the bits itself (instrument/zero_bytes.h), with no branch, so that what it can reach
// must have marks of its own: leaves, each for 64 MiB of addresses, in a table that is indexed by the
// address. A leaf is address space only; it becomes memory, page by page, where something is loaded.
// Addresses that are nobody's share one leaf that is never read. A load that goes across two leaves is marked
// in the first one only.
#pragma once

#include "rt/base.h"

namespace memspy::instrument {

inline constexpr unsigned kMarkLeafBits = 26;
inline constexpr unsigned kMarkAddressBits = 37;  // as the shadow memory has it
inline constexpr u64 kMarkIndexMask = (u64{1} << (kMarkAddressBits - kMarkLeafBits)) - 1;
inline constexpr u64 kMarkLeafMask = (u64{1} << kMarkLeafBits) - 1;
// Leaves are read and written by whole words from any byte on.
inline constexpr usize kMarkLeafPad = 64;

inline constexpr u64 kLoadedBits = 0x5555'5555'5555'5555u;

// The marks of `bytes` <= 8 bytes that were loaded; bit i of `significant` is byte i's.
constexpr u32 marks_of(u32 bytes, u32 significant) {
    u32 marks = 0;
    for (u32 i = 0; i < bytes; ++i) marks |= (1u | (significant >> i & 1) << 1) << 2 * i;
    return marks;
}

void initialise_marks();
// Gives [begin, begin + bytes) marks of its own; for memory that becomes the client's.
void make_markable(Address begin, usize bytes);
// kMarkIndexMask + 1 addresses of leaves. The marks of address a begin at bit 2 * (a & 3) of byte
// (a & kMarkLeafMask) >> 2 of its leaf.
u64* mark_leaves();

// ORs `marks` of up to 8 bytes into those from `a` on.
void mark(Address a, u32 marks);
// The marks of the eight bytes from `a` on.
u32 marks_at(Address a);
// The first address at or behind `from` that may have a mark, or `end`.
Address next_marked(Address from, Address end);
void clear_marks(Address begin, Address end);

void reset_marks();  // for tests

}  // namespace memspy::instrument
