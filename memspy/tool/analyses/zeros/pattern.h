// SPDX-License-Identifier: GPL-2.0-or-later
//
// The places of the zeros in a block of memory: how it is made of rows that are zero or not, and which bytes
// of a repeated element are always redundant. Uses byte marks only.
#pragma once

#include "rt/base.h"

namespace memspy::zeros {

// How many of some parts had an accessed byte, and how many of these had no significant byte.
struct ZeroShare {
    u64 accessed = 0, zero = 0;
};

struct RowPattern {
    u64 stride = 0;  // bytes; 0: no stride found
    ZeroShare share;
};
// Divides [begin, end) into rows. The stride is the one at which storing only the nonzero rows takes the
// fewest bytes, with kRowCost for each row. The candidates are the distances at which runs of zeros and runs
// of other words start, and the powers of two. Each wide run must be at least kLeastRow long to count.
inline constexpr u64 kRowCost = 16;
inline constexpr u64 kLeastRow = 64;
RowPattern find_rows(Address begin, Address end);
// Counts rows of the given stride.
ZeroShare count_rows(Address begin, Address end, u64 stride);

inline constexpr u32 kMostColumns = 256;
struct Columns {
    u32 stride = 0;  // bytes; 0: no stride found
    u64 redundant[kMostColumns / 64] =
        {};  // bit i: byte i was redundant in every element in which it was accessed

    bool is_redundant(u32 i) const { return (redundant[i / 64] >> i % 64 & 1) != 0; }
    void set_redundant(u32 i) { redundant[i / 64] |= u64{1} << i % 64; }
    void clear_redundant(u32 i) { redundant[i / 64] &= ~(u64{1} << i % 64); }
    bool any() const {
        u64 found = 0;
        for (const u64 word : redundant) found |= word;
        return found != 0;
    }
};
// The smallest element size such that nearly all redundant bytes are in columns that are redundant
// throughout. No stride if all bytes are redundant, or none.
Columns find_columns(Address begin, Address end);
// The columns without those of addresses, whose width is fixed: words that hold nothing else in any element
// (analyses/zeros/client_memory.h). The memory can be read.
Columns without_addresses(Columns columns, Address begin, Address end);

}  // namespace memspy::zeros
