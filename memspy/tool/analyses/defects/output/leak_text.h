// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of the leak check, as Memcheck has it. It decides nothing.
#pragma once

#include "analyses/defects/leak_graph.h"
#include "analyses/defects/leak_request.h"
#include "analyses/defects/loss_records.h"

namespace memspy::defects {

// Whether there is output as text.
bool text_output();

const char* heuristic_name(Heuristic heuristic);

struct LeakAmounts {
    LeakCounts counts;
    LeakAmount saved_by[kHeuristics];  // reachable only by this heuristic
};
void print_summary(const LeakRequest& request, const LeakAmounts& now, const LeakAmounts& before);

// `number` counts from 1. `compared`: with the changes since the last search.
void print_record(const LossRecord& record, usize number, usize total, bool compared);

}  // namespace memspy::defects
