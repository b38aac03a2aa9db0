// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words that threads wait for, as the log shows them (polls.cc).
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
