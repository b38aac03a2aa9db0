// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locality: the records of <locality>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::locality {

#define MEMSPY_FIELDS "fields/locality.def"
#include "report/records_from.h"

// Scores are computed from all followed accesses of all processes.
void fold(Stream& into, const Stream& from);
// Bytes that were accessed in any process.
void fold(Ranges& into, const Ranges& from);

// Maps of different runs have different times: the fuller one is kept.
void fold(AccessMap& into, const AccessMap& from);

// Accesses to words that are new, or were not used for more than 2^16 others.
inline u64 distant(const Reuses& reuses) {
    u64 sum = reuses.far;
    for (std::size_t i = 17; i < reuses.buckets.size(); ++i) sum += reuses.buckets[i];
    return sum;
}
inline u64 followed(const Reuses& reuses) {
    u64 sum = reuses.far;
    for (const u64 each : reuses.buckets) sum += each;
    return sum;
}

inline bool has_scores(const Stream& stream) { return stream.followed >= 0; }
// The standard error of a score, of which the profile has the variance times the square of the accesses that
// it is from.
double score_error(const Stream& stream, u64 variance);

}  // namespace memspy::report::locality
