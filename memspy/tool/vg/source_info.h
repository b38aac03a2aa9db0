// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which modules' debug information the core reads: for lines of code, and for the calls that were inlined in
// their functions. Nearly all of the time is for the C library: the lines take a fourth of a short run
// without inlined calls, those another fifth. Symbols, and what frames are unwound by, are always read.
#pragma once

namespace memspy::vg {

// The inlined calls of modules outside the system's folders. Call before the command line is read, which may
// say that none is.
void read_inlined_calls();
// Those in the system's folders, too, and their lines. Call before the program's first module is loaded.
void read_inlined_calls_of_system();
// Their lines alone; those of other modules are always read.
void read_lines_of_system();

}  // namespace memspy::vg
