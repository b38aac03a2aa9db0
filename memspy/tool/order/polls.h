// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words that threads wait for, as the log shows them (polls.cc).
//
// What a thread executes between two polls of one wait takes no time and is no access. A loop without a hint is known
// by its code (instrument/spins/), which is given a hint then; what the slice had executed since the first look is
// taken back (Strand::spin_from). libgomp's loops on ARM64 have no hint: records of its code that only load are polls
// where they repeat the one before word for word.
#pragma once

#include "order/strand.h"

namespace memspy::order {

// Call when the clocks may have found words that threads wait for.
void watch_new_words();

}  // namespace memspy::order
