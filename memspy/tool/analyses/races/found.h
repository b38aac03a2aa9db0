// SPDX-License-Identifier: GPL-2.0-or-later
//
// A race and a cycle of locks, as they are reported.
#pragma once

#include "analyses/races/detector.h"
#include "places/objects.h"

namespace memspy::races {

struct RaceRow {
    // The later access first, as the report shows them.
    Place place, other_place;
    ContextId stack{}, other_stack{};
    u32 thread = 0, other_thread = 0;  // serials
    bool stores = false, other_stores = false;
    bool frees = false, other_frees = false;
    u32 bytes = 0;  // touched by both
    places::ObjectId object{};
    u64 offset = 0;  // in the object
    // Kept for good:
    // "k of main", if an OpenMP construct shares it; "grid", if that holds the block of the heap.
    const char* variable = nullptr;
    bool is_shared = false;        // by an OpenMP construct
    const char* clause = nullptr;  // that would make it no race: "reduction(+:k)"
    const char* held = nullptr;    // locks: "m, other_lock"
    const char* other_held = nullptr;
    const char* last = nullptr;  // where this thread last waited for the other one: "barrier at f (f.c:3)"
    const char* fix = nullptr;   // a sentence
    u64 times = 0;
};

struct LockCycle {
    LockCircle circle;
    ContextId stacks[LockCircle::kMost] = {};
    const char* told[LockCircle::kMost] = {};  // by which thread each lock was taken, kept for good
};
}  // namespace memspy::races
