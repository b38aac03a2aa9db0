// SPDX-License-Identifier: GPL-2.0-or-later
//
// Statements whose value is not used. VEX leaves out loads, too, but a program may need such a load for its fault:
// the JVM uses one to find out what the kernel passes to a signal handler.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// Makes them no statements. The value of an unused load is written to a word of the guest state that nothing reads.
// Returns the same block if there are no such loads.
IRSB* remove_dead_code(IRSB* block);

}  // namespace memspy::instrument
