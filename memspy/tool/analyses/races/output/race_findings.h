// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings of the race analysis, in words.
#pragma once

#include "analyses/races/found.h"
#include "rt/text.h"

namespace memspy::races {

void add_variable(rt::Text& text, const RaceRow& row);
void add_locks(rt::Text& text, LockSet held);
// What the program's author can do, of a row with its clause.
void add_fix(rt::Text& text, const RaceRow& row, const RacingPair& pair);
void tell(const RaceRow& row, Address address, const char* variable);
// The take with that number in its cycle.
void add_take(rt::Text& text, const LockTake& take, u32 number);
void tell(const LockCycle& cycle);

}  // namespace memspy::races
