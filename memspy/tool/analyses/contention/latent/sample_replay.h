// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a sample of accesses to neighbouring lines (order/line_sampler.h) would have met in another layout: the
// rules of lines/ownership.h, for lines of any length and for objects that begin elsewhere. A thread's first touch
// in the sample is no event, since the sample begins anywhere.
//
// No Valgrind here.
#pragma once

#include "lines/line_sample.h"
#include "places/place.h"
#include "rt/vector.h"

namespace memspy::contention {

struct OtherLayout {
    u32 line_bytes = 64;
    u32 moved = 0;       // each object begins so many bytes later
    bool alone = false;  // only objects that can move, and each has lines of its own
};

// The bytes of an access, and whose they are.
struct OwnedAccess {
    lines::SampledAccess access;
    u32 object = 0;  // 0: of none
    bool can_move = false;
};

struct LatentCounts {
    u64 accesses = 0, misses = 0, invalidations = 0, false_events = 0, true_events = 0;

    void add(const LatentCounts& other, u64 times, u64 parts);
    // As the findings count them (sharing_report.h).
    u64 repeated() const { return misses + (misses < invalidations ? misses : invalidations); }
    u64 repeated_falsely() const;
};

// Of an object, and of what has taken its line: that object if it is the same.
struct LatentPair {
    u32 object = 0, other = 0;
    LatentCounts counts;
};

// By object, then other.
void replay(const rt::Vector<OwnedAccess>& accesses, const OtherLayout& layout,
            rt::Vector<LatentPair>& pairs);

}  // namespace memspy::contention
