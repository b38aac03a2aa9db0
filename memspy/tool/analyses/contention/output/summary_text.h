// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout of the summary on contention and sharing: 100 columns, less the ten of the core's prefix. No
// Valgrind here: callbacks supply names from debug information and take the lines.
#pragma once

#include "analyses/contention/output/summary_lines.h"
#include "analyses/contention/replay_status.h"

namespace memspy::contention {

void lay_out_summary(const SharingReport& report, const ReplayStatus& status, const SummaryOptions& options);

}  // namespace memspy::contention
