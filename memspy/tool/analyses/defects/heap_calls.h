// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mistakes in calls of the malloc family as findings.
#pragma once

namespace memspy::defects {

void judge_heap_calls();  // call before the program runs

}  // namespace memspy::defects
