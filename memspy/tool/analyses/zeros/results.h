// SPDX-License-Identifier: GPL-2.0-or-later
//
// The results so far, by instruction and by object. See DESIGN.md.
#pragma once

#include "analyses/zeros/code_report.h"

namespace memspy::zeros {

bool counts_code();  // whether loads are counted by instruction

// Computes the results, in place of earlier ones.
void settle();
const CodeReport* code_report();  // as of the last settle(); null if loads are not counted by instruction

}  // namespace memspy::zeros
