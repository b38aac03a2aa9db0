// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two sets of named figures, before and after: new, gone and changed ones. The callers that collect them
// choose names that stay the same in another build.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "report/table.h"

namespace memspy::report {

// The name under which a thing is found again in another build, and what reports call it.
struct LastingName {
    std::string key;
    std::string label;
};

// Where most of a figure comes from; empty parts are not known.
struct FigurePlace {
    std::string object, function, dir, file;
    u64 line = 0;
};

struct FigureValue {
    u64 value = 0;
    double error = 0;                   // of a score, its standard error in units of kScore
    std::map<std::string, u64> labels;  // with their shares: two blocks of one function have one key
    FigurePlace place;
    u64 at_place = 0;
    // The user can change it: a difference in what is the system's alone is shown, and is no failure.
    bool own = true;
    // Of several runs, the least; `value` is the greatest.
    u64 least = 0;

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

    void add(const LastingName& name, u64 value, bool own = true, const FigurePlace& place = {}) {
        const auto [at, is_new] = by_name.try_emplace(name.key);
        FigureValue& figure = at->second;
        figure.own = own || (!is_new && figure.own);
        figure.value += value;
        figure.labels[name.label] += value;
        if (value <= figure.at_place) return;
        figure.at_place = value;
        figure.place = place;
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

// The figures of several runs as one: of each the interval of what they have.
Figures interval_of(const std::vector<Figures>& runs);

// A difference that the options count as a failure.
struct Regression {
    std::string of, what;
    u64 before = 0, after = 0;  // before: 0 if it is new
    FigurePlace place;
};

// Prints the differences, and returns the failures. What lies in the interval of `before` does not differ.
std::vector<Regression> print_differences(const Figures& before, const Figures& after,
                                          const DiffOptions& options, std::ostream& out);

}  // namespace memspy::report
