// SPDX-License-Identifier: GPL-2.0-or-later
//
// The contention and sharing analyses as a whole: everything for reports beside the tally and the objects.
#pragma once

#include "analyses/contention/tally.h"

namespace memspy::contention {

// Merges what is still in the log (all threads count as stopped). Call before reading counts for a report;
// the program may go on after it.
void settle();
// The same as far as the model allows while the program goes on: what a thread did that others may still come
// before is left out, and nothing that is still to be merged is changed by it.
void checkpoint();

struct SharingReport;
// What was settled last, put together for people: made once, when it is first asked for. Valid until settle()
// or checkpoint(); belongs to the analysis.
SharingReport& settled_report();

struct ReplayStatus {
    bool several_threads = false;  // a second thread was started: until then there is nothing to tell
    u32 threads = 1;               // ever
    u64 merged = 0;                // accesses that went through the merge, to shared lines
    u64 forced = 0;                // times that the horizon was forced since the log was full
    u64 lifted = 0;                // threads lifted by that; with 0 the model is exact
    u64 log_bytes = 0;             // of the access log in use now
};
const ReplayStatus& status();

}  // namespace memspy::contention
