// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice for threads that use the same bytes of a line: copies for each, or less exchange.
#pragma once

#include "remedies/advice_case.h"

namespace memspy::remedies {

// These return false, or 0, and add nothing, for what is something else.

// Takes the place of a shared variable. All its events go, whatever their kind.
bool advise_copies(AdviceCase& c);
// Two indices in one line. Apart, each thread still misses at the other's index for each item, and with
// copies at its own, so only both together help: next to nothing of the line's events remains. Returns these.
// `first`: one of the two.
u64 advise_mutual(AdviceCase& c, UsedPart* first);
// Of what a lock protects, unless it only counts: who has it needs it, wherever it lies.
bool advise_turns(AdviceCase& c);
// What a change of the layout cannot help. Returns true if it removes events; else adds an advice, too.
bool advise_algorithm(AdviceCase& c);
// Parts of the worst line that nobody writes: their reads suffer from the writes beside them. Or those of one
// thread.
bool advise_read_only(AdviceCase& c);
// Of objects that only lie beside a lock, names the one that suffers most from it.
bool advise_beside_lock(AdviceCase& c);

}  // namespace memspy::remedies
