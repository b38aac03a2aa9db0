// SPDX-License-Identifier: GPL-2.0-or-later
//
// Byte marks: the history of loads of each byte of the client's memory. Each byte has two bits, those of the
// lowest address in the lowest bits. Bit 0: the byte was loaded. Bit 1: at some load the byte was not
// redundant but *significant*; of integers it is never set without bit 0. Marks are only set, until the
// memory gets a new owner, so marking a load twice does no harm.
//
// Floats have other cells than bytes (element.h), and all bytes of one are loaded at once. So of a double,
// bits 0 are set for bytes 0 and 7; for bytes 2 and 4, if the high cell of the exponent and the sign are
// significant. Bits 1 are those of the mantissa's cells and of the low cell of the exponent. Of a float, bits
// 0 are set for bytes 0 and 3; for byte 2, if the sign is significant; bits 1 are those of the mantissa and
// the exponent. What is also loaded as an integer, or at an odd address, has all bits 0 and counts by bytes.
// Where single bytes are loaded with a stride, or all but some of an odd one, some look like floats, and
// others around them show it.
//
// Every 32 bytes have a *tally* beside their marks: how many cells all loads of them have read, and how many
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

// Cells loaded in the low half, redundant ones of them in the high half. Who reads tallies must do so before
// a half overflows.
inline constexpr unsigned kTallyBits = 5;
inline constexpr u64 kTallyBytes = u64{1} << kTallyBits;
constexpr u64 tally_of(u32 loaded, u32 redundant) { return loaded | u64{redundant} << 32; }
// Behind the marks of a leaf.
inline constexpr usize kTalliesAt = (usize{1} << (kMarkLeafBits - 2)) + kMarkLeafPad;

inline constexpr u32 kCellsOfDouble = 10, kCellsOfFloat = 5;
inline constexpr u64 kDoubleMark = 1 | 1 << 14, kDoubleMask = 0x5445;  // of bytes 0, 7; and of 1, 3, 5, 6
inline constexpr u64 kFloatMark = 1 | 1 << 6, kFloatMask = 0x45;       // of bytes 0, 3; and of 1
inline constexpr u32 kHighExponentOfDouble = 4, kSignOfDouble = 8, kSignOfFloat = 4;

inline constexpr u64 kLoadedBits = 0x5555'5555'5555'5555u;

// The marks of a load of `bytes` <= 8 bytes; bit i of `significant` belongs to byte i.
constexpr u32 marks_of(u32 bytes, u32 significant) {
    u32 marks = 0;
    for (u32 i = 0; i < bytes; ++i) marks |= (1u | (significant >> i & 1) << 1) << 2 * i;
    return marks;
}

// Addresses behind the client's, for marks of memory that is gone: no load reaches them.
inline constexpr Address kKeptMarks = Address{1} << kMarkAddressBits;
inline constexpr usize kKeptMarkLeaves = 16;
inline constexpr Address kEndOfKeptMarks = kKeptMarks + (kKeptMarkLeaves << kMarkLeafBits);

void initialise_marks();
// Gives [begin, begin + bytes) marks of its own. Call it when memory becomes the client's.
void make_markable(Address begin, usize bytes);
// The table of leaf addresses, with kMarkIndexMask + 1 entries. The marks of address a begin at bit 2 * (a &
// 3) of byte (a & kMarkLeafMask) >> 2 of its leaf, its tally at byte kTalliesAt + ((a & kMarkLeafMask) >> 5
// << 3).
u64* mark_leaves();

// ORs the marks of up to 8 bytes into the marks at `a`.
void mark(Address a, u32 marks);
// Moves all marks of [begin, end) and their share of the tallies to what begins at `to`, where they are added
// to others. `begin` and `to` are multiples of 16.
void move_marks(Address begin, Address end, Address to);
// The marks of the eight bytes at `a`; also those of floats, by bytes, as if these had been loaded so. Where a cell
// does not show which of its bytes is significant, both are.
u32 marks_at(Address a);
// The cells that were loaded in [begin, end), and those that were redundant at each load.
struct CellCounts {
    u64 loaded = 0, redundant = 0;
};
CellCounts cells_between(Address begin, Address end);
// The first address from `from` on that may have a mark, or `end`.
Address next_marked(Address from, Address end);
// The same behind the eight bytes at `a`, of which marks have been read.
inline Address next_after(Address a, Address end) {
    a += 8;
    return a % kTallyBytes < 8 || a >= end ? next_marked(a, end) : a;
}
// With the tallies that lie wholly inside.
void clear_marks(Address begin, Address end);

// Takes `part` of `whole` parts away from the tally that `a` belongs to.
u64 take_tally(Address a, u32 part = 1, u32 whole = 1);

}  // namespace memspy::instrument
