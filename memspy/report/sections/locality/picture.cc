// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/locality/picture.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace memspy::report::locality {
namespace {

// A file may say anything. Beyond this, sums could overflow.
constexpr u64 kFarthest = u64{1} << 62, kLargest = u64{1} << 50;

bool makes_sense(const AccessMap& map) {
    return map.begin < kFarthest && map.first_byte < kFarthest && map.step - 1 < kLargest &&
           map.row_bytes - 1 < kLargest;
}

// Takes a number off the text; `otherwise` where there is none.
u64 take_number(Text& text, u64 otherwise) {
    u64 value = otherwise;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{} ? value : otherwise;
}

// In the middle of what the letter stands for; 0 for a dot and for what is no letter.
u64 accesses_of(char letter) {
    u32 power = 0;
    if (letter >= 'A' && letter <= 'Z')
        power = static_cast<u32>(letter - 'A');
    else if (letter >= 'a' && letter <= 'f')
        power = static_cast<u32>(letter - 'a') + 26;
    else
        return 0;
    return power == 0 ? 1 : u64{3} << (power - 1);
}

// Calls f(first row, last row, first column, columns, accesses) for each run of equal cells.
template <typename F>
void for_each_run(Text text, F f) {
    while (!text.empty()) {
        Text row = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(row.size() + 1, text.size()));
        const u64 first = take_number(row, 0);
        u64 last = first;
        if (row.starts_with('-')) {
            row.remove_prefix(1);
            last = take_number(row, first);
        }
        if (!row.starts_with(':') || last >= Picture::kMostRows) continue;
        row.remove_prefix(1);
        for (u64 column = 0; !row.empty() && column < Picture::kMostColumns;) {
            const u64 length = std::min<u64>(take_number(row, 1), Picture::kMostColumns - column);
            if (row.empty()) break;
            if (const u64 accesses = accesses_of(row.front()); accesses != 0)
                f(first, last, column, length, accesses);
            row.remove_prefix(1);
            column += length;
        }
    }
}

}  // namespace

Picture::Picture(std::span<const AccessMap* const> maps) {
    u64 end = 0, end_byte = 0;
    bool any = false;
    for (const AccessMap* map : maps) {
        if (!makes_sense(*map)) continue;
        begin_ = any ? std::min(begin_, map->begin) : map->begin;
        first_byte_ = any ? std::min(first_byte_, map->first_byte) : map->first_byte;
        step_ = std::max(step_, map->step);
        row_bytes_ = std::max(row_bytes_, map->row_bytes);
        any = true;
        for (const Text text : {map->read, map->written})
            for_each_run(text, [&](u64, u64 last, u64 column, u64 length, u64) {
                end = std::max(end, map->begin + (column + length) * map->step);
                end_byte = std::max(end_byte, map->first_byte + (last + 1) * map->row_bytes);
            });
    }
    if (end == 0) return;
    const auto cells = [](u64 length, u64& each, u32 most) {
        while ((length - 1) / each >= most) each *= 2;
        return static_cast<u32>((length - 1) / each) + 1;
    };
    columns_ = cells(end - begin_, step_, kMostColumns);
    rows_ = cells(end_byte - first_byte_, row_bytes_, kMostRows);
    cells_.resize(std::size_t{columns_} * rows_ * 2);
    for (const AccessMap* map : maps) {
        if (!makes_sense(*map)) continue;
        add(*map, Use::Read);
        add(*map, Use::Write);
    }
}

void Picture::add(const AccessMap& map, Use use) {
    for_each_run(use == Use::Read ? map.read : map.written, [&](u64 first, u64 last, u64 column, u64 length,
                                                                u64 accesses) {
        for (u64 row = first; row <= last; ++row)
            for (u64 c = column; c < column + length; ++c) {
                const u64 to_row = (map.first_byte + row * map.row_bytes - first_byte_) / row_bytes_;
                const u64 to_column = (map.begin + c * map.step - begin_) / step_;
                cells_[index(use, static_cast<u32>(to_column), static_cast<u32>(to_row))] += accesses;
            }
    });
}

u64 Picture::most() const { return cells_.empty() ? 0 : *std::max_element(cells_.begin(), cells_.end()); }

u64 Picture::accesses(Use use) const {
    const auto half = cells_.begin() + static_cast<std::ptrdiff_t>(cells_.size() / 2);
    return use == Use::Read ? std::accumulate(cells_.begin(), half, u64{0})
                            : std::accumulate(half, cells_.end(), u64{0});
}

Picture Picture::smaller(u32 columns, u32 rows) const {
    const u32 wide = (columns_ + columns - 1) / columns, high = (rows_ + rows - 1) / rows;
    if (wide <= 1 && high <= 1) return *this;
    Picture result;
    result.begin_ = begin_;
    result.step_ = step_ * wide;
    result.first_byte_ = first_byte_;
    result.row_bytes_ = row_bytes_ * high;
    result.columns_ = (columns_ + wide - 1) / wide;
    result.rows_ = (rows_ + high - 1) / high;
    result.cells_.resize(std::size_t{result.columns_} * result.rows_ * 2);
    for (const Use use : {Use::Read, Use::Write})
        for (u32 row = 0; row < rows_; ++row)
            for (u32 column = 0; column < columns_; ++column)
                result.cells_[result.index(use, column / wide, row / high)] += at(use, column, row);
    return result;
}

}  // namespace memspy::report::locality
