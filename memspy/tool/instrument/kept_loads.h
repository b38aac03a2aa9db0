// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loads whose value is not used. The core leaves them out, but a program may need such a load for its fault:
// the JVM uses one to find out what the kernel passes to a signal handler.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// Returns `block` with every load used: the value of an unused load is written to a word of the guest state
// that nothing reads. Returns the same block if there are no unused loads.
IRSB* keep_loads(IRSB* block);

}  // namespace memspy::instrument
