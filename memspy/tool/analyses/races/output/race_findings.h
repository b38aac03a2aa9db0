// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings of the race analysis, in words.
#pragma once

#include "analyses/races/found.h"

namespace memspy::races {

void tell(const RaceRow& row, const RacingPair& pair);
void tell(const LockCycle& cycle);

}  // namespace memspy::races
