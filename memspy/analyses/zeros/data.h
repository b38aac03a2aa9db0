// SPDX-License-Identifier: GPL-2.0-or-later
//
// The redundant-zeros analysis by object as a whole: who owns the marked bytes, and when their marks are
// read. Counts of an object are folded when its memory's life ends; living memory is added when somebody
// asks.
#pragma once

#include "analyses/zeros/objects.h"
#include "places/objects.h"

namespace memspy::zeros {

// After the command line, when objects are asked for; nothing else here may be called unless `data_is_on()`.
void start_data();
bool data_is_on();

// Reads the marks of all living memory, for the questions below. Earlier results are replaced.
void settle_data();
// Objects with bytes that were accessed, by ascending number; valid until the next settling.
void for_each_object(void (*f)(places::ObjectId id, const ObjectCounts& counts, void* argument),
                     void* argument);

}  // namespace memspy::zeros
