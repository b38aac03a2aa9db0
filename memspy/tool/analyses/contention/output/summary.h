// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary at the end of a run.
#pragma once

#include "analyses/contention/replay_status.h"
#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

// Prints it to the log; nothing if the program had only one thread, with -q, and in XML mode. `top` limits
// the table of objects; with 0 only totals are printed.
void print_summary(const SharingReport& report, const ReplayStatus& status, u32 top, u64 coherence_latency);

}  // namespace memspy::contention
