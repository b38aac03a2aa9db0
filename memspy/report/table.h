// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables for a terminal: columns as wide as their widest cell, numbers right-aligned.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "report/fields.h"

namespace memspy::report {

// The content of a table's cell: for people, and for programs.
struct Cell {
    std::string shown, plain;
    Cell(std::string text) : shown(text), plain(std::move(text)) {}
    Cell(const char* text) : shown(text), plain(text) {}
    Cell(std::string_view text) : shown(text), plain(text) {}
    Cell(std::string for_people, std::string for_programs)
        : shown(std::move(for_people)), plain(std::move(for_programs)) {}
};
Cell number(u64 value);           // `12,345`; 12345
Cell share(u64 part, u64 whole);  // `12.3 %`; 12.30: hundredths

enum class TableFormat : u8 {
    Plain,
    Tsv  // tab-separated, with a line of names first and a title between tables; docs/report.md
};

class Table {
public:
    struct Column {
        std::string title;
        bool is_text = false;   // left-aligned; the last column is not padded
        std::string name = {};  // the permanent name in TSV; empty: the title
    };
    // `name` is the table's name in TSV.
    Table(std::string name, std::vector<Column> columns)
        : name_(std::move(name)), columns_(std::move(columns)) {}

    void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }
    void print(std::ostream& out, TableFormat format = TableFormat::Plain) const;

private:
    void print_tsv(std::ostream& out) const;

    std::string name_;
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

std::string with_commas(u64 value);
// `0.715 ±0.045`, or `0.715` if there is no error.
std::string with_error(double value, double error, int digits);
// `12.3 %`, rounded, but up to `100.0 %` for the whole only; empty if `whole` is 0.
std::string percent(u64 part, u64 whole);

}  // namespace memspy::report
