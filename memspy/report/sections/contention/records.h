// SPDX-License-Identifier: GPL-2.0-or-later
//
// Contention and sharing: the records of <contention>.
#pragma once

#include <span>
#include <utility>

#include "report/record_type.h"

namespace memspy::report::contention {

#define MEMSPY_FIELDS "fields/contention.def"
#include "report/records_from.h"

inline u64 misses(const Counts& counts) { return counts.first_touches + counts.coherence_misses; }
inline u64 events(const Counts& counts) { return misses(counts) + counts.invalidations; }
inline u64 false_events(const Counts& counts) { return counts.false_misses + counts.false_invalidations; }

// By the view with more of them.
template <typename R>
const Counts& larger_view(const R& record) {
    return events(record.observed) > events(record.modelled) ? record.observed : record.modelled;
}
template <typename R>
u64 most_events(const R& record) {
    return events(larger_view(record));
}

// Findings first; among them those with most removable events.
inline std::pair<bool, u64> rank_in_file(const Group& group) { return {group.finding, group.removable}; }

}  // namespace memspy::report::contention
