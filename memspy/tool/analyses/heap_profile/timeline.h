// SPDX-License-Identifier: GPL-2.0-or-later
//
// HeapTimeline: how much of each row lived at moments of equal distance, in a memory that does not depend on
// the run's length: when there are kMost moments every second is dropped, and their distance doubles.
#pragma once

#include "analyses/heap_profile/heap_rows.h"

namespace memspy::heap_profile {

class HeapTimeline {
public:
    static constexpr u32 kMost = 256;

    // Call before each change: moments up to `now` are those before it.
    void advance(u64 now, const HeapRows& rows, u64 mapped) {
        while (now >= next_) take(rows, mapped);
    }
    void clear();

    struct HeapMoment {
        u64 time = 0, blocks = 0, bytes = 0;
        u64 mapped = 0;        // bytes mapped: files, libraries, stacks, mmap
        rt::Vector<u64> rows;  // live bytes, by row; rows that came later are missing
        u64 of_row(usize row) const { return row < rows.size() ? rows[row] : 0; }
    };
    u32 size() const { return count_; }
    const HeapMoment& operator[](u32 i) const { return moments_[i]; }

private:
    void take(const HeapRows& rows, u64 mapped);

    static constexpr u64 kFirstDistance = 10'000;  // instructions; a run of the shell has a million
    u64 distance_ = kFirstDistance, next_ = 0;
    u32 count_ = 0;
    HeapMoment moments_[kMost];
};

}  // namespace memspy::heap_profile
