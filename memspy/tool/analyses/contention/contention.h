// SPDX-License-Identifier: GPL-2.0-or-later
//
// The contention and sharing analyses as a whole: everything that reports need beside the tally and the
// objects.
#pragma once

#include "analyses/contention/replay_status.h"
#include "sharing/tally.h"

namespace memspy::remedies {
struct SharingReport;
}

namespace memspy::contention {

using namespace remedies;

// Merges the rest of the log, as if all threads had stopped. Call before reading counts for a report. The
// program may continue afterwards.
void settle();
// The same while the program goes on, as far as the model allows: actions that other threads may still
// precede are left out and stay to be merged.
void checkpoint();

// The report on the last settled state. Made once, at the first call. Valid until settle() or checkpoint();
// belongs to the analysis.
SharingReport& settled_report();

const ReplayStatus& status();

}  // namespace memspy::contention
