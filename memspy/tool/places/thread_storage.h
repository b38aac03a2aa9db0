// SPDX-License-Identifier: GPL-2.0-or-later
//
// Objects of thread-local storage: the variables of each thread, and what lies in none.
#pragma once

#include "places/regions.h"
#include "places/thread_stacks.h"

namespace memspy::places {

// What is around `a`, which is in the thread's storage.
ObjectRegion tls_region(const ThreadStack& stack, Address a);
// All of the storage as one object: so who creates the thread sees it, who makes no use of its variables.
ObjectRegion whole_tls(const ThreadStack& stack);

}  // namespace memspy::places
