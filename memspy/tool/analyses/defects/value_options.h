// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options of this analysis that are more than one value.
#pragma once

#include "options.h"

namespace memspy::defects {

void check_options(Options& chosen);

// Is `a` inside one of --ignore-ranges, or of --ignore-range-below-sp? Only for slow paths.
bool is_ignored(Address a);

}  // namespace memspy::defects
