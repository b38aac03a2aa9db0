// SPDX-License-Identifier: GPL-2.0-or-later
//
// How a figure is spread over ranks, in a size that does not grow with their number: the ranks as runs, the
// number of ranks in each class of values, and the ranks with the eight least and the eight greatest values.
// All of it is exact in any order and grouping of merges. The median of up to sixteen ranks is exact, that of
// more is known to 6 %.
//
// Classes: a value below 16 has its own; above, eight divide each doubling.
#pragma once

#include <string>
#include <vector>

#include "report/sections/ranks/records.h"

namespace memspy::report::ranks {

// Found by the merge (folding.h).
void fold(RankSet& into, const RankSet& from);
void fold(ValueClasses& into, const ValueClasses& from);
void fold(LeastValues& into, const LeastValues& from);
void fold(MostValues& into, const MostValues& from);

// One rank's value.
void set_value(Finding& finding, u64 rank, u64 value);

struct Spread {
    u64 ranks = 0;
    u64 least = 0, median = 0, most = 0;
    // Rank and value: farther from the quartiles than three times their distance. `more`: perhaps not all of
    // them.
    std::vector<NumberPair> outliers;
    bool more = false;
};
Spread spread_of(const Finding& finding);

u64 class_of_value(u64 value);
// "0-3, 7".
std::string text_of(const RankSet& set);

}  // namespace memspy::report::ranks
