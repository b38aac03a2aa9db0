// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables for a terminal: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "report/fields.h"

namespace memspy::report {

class Table {
public:
    struct Column {
        std::string title;
        bool is_text = false;  // to the left; the last column is not filled up
    };
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }
    void print(std::ostream& out) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

std::string with_commas(u64 value);
// `12.3 %`; empty where there is no whole.
std::string percent(u64 part, u64 whole);

}  // namespace memspy::report
