// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/table.h"

#include <algorithm>
#include <cstdio>

namespace memspy::report {
namespace {

// Characters rather than bytes: those that begin one.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void Table::print(std::ostream& out) const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = width_of(columns_[i].title);
        for (const auto& row : rows_) width = std::max(width, width_of(row[i]));
        widths.push_back(width);
    }
    auto line = [&](auto&& cell) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string& text = cell(i);
            const std::string blanks(widths[i] - width_of(text), ' ');
            const bool last = i + 1 == columns_.size();
            if (i > 0) out << "  ";
            if (columns_[i].is_text) {
                out << text << (last ? "" : blanks);
            } else {
                out << blanks << text;
            }
        }
        out << '\n';
    };
    line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
    for (const auto& row : rows_) line([&](std::size_t i) -> const std::string& { return row[i]; });
}

std::string with_commas(u64 value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

std::string percent(u64 part, u64 whole) {
    if (whole == 0) return {};
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%",
                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return text;
}

}  // namespace memspy::report
