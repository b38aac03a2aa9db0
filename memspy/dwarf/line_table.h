// SPDX-License-Identifier: GPL-2.0-or-later
//
// The line number program of a compilation unit (DWARF 5, section 6.2), as far as columns need it: the core keeps lines and
// files only.
#pragma once

#include "dwarf/sections.h"

namespace memspy::dwarf {

// The column of the code at `pc`; `table`: the unit's offset in .debug_line. 0: not known.
u64 column_at(const Sections& sections, u64 table, u64 pc);

}  // namespace memspy::dwarf
