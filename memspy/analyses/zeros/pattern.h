// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the zeros of a block of memory are: how it is made of rows that are zero or not, and which bytes of a
// repeated element are always redundant. Looks at byte marks only.
#pragma once

#include "rt/base.h"

namespace memspy::zeros {

// How many of some parts had a byte that was accessed, and how many of these no significant one.
struct ZeroShare {
    u64 accessed = 0, zero = 0;
};

struct RowPattern {
    u64 stride = 0;  // bytes; 0: no stride found
    ZeroShare share;
};
// Cuts [begin, end) into rows. The stride is the one at which storing only the rows that are not zero takes
// fewest bytes, kRowCost being charged for each row there is; of candidates, which are the distances at which
// runs of zeros and runs of other words start, and the powers of two. Each wide run must be at least
// kLeastRow long to count.
inline constexpr u64 kRowCost = 16;
inline constexpr u64 kLeastRow = 64;
RowPattern find_rows(Address begin, Address end);
// Of the stride given.
ZeroShare count_rows(Address begin, Address end, u64 stride);

inline constexpr u32 kMostColumns = 256;
struct Columns {
    u32 stride = 0;  // bytes; 0: no stride found
    u64 redundant[kMostColumns / 64] =
        {};  // bit i: byte i of each element was redundant wherever it was accessed

    bool is_redundant(u32 i) const { return (redundant[i / 64] >> i % 64 & 1) != 0; }
    void set_redundant(u32 i) { redundant[i / 64] |= u64{1} << i % 64; }
};
// The smallest element size such that nearly all redundant bytes are in columns that are redundant
// throughout. None when all bytes are redundant, or none.
Columns find_columns(Address begin, Address end);

}  // namespace memspy::zeros
