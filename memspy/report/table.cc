// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/table.h"

#include <algorithm>
#include <cstdio>

#include "rt/share.h"

namespace memspy::report {
namespace {

// Width in characters rather than bytes: counts the bytes that begin a character.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The index of a stream's own data for the number of its tables.
int tables_of_stream() {
    static const int index = std::ios_base::xalloc();
    return index;
}

}  // namespace

Cell number(u64 value) { return {with_commas(value), std::to_string(value)}; }

Cell share(u64 part, u64 whole) {
    if (whole == 0) return {"", ""};
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return {percent(part, whole), text};
}

std::string with_error(double value, double error, int digits) {
    char text[80];
    const int end = std::snprintf(text, sizeof text, "%.*f", digits, value);
    if (error > 0)
        std::snprintf(text + end, sizeof text - static_cast<std::size_t>(end), " ±%.*f", digits, error);
    return text;
}

// Cells are not quoted: characters that separate cells or rows become blanks.
void Table::print_tsv(std::ostream& out) const {
    auto say = [&](const std::string& text) {
        for (const char c : text) out << (c == '\t' || c == '\n' || c == '\r' ? ' ' : c);
    };
    if (out.iword(tables_of_stream())++ > 0) out << "\n#table\t" << name_ << '\n';
    const char* between = "";
    for (const Column& column : columns_) {
        out << between;
        say(column.name.empty() ? column.title : column.name);
        between = "\t";
    }
    out << '\n';
    for (const auto& row : rows_) {
        between = "";
        for (const Cell& cell : row) {
            out << between;
            say(cell.plain);
            between = "\t";
        }
        out << '\n';
    }
}

void Table::print(std::ostream& out, TableFormat format) const {
    if (format == TableFormat::Tsv) return print_tsv(out);
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = width_of(columns_[i].title);
        for (const auto& row : rows_) width = std::max(width, width_of(row[i].shown));
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
    for (const auto& row : rows_) line([&](std::size_t i) -> const std::string& { return row[i].shown; });
}

std::string with_commas(u64 value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

std::string percent(u64 part, u64 whole) {
    if (whole == 0) return {};
    const u64 tenths = rt::tenths_of_percent(part, whole);
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " %";
}

}  // namespace memspy::report
