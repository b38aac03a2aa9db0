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

// The name under which a thing is found again in another build, and what reports call it.
struct LastingName {
    std::string key;
    std::string label;
};

struct FigureValue {
    u64 value = 0;
    double error = 0;                   // of a score, its standard error in units of kScore
    std::map<std::string, u64> labels;  // with their shares: two blocks of one function have one key

    // The label with most, and how many others there are.
    std::string shown() const;
};

// What a score of 1 is as a figure's value.
inline constexpr u64 kScore = 100'000;

struct Figures {
    std::string of;     // "objects, by modelled events"
    std::string table;  // its name in TSV
    std::map<std::string, FigureValue> by_name;
    // They are scores from 0 to 1, of which more is better, and not counts.
    bool are_scores = false;

    void add(const LastingName& name, u64 value) {
        FigureValue& figure = by_name[name.key];
        figure.value += value;
        figure.labels[name.label] += value;
    }
    void add(const std::string& name, u64 value) { add(LastingName{name, name}, value); }
};

struct DiffOptions {
    u64 floor = 1;    // figures that are smaller on both sides are left out
    u64 percent = 0;  // counts that changed by no more than this are left out
    bool fail_on_new = false;
    bool fail_on_regress = false;
    u64 regress_percent = 0;
    TableFormat format = TableFormat::Plain;
};

// Prints the differences. Returns true if there is one that the options count as a failure.
bool print_differences(const Figures& before, const Figures& after, const DiffOptions& options,
                       std::ostream& out);

}  // namespace memspy::report
