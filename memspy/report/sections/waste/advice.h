// SPDX-License-Identifier: GPL-2.0-or-later
//
// What can be changed where counts prove it: a sentence for each line of the program's own code that wastes
// much, and little else.
#pragma once

#include <string>
#include <vector>

#include "report/sections/waste/line_sums.h"

namespace memspy::report::waste {

struct LineAdvice {
    u32 kind = 0;    // WasteKindIndex
    u64 bytes = 0;   // wasted
    u64 amount = 0;  // of all that the program stored, or loaded: millionths
    std::string function, line, object, text;
};

// Most of all first. `is_optimised`: see line_sums.h.
std::vector<LineAdvice> advice_on(const LineSums& sums, const Total& total, bool is_optimised);

}  // namespace memspy::report::waste
