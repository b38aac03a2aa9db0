// SPDX-License-Identifier: GPL-2.0-or-later
//
// The defects analysis as a whole: registration with the core, start, end.
#pragma once

namespace memspy::defects {

void register_with_core();  // before the command line is read
void start();               // after it
void finish();              // at the end of the run: leaks, summaries

// While instrumentation is off nobody sees what the program writes: takes all memory and all registers for
// written. Call then before anybody asks what is defined, and when it is switched on again.
void define_what_was_not_seen();

}  // namespace memspy::defects
