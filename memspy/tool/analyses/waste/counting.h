// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counting: what happens to the client's bytes, access by access, as totals of the running thread and of
// contexts.
#pragma once

#include "analyses/waste/contexts.h"
#include "analyses/waste/owners.h"
#include "analyses/waste/totals.h"

namespace memspy::waste {

// From now on translations tell of accesses. `tolerance`: of silent stores of floats, as a part of the value.
// `calls`: of a context (contexts.h). `in_twins`: translations of twins only.
void start_counting(double tolerance, u32 calls, bool in_twins);

// Two accesses in a row of each kLookEvery of a site are looked at: of how many the second one was to the same
// address, in the same call, or less than kNear bytes from it. Loads count only if the value was the same, too.
struct SiteLook {
    u32 last, calls;  // the first one's address, and the returns of functions until then
    u32 in_place, near;
};
inline constexpr u64 kLookEvery = 64;
SiteLook look_of(const SiteCounts& site);

// Of the running thread since it was set to zero.
extern WasteTotals running_totals;
// The thread that loads from now on, or that is gone.
void thread_loads(u32 serial);
void thread_forgotten(u32 serial);

// What calls of the system and of the malloc family do. They are no accesses of the program's code, but a
// store has a context.
void event_loads(Address begin, usize bytes);
void event_stores(Address begin, usize bytes, const places::Place& place);
void event_frees(Address begin, usize bytes, const places::Place& place);
// A block that the program's own realloc would have left where it is: only its bytes' place is another.
void event_shrinks(Address from, Address to, usize bytes);
void memory_is_new(Address begin, usize bytes);  // mapped or unmapped: neither stored nor loaded
void forget_states();                            // accesses were missed

// Calls f for silent stores and redundant loads: accesses.
void for_each_same(void (*f)(const SiteCounts& counts, const ObjectAmount& of, void* argument),
                   void* argument);
void clear_counts();  // keeps the states of bytes

}  // namespace memspy::waste
