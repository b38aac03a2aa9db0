// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core's reader of lines, for units that cores before 3.22 cannot read: those of split debug information
// (DWARF 5, -gsplit-dwarf), and those with numbers in place of texts and addresses (clang's DWARF 5). It takes
// their bytes for something else, and ends the program where that leads out of the file.
//
// What it needs of a unit is where its line table begins and its folder. Both stand in .debug_line, too. So of
// such a file it gets a .debug_info with nothing else, from a file in memory.
#pragma once

#include "vg/vg.h"

struct _DebugInfo;

namespace memspy::vg {

// A part of a file, as the core hands it on.
struct FilePart {
    void* image;
    u64 offset, bytes;
};
// What the reader gets besides the module, by value. `other_str`: of the file that several share (dwz).
struct LineParts {
    FilePart info, types, abbrev, line, str, other_str, line_str;
};

// Returns whether the core can read all units: its reader of inlined calls needs them to be such.
bool read_lines(_DebugInfo* module, const LineParts& parts);
// By the reader of our own (dwarf/inlined_calls.h), from the module's file: not from one that holds its debug
// information only.
void read_inlined_calls_ourselves(_DebugInfo* module);

}  // namespace memspy::vg
