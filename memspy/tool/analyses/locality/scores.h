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

// Of a use with so many other words since the one before.
inline u32 bucket_of(u64 others) { return others == 0 ? 0 : 64 - static_cast<u32>(__builtin_clzll(others)); }

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

// The strides of accesses in bursts, of which those at the beginning have fewer words before them: a word
// that was used is not known, and one near it counts instead. So they count only for streams that have few
// other ones.
struct BurstStrides {
    Strides whole;                         // with kWindow words before them, or all that there were
    double early = 0, early_accesses = 0;  // the sum of others' parts of the score, and their number

    double score() const {
        constexpr double kFew = 3;
        const auto all = static_cast<double>(whole.accesses);
        if (early_accesses <= kFew * all) return whole.score();
        return (whole.score() * all + early) / (all + early_accesses);
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
    // What an access in the bucket adds to the score: an access to the same word as the access before adds
    // nothing.
    static double value(u32 bucket) {
        return bucket == 0 || bucket > kSteps ? 0 : static_cast<double>(kSteps + 1 - bucket) / kSteps;
    }
    double sum() const {
        double sum = 0;
        for (u32 i = 0; i <= kSteps; ++i) sum += static_cast<double>(buckets[i]) * value(i);
        return sum;
    }
    // Sum over i = 0..n-1 of [R(2^(i+1)) - R(2^i)] * (n-i)/n.
    double score() const {
        const u64 all = accesses();
        return all == 0 ? 0 : sum() / static_cast<double>(all);
    }
    // The share of accesses that miss in a fully associative LRU cache of 2^size words.
    double miss_ratio(u32 size) const {
        u64 hits = 0;
        for (u32 i = 0; i <= size && i < kBuckets; ++i) hits += buckets[i];
        const u64 all = accesses();
        return all == 0 ? 0 : static_cast<double>(all - hits) / static_cast<double>(all);
    }
};

// A ratio of two sums over bursts, and its error: bursts differ because the program does other things in
// them. (The estimator of a ratio from clusters; Cochran, Sampling Techniques, 1977, 6.)
struct BurstRatio {
    // By so much may the scores of accesses that were not seen differ from those of the others.
    static constexpr double kUnlike = .25;
    double part = 0, whole = 0;    // of the present burst
    double parts = 0, wholes = 0;  // of those before
    double squares = 0, products = 0, whole_squares = 0;
    u32 bursts = 0;

    void add(double more_part, double more_whole) {
        part += more_part;
        whole += more_whole;
    }
    void end_burst() {
        if (whole == 0) return;
        parts += part;
        wholes += whole;
        squares += part * part;
        products += part * whole;
        whole_squares += whole * whole;
        part = whole = 0;
        ++bursts;
    }
    double ratio() const { return whole + wholes == 0 ? 0 : (part + parts) / (whole + wholes); }
    // The square of its standard error.
    double variance() const {
        BurstRatio all = *this;
        all.end_burst();
        // One burst says nothing of others: the ratio may be anything.
        if (all.bursts < 2) return 1;
        const double r = all.ratio();
        const double sum = all.squares - 2 * r * all.products + r * r * all.whole_squares;
        const double spread = sum <= 0 ? 0 : sum * all.bursts / (all.bursts - 1);
        // What no burst has shown may still be as much of the accesses as a burst is of all of them.
        const double unseen = kUnlike * all.whole_squares / all.wholes;
        return (spread + unseen * unseen) / (all.wholes * all.wholes);
    }
};

// What bursts show of the distances of all accesses: a use whose word was not used before in the burst has an
// unknown one, longer than the number of words that were. The short distances' shares are found in spite of
// that by the actuarial estimate of survival (Cutler and Ederer, Journal of Chronic Diseases 1958): each use
// counts for the buckets that it could have been in.
struct SeenReuses {
    static constexpr u32 kMost = 13;  // up to 2^kMost words, all of a burst
    // A bucket is known if this part of the uses could have been in it.
    static constexpr u32 kRisk = 16, kFew = 4;
    u64 seen[kMost + 2] = {};    // by bucket; the last: longer ones
    u64 unseen[kMost + 3] = {};  // by the number of buckets that it cannot be in; the last: none of the known

    void see(u32 bucket, u64 uses) { seen[bucket > kMost ? kMost + 1 : bucket] += uses; }
    void miss(u64 words, u64 uses) {
        const u32 excluded = bucket_of(words);  // the first one that may have further words
        unseen[excluded > kMost + 1 ? kMost + 2 : excluded] += uses;
    }
    struct Shares {
        double unknown = 1;  // of uses about which bursts say nothing
        double buckets[kMost + 1] = {};
        u32 known = 0;      // buckets
        double longer = 0;  // than these
    };
    Shares shares() const {
        Shares shares;
        double left = 0;  // uses that may be in this bucket or a later one
        for (const u64 uses : seen) left += static_cast<double>(uses);
        for (u32 i = 1; i < kMost + 3; ++i) left += static_cast<double>(unseen[i]);
        if (left == 0) return shares;
        const auto nothing_known = static_cast<double>(unseen[0]);
        shares.unknown = nothing_known / (nothing_known + left);
        shares.longer = 1 - shares.unknown;
        const double least = left / kRisk;
        for (u32 i = 0; i <= kMost; ++i) {
            // Those that could have been in a part of the bucket only count half. They must be few.
            const double partly = i == 0 ? 0 : static_cast<double>(unseen[i]), wholly = left - partly;
            if (wholly < least || partly > wholly / kFew) break;
            const double at_risk = wholly + partly / 2;
            // Not more than all, also when rounded: the rest must not be negative.
            const double here = shares.longer * (static_cast<double>(seen[i]) / at_risk);
            shares.buckets[i] = here;
            shares.longer -= here;
            left = wholly - static_cast<double>(seen[i]);
            ++shares.known;
        }
        return shares;
    }
};

}  // namespace memspy::locality
