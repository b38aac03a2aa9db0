// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loads whose value nobody uses. The core leaves them out, but a program may have one for the sake of its
// fault: the JVM finds out in this way what the kernel passes to a signal handler.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// `block` with every load in it used: the value of a dead one goes to a word of the guest state that nothing
// reads. The same block when there is none.
IRSB* keep_loads(IRSB* block);

}  // namespace memspy::instrument
