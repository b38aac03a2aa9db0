// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fast translations: the client's own statements, with an inline check of the shadow before each access. The
// check leaves by a side exit to the start of the instruction if the state is not allowed for the access.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// A complete new superblock. It ends before the first instruction that has to be tracked; null if that is the
// block's first.
IRSB* translate_fast(const IRSB* in);

}  // namespace memspy::instrument
