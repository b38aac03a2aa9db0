// SPDX-License-Identifier: GPL-2.0-or-later
//
// The variables that an OpenMP construct shares, as GCC hands them to the function of the construct: copied
// to a structure without a name, to which the function's only parameter points.
#pragma once

#include "dwarf/sections.h"
#include "dwarf/variables.h"
#include "rt/text.h"

namespace memspy::dwarf {

// Appends the variable that has `bytes` bytes at `offset` in the structure: "sum", "box.x". `pc`: of the
// function, a link-time address. False if it is not known.
bool add_captured(rt::Text& text, const Sections& sections, u64 pc, u64 offset, u64 bytes);

// Calls f for each variable in the structure; `from_end` is its offset there, and `is_address` is set where the
// structure has its address only.
bool for_each_captured(const Sections& sections, u64 pc, void (*f)(const ListedVariable&, void*),
                       void* argument);

}  // namespace memspy::dwarf
