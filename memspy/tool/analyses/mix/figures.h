// SPDX-License-Identifier: GPL-2.0-or-later
//
// The figures of the instruction mix: of code, and of I/O.
#pragma once

#include "instrument/mix/operation.h"
#include "places/place.h"

namespace memspy::mix {

using instrument::kClasses;
using instrument::kOperationCounts;
using instrument::OperationCount;

struct MixFigures {
    u64 counts[kOperationCounts] = {};
    u64 taken = 0, not_taken = 0, mispredicted = 0;  // conditional branches
    // With --mix=memory:
    u64 fetched = 0, written = 0;  // bytes of lines that came into the last cache, and that went back
    u64 pages = 0;                 // that were touched first since they were mapped

    u64 operator[](OperationCount which) const { return counts[static_cast<u32>(which)]; }
    u64 instructions() const {
        u64 sum = 0;
        for (u32 i = 0; i < kClasses; ++i) sum += counts[i];
        return sum;
    }
    u64 operations() const {
        return (*this)[OperationCount::F32Operations] + (*this)[OperationCount::F64Operations];
    }
    u64 accessed_bytes() const {
        return (*this)[OperationCount::LoadedBytes] + (*this)[OperationCount::StoredBytes];
    }
    void add(const MixFigures& other) {
        for (u32 i = 0; i < kOperationCounts; ++i) counts[i] += other.counts[i];
        taken += other.taken;
        not_taken += other.not_taken;
        mispredicted += other.mispredicted;
        fetched += other.fetched;
        written += other.written;
        pages += other.pages;
    }
};

struct MixRow {
    Address entry = 0;  // of the function; 0: functions too small for rows of their own
    u32 thread = 0;     // serial; 0: threads without a name
    MixFigures figures;
};

struct IoRow {
    ContextId stack{};
    u32 thread = 0;
    const char* call = nullptr;
    u64 calls = 0, read = 0, written = 0, microseconds = 0;
};

}  // namespace memspy::mix
