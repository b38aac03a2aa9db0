// SPDX-License-Identifier: GPL-2.0-or-later
//
// io_uring: what the kernel writes for requests that the program left in a ring, at any time until they are
// completed. Which of them are, and how much was written, would have to be read from the ring before the program
// does. So memory that was handed to the kernel counts as written from then on: rather silent than wrong. A ring
// whose requests a thread of the kernel fetches needs no call; it is looked at in each call of the program.
#pragma once

#include "vg/vg.h"

namespace memspy::client {

// Call after a call that succeeded.
void note_ring_call(u32 number, const u64* arguments, u64 result);

// Call before each call: `define` is called with the memory of requests that were added since.
void tell_submitted(void (*define)(Address begin, usize bytes));

}  // namespace memspy::client
