// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dead writes of the condition codes.
//
// Guest state that is exact at every access (which trips need) makes VEX keep each instruction's write of the
// four words from which conditions are computed, though mostly the next instruction overwrites them unread. A
// trip in between starts an instruction again that does not look at them either; so the writes can go.
#pragma once

#include "instrument/emitter.h"
#include "rt/vector.h"

namespace memspy::instrument {

// Marks in `dead` (one entry per statement of `block`) the writes of condition codes in [begin, end) that are
// overwritten before any instruction, exit or helper can look at them. `end` is the end of an instruction.
void find_dead_flag_writes(const IRSB* block, int begin, int end, rt::Vector<bool>& dead);

}  // namespace memspy::instrument
