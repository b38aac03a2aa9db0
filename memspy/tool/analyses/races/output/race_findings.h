// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings of the race analysis, in words.
#pragma once

#include "analyses/races/found.h"
#include "rt/text.h"

namespace memspy::races {

void add_variable(rt::Text& text, const RaceRow& row);
void tell(const RaceRow& row, const RacingPair& pair);
void tell(const LockCycle& cycle);

}  // namespace memspy::races
