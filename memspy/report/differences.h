// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two sets of named figures, before and after: new, gone and changed ones. The callers that collect them
// choose names that stay the same in another build.
#pragma once

#include <map>
#include <ostream>
#include <string>

#include "report/table.h"

namespace memspy::report {

struct FigureValue {
    u64 value = 0;
    std::string shown;  // name in texts
};

struct Figures {
    std::string of;     // "objects, by modelled events"
    std::string table;  // its name in TSV
    std::map<std::string, FigureValue> by_name;

    void add(const std::string& name, u64 value) {
        FigureValue& figure = by_name[name];
        figure.value += value;
        figure.shown = name;
    }
};

struct DiffOptions {
    u64 floor = 1;    // figures that are smaller on both sides are left out
    u64 percent = 0;  // figures that changed by no more than this are left out
    bool fail_on_new = false;
    bool fail_on_regress = false;
    u64 regress_percent = 0;
    TableFormat format = TableFormat::Plain;
};

// Prints the differences. Returns true if there is one that the options count as a failure.
bool print_differences(const Figures& before, const Figures& after, const DiffOptions& options,
                       std::ostream& out);

}  // namespace memspy::report
