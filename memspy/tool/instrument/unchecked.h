// SPDX-License-Identifier: GPL-2.0-or-later
//
// Superblocks with accesses that the policy says need no check (needs_no_check). When the policy changes, these
// are translated again and no others.
#pragma once

#include "rt/base.h"

namespace memspy::instrument {

void note_unchecked(Address first);
// Call once, before any code runs.
void initialise_unchecked();
// Has their translations discarded as soon as the running thread has left generated code.
void discard_unchecked();

}  // namespace memspy::instrument
