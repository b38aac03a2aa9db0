// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the leak check says in words, as Memcheck does. It decides nothing.
#pragma once

#include "analyses/defects/leak_check.h"
#include "analyses/defects/leak_graph.h"
#include "analyses/defects/loss_records.h"

namespace memspy::defects {

// Is there output in words at all?
bool text_output();

const char* heuristic_name(Heuristic heuristic);

struct LeakAmounts {
    LeakCounts counts;
    LeakAmount saved_by[kHeuristics];  // reachable thanks to this heuristic only
};
void print_summary(const LeakRequest& request, const LeakAmounts& now, const LeakAmounts& before);

// `number` counts from 1. `compared`: with what changed since the search before.
void print_record(const LossRecord& record, usize number, usize total, bool compared);

}  // namespace memspy::defects
