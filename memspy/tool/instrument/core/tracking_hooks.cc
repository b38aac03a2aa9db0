// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/tracking_hooks.h"

namespace memspy::instrument {

MemorySlot memory_slot;

namespace {

TrackingHooks hooks;

}  // namespace

void set_tracking_hooks(const TrackingHooks& given) { hooks = given; }
const TrackingHooks& tracking_hooks() { return hooks; }

}  // namespace memspy::instrument
