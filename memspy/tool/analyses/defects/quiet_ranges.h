// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ranges in which the program wants no report of an invalid access
// (VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE), beside those of --ignore-ranges. System calls and checks
// by request are reported there, too, as in Memcheck.
#pragma once

#include "rt/base.h"

namespace memspy::defects {

// False when the range is empty. A range may be enabled in part.
bool disable_reports(Address begin, usize bytes);
bool enable_reports(Address begin, usize bytes);

// For slow paths.
bool is_quiet(Address a);

// Warns of ranges that are still disabled: most programs mean to enable them again.
void warn_of_quiet_ranges();

}  // namespace memspy::defects
