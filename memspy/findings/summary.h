// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summaries at the end of a run, for people.
#pragma once

#include "analyses/contention/sharing_report.h"

namespace memspy::findings {

// Prints it to the log; nothing when the program had one thread only, with -q and in XML mode. `top` bounds
// the table of objects; with 0 there are totals only.
void print_summary(const contention::SharingReport& report, const contention::Status& status, u32 top,
                   u64 coherence_latency);

// Appends "worker (file.c:12)".
void describe_instruction(rt::Text& text, Address instruction);
// Appends the function that the block was allocated in, in the same form.
void describe_allocation(rt::Text& text, ContextId allocated);

}  // namespace memspy::findings
