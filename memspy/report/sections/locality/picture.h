// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pictures of an object's accesses: time from left to right, its bytes from top to bottom, reads and writes
// apart.
#pragma once

#include <span>
#include <vector>

#include "report/sections/locality/records.h"

namespace memspy::report::locality {

enum class Use : u8 { Read, Write };

// The sum of maps of one object, which may have cells of different sizes: those of merged runs do.
class Picture {
public:
    static constexpr u32 kMostColumns = 512, kMostRows = 256;

    explicit Picture(std::span<const AccessMap* const> maps);

    u32 columns() const { return columns_; }
    u32 rows() const { return rows_; }
    u64 begin() const { return begin_; }  // of the first column, in instructions
    u64 step() const { return step_; }    // of a column
    u64 first_byte() const { return first_byte_; }
    u64 row_bytes() const { return row_bytes_; }
    // About how many accesses.
    u64 at(Use use, u32 column, u32 row) const { return cells_[index(use, column, row)]; }
    u64 most() const;
    u64 accesses(Use use) const;
    // The same with at most so many columns and rows.
    Picture smaller(u32 columns, u32 rows) const;

private:
    Picture() = default;
    std::size_t index(Use use, u32 column, u32 row) const {
        return ((use == Use::Write ? rows_ : 0) + row) * std::size_t{columns_} + column;
    }
    void add(const AccessMap& map, Use use);

    u64 begin_ = 0, step_ = 1, first_byte_ = 0, row_bytes_ = 1;
    u32 columns_ = 0, rows_ = 0;
    std::vector<u64> cells_;
};

}  // namespace memspy::report::locality
