// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two sets of named figures, before and after: what is new, gone, changed. What the figures are of, and by
// which names they are known again in another build, is up to those who collect them.
#pragma once

#include <map>
#include <ostream>
#include <string>

#include "report/table.h"

namespace memspy::report {

struct FigureValue {
    u64 value = 0;
    std::string shown;  // the thing as people see it
};

struct Figures {
    std::string of;     // "objects, by modelled events"
    std::string table;  // its name in TSV
    std::map<std::string, FigureValue> by_name;
};

struct DiffOptions {
    u64 floor = 1;    // smaller ones on both sides are left out
    u64 percent = 0;  // and what changed by no more than this
    bool fail_on_new = false;
    bool fail_on_regress = false;
    u64 regress_percent = 0;
    TableFormat format = TableFormat::Plain;
};

// Prints the differences. True when there is one that the options ask to fail on.
bool print_differences(const Figures& before, const Figures& after, const DiffOptions& options,
                       std::ostream& out);

}  // namespace memspy::report
