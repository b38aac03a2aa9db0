// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loops in which a thread waits for a word in memory. A word to which another thread stores meanwhile is a
// signal from then on. If nobody does, the loop has only looked at it, as one that searches for a maximum.
#pragma once

#include "analyses/races/racing_thread.h"
#include "analyses/races/shape_facts.h"

namespace memspy::races {

// A thread that does the same again and again, and nothing else between, waits for one of the words that it
// loads. A loop that goes on has a sum, or other addresses.
void note_look(RacingThread& f, const log::Record& record, const log::Shape& shape, const ShapeFacts& facts);

}  // namespace memspy::races
