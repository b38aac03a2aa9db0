// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of the program that is measured: functions of --locality-from, and what they call.
#pragma once

#include "analyses/locality/names.h"
#include "threads/thread.h"

namespace memspy::locality {

// `functions`: a pattern with * and ?, which stays where it is. "*" is all of the program.
void set_region(const char* functions);
extern const char* region_pattern;  // null: all
inline bool is_all_measured() { return region_pattern == nullptr; }
// Whether an access there belongs to it.
bool is_in_region(threads::CallPath path, const CodeName& code);
// Whether one did so far.
bool was_in_region();

}  // namespace memspy::locality
