// SPDX-License-Identifier: GPL-2.0-or-later
//
// The line number program of a compilation unit (DWARF 5, section 6.2), as far as columns need it: the core
// keeps lines and files only.
#pragma once

#include "dwarf/cursor.h"
#include "dwarf/sections.h"

namespace memspy::dwarf {

// What stands before the tables of folders and files.
struct LineHeader {
    u64 version = 0;           // 0: it cannot be read
    u64 end = 0, program = 0;  // of the unit and its program, in .debug_line
    u64 least_instruction = 0, line_range = 0, first_special = 0;
    FileBytes operands;  // how many the operations have, from 1 on
};
// Reads the header that the cursor is at.
LineHeader read_line_header(Cursor& cursor);

// The column of the code at `pc`; `table`: the unit's offset in .debug_line. 0: not known.
u64 column_at(const Sections& sections, u64 table, u64 pc);

}  // namespace memspy::dwarf
