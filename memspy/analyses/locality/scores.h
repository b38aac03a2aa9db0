// SPDX-License-Identifier: GPL-2.0-or-later
//
// The measures of locality: the distance in memory between successive accesses (strides), and the number of
// other words between two accesses to one word (reuse distances). All in words of 8 bytes.
//
// Reuse distances are only kept as powers of two, which is all that the score and the curve of misses need:
// *bucket* 0 is distance 1 (the word that was accessed last), bucket g the distances in (2^(g-1), 2^g].
#pragma once

#include "rt/base.h"

namespace memspy::locality {

// A word's number: its address / 8.
using Word = u64;

inline constexpr u32 kWindow = 32;   // a stride is the distance to the nearest of the last kWindow words
inline constexpr u32 kCutOff = 128;  // strides from here on are not local
inline constexpr u32 kSteps = 16;    // longer reuse distances than 2^16 do not count as reuse
inline constexpr u32 kBuckets = 26;  // up to 2^25 words, 256 MB

// The number of accesses with each stride. Distant accesses, and strides of 0, count in `accesses` only.
struct Strides {
    u64 accesses = 0;
    u64 near[kCutOff] = {};  // by stride; [0] is not part of the score

    // Sum over i of P(stride = i) / i.
    double score() const {
        double sum = 0;
        for (u32 i = 1; i < kCutOff; ++i) sum += static_cast<double>(near[i]) / i;
        return accesses == 0 ? 0 : sum / static_cast<double>(accesses);
    }
};

// The number of accesses in each bucket. `far`: first uses, and distances too large to be known.
struct Reuses {
    u64 buckets[kBuckets] = {};
    u64 far = 0;

    u64 accesses() const {
        u64 sum = far;
        for (const u64 count : buckets) sum += count;
        return sum;
    }
    // Sum over i = 0..n-1 of [R(2^(i+1)) - R(2^i)] * (n-i)/n. An access to the same word as the access before
    // adds nothing.
    double score() const {
        double sum = 0;
        for (u32 i = 0; i < kSteps; ++i) sum += static_cast<double>(buckets[i + 1]) * (kSteps - i) / kSteps;
        const u64 all = accesses();
        return all == 0 ? 0 : sum / static_cast<double>(all);
    }
    // The share of accesses that miss in a fully associative LRU cache of 2^size words.
    double miss_ratio(u32 size) const {
        u64 hits = 0;
        for (u32 i = 0; i <= size && i < kBuckets; ++i) hits += buckets[i];
        const u64 all = accesses();
        return all == 0 ? 0 : static_cast<double>(all - hits) / static_cast<double>(all);
    }
};

}  // namespace memspy::locality
