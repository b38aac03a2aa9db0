// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summaries at the end of a run, for people.
#pragma once

#include "analyses/contention/sharing_report.h"

namespace memspy::contention {

// Prints it to the log; nothing when the program had one thread only, with -q and in XML mode. `top` bounds
// the table of objects; with 0 there are totals only.
void print_summary(const SharingReport& report, const ReplayStatus& status, u32 top, u64 coherence_latency);

}  // namespace memspy::contention
