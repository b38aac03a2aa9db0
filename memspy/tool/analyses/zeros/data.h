// SPDX-License-Identifier: GPL-2.0-or-later
//
// The redundant-zeros analysis by object as a whole: the owners of marked bytes, and the times at which their
// marks are read. An object's counts are added when its memory's life ends; living memory is added on
// request.
#pragma once

#include "analyses/zeros/objects.h"
#include "places/objects.h"

namespace memspy::zeros {

// Call after the command line has been read, if objects are asked for. No other function here may be called
// unless `data_is_on()`.
void start_data();
bool data_is_on();

// Reads the marks of all living memory, for the functions below. Replaces earlier results.
void settle_data();
// Objects with accessed bytes, by ascending number; valid until the next settle_data().
void for_each_object(void (*f)(places::ObjectId id, const ObjectCounts& counts, void* argument),
                     void* argument);

// The share of the run that was over when a slot of histories began.
u32 thousandths_before(u32 slot);

}  // namespace memspy::zeros
