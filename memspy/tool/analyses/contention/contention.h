// SPDX-License-Identifier: GPL-2.0-or-later
//
// The contention and sharing analyses as a whole: everything that reports need beside the tally and the
// objects.
#pragma once

#include "analyses/contention/tally.h"

namespace memspy::contention {

// Merges the rest of the log, as if all threads had stopped. Call before reading counts for a report. The
// program may continue afterwards.
void settle();
// The same while the program goes on, as far as the model allows: actions that other threads may still
// precede are left out and stay to be merged.
void checkpoint();

struct SharingReport;
// The report on the last settled state. Made once, at the first call. Valid until settle() or checkpoint();
// belongs to the analysis.
SharingReport& settled_report();

struct ReplayStatus {
    bool several_threads = false;  // a second thread was started; without one there is nothing to report
    u32 threads = 1;               // ever
    u64 merged = 0;                // accesses that went through the merge, to shared lines
    u64 forced = 0;                // how often the horizon was forced because the log was full
    u64 lifted = 0;                // threads raised by that; with 0 the model is exact
    u64 log_bytes = 0;             // size of the access log now
    u64 unlogged = 0;              // accesses that were passed as quiet ones, without a record
    u64 missing = 0;               // at most so many events more, because of them
};
const ReplayStatus& status();

}  // namespace memspy::contention
