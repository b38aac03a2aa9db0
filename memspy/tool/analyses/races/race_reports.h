// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was found: races, one for each pair of source lines and variable, and cycles of locks. A race is printed when it
// is found first; how often it came is known at the end, and so is whether all locks of a cycle are locks.
#pragma once

#include "analyses/races/found.h"

namespace memspy::races {

const rt::Vector<RaceRow>& race_rows();

const rt::Vector<LockCycle>& lock_cycles();

void note_race(const RacingPair& pair);
void note_take(const LockTake& take);
void forget_locks(Address first, usize bytes);  // the memory gets another use
void hands_over(Address lock);                  // it is none
void tell_cycles();

}  // namespace memspy::races
