// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trips: what happens when a translation leaves by a site (core/sites.h). The translation of a site calls a
// helper, which decides on the new level of the instruction that tripped, has the core discard the
// translations that contain it, and continues at that instruction.
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

void initialise_trips();  // call once, before any code runs

// The translation of a site.
IRSB* emit_site(Address site);

struct TripCounts {
    u64 access_trips, entry_trips, entry_passes, stack_trips, flushes, demotions, instructions;
};
const TripCounts& trip_counts();

}  // namespace memspy::instrument
