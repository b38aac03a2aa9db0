// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words that threads wait for, as the log shows them (polls.cc).
//
// What a thread executes between two polls of one wait takes no time and is no access. A loop without a hint is known
// by its code (instrument/spins/), which is given a hint then; what the slice had executed since the first look is
// taken back (Strand::spin_from). libgomp's loops on ARM64 have no hint: records of its code that only load are polls
// where they repeat the one before word for word.
#pragma once

#include "order/clocks.h"

namespace memspy::order {

class Strand;

// The thread goes to sleep on a futex.
void sleeps_on(Strand& strand, Address word);
// The thread yields: it may wait for a word that it loaded just before.
void poll(Strand& strand);
// The thread has been stopped in a loop of these instructions in which it looks so often for these words. Its
// log has not been read.
void found_spinning(Strand& strand, const Address* words, u32 count, const rt::Vector<Address>& instructions,
                    u32 looks);
// Call when the clocks may have found words that threads wait for.
void watch_new_words();

}  // namespace memspy::order
