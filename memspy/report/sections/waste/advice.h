// SPDX-License-Identifier: GPL-2.0-or-later
//
// What can be changed where counts prove it: a sentence for each line of the program's own code that wastes
// much, and little else.
#pragma once

#include <string>
#include <vector>

#include "report/section.h"
#include "report/sections/waste/line_sums.h"

namespace memspy::report::waste {

struct LineAdvice {
    u32 kind = 0;    // WasteKindIndex
    u64 bytes = 0;   // wasted
    u64 amount = 0;  // of all that the program stored, or loaded: millionths
    std::string function, line, object, text;
    StackId place{}, killer{};  // stacks; the second of dead stores alone
};

// Most of all first. `optimised`: is_optimised() of the records. What a sample has counted stands for the whole run.
std::vector<LineAdvice> advice_on(const Catalog& catalog, const WasteRecords& records, SourceNames* names,
                                  bool optimised);

extern const ConclusionKind kAdvice;  // the same in JSON

}  // namespace memspy::report::waste
