// SPDX-License-Identifier: GPL-2.0-or-later
//
// The instrumentation pass: superblock in, superblock out. DESIGN.md here tells how fast and tracking
// translations divide the work.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// Has `call` called when the first code is instrumented, the first moment at which the core is fully
// initialised.
void call_at_first_code(void (*call)());

// Callback of the core.
IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word,
                 IRType host_word);

}  // namespace memspy::instrument
