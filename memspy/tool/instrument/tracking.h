// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tracking translations: every value has a shadow of undefined bits and an origin
// (undefined/value_shadows.h). Memory accesses and uses of undefined values go through helpers.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

IRSB* translate_tracking(const IRSB* in);  // a complete new superblock

}  // namespace memspy::instrument
