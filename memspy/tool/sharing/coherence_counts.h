// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events of the coherence protocol, counted: of a line, a row, a pair of threads, a thread.
#pragma once

#include "places/place.h"
#include "rt/vector.h"
#include "sharing/byte_ranges.h"

namespace memspy::sharing {

struct CoherenceCounts {
    u64 cold = 0, first_touches = 0, coherence_misses = 0, invalidations = 0;
    u64 true_misses = 0, false_misses = 0, true_invalidations = 0, false_invalidations = 0;
    u64 handed_over = 0;  // of the coherence misses, see Events
    u64 hide_true = 0;    // of the false events, see Events

    u64 misses() const { return first_touches + coherence_misses; }  // without cold ones
    u64 events() const { return misses() + invalidations; }
    u64 true_events() const { return true_misses + true_invalidations; }
    u64 false_events() const { return false_misses + false_invalidations; }
    // Those that a layout removes in which no thread is in another's way.
    u64 removable() const { return false_events() - hide_true; }
    void add(const Events& events);
    void add(const CoherenceCounts& other);
};

struct SharingRow {  // object x place x thread
    ObjectId object{};
    Place place{};
    u32 thread = 0;         // serial
    AccessCounts accesses;  // to shared lines, counted once (not per view)
    CoherenceCounts counts[kViews];
};
struct PairRow {  // object x accessor x last storer (miss) or thread that lost its copy (invalidation)
    ObjectId object{};
    u32 thread = 0, other = 0;  // serials; `other` is Events::from or ::victim
    u64 events[kViews] = {};
    u64 false_events[kViews] = {};
};
struct ThreadRow {
    u32 serial = 0, parent = 0, guest_id = 0;
    AccessCounts accesses;  // all, including private lines
    u64 instructions = 0;
    CoherenceCounts counts[kViews];
    u32 threads = 1;  // more for thread 0
};
struct LineRow {
    u64 line = 0;  // address / line size
    CoherenceCounts counts[kViews];
    const rt::Vector<RangeRow>* ranges = nullptr;  // of find_line() only; ascending by thread, first, bytes
};

}  // namespace memspy::sharing
