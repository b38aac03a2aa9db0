// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loads with redundant zeros in words. No Valgrind here.
#pragma once

#include "analyses/zeros/code_report.h"
#include "rt/text.h"

namespace memspy::zeros {

// "8-byte integer", "double x 2", "4-byte integer?" if the type is not known.
void add_type(rt::Text& text, ValueType type);
// "1,000 loads; 87.5% of their bytes are redundant zeros, 0.4% of the values are zero; 12.0% of …"
void add_figures(rt::Text& text, const LoadRow& row, const KindTotals& totals);

// All redundant cells of the program, the base of shares.
inline u64 all_redundant(const KindTotals& totals) {
    return totals.integer.redundant + totals.floating.redundant;
}

}  // namespace memspy::zeros
