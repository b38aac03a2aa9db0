// SPDX-License-Identifier: GPL-2.0-or-later
//
// The clause of an OpenMP directive that a race shows to be missing.
#pragma once

#include "analyses/races/detector_host.h"
#include "rt/text.h"

namespace memspy::races {

// `reduction(+:sum)`, `reduction(max:best)` or `private(k)` for the variable of that name (`sum`, or `k of main`);
// nothing if no clause is known to fit. `on_stack`: a construct shares a function's variable.
void add_omp_clause(rt::Text& text, const RacingPair& pair, const char* variable, bool on_stack);

}  // namespace memspy::races
