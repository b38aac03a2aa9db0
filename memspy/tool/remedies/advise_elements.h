// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on elements of an array, or rows of a matrix, of which each is a thread's.
#pragma once

#include "remedies/advice_case.h"

namespace memspy::remedies {

// These decide for `parts`, some of the case's. They return false, and add nothing, for what is something
// else.

// Elements of one block or variable, each for a thread.
bool advise_elements(AdviceCase& c, const Parts& parts);
// Several arrays in one block or variable, each with an element for each thread.
bool advise_arrays(AdviceCase& c);
// Shares of a large object that meet within a line.
bool advise_shares(AdviceCase& c);
bool advise_any_shares(AdviceCase& c);
// Bits of one vector<bool> or bitset that several threads set. Returns some of its bytes, or null.
const UsedPart* advise_bits(AdviceCase& c);
// An array of locks, or of what has a lock each: the elements get lines of their own.
bool advise_locks(AdviceCase& c);

// The parts of the block or variable in the worst line of which several threads have parts, and write them;
// none if there is not just one. If its parts are separated from each other, its neighbours are separated
// from it as well.
void collect_divided(Parts& divided, const AdviceCase& c);

// Equal accesses, so many that this is from a row of a matrix, or a thread's share of an array.
bool is_row(const UsedPart& part);

}  // namespace memspy::remedies
