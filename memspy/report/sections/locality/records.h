// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locality: the records of <locality>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::locality {

#define MEMSPY_FIELDS "profile/fields/locality.def"
#include "report/records_from.h"

// Scores are computed from all followed accesses of all processes.
void fold(Stream& into, const Stream& from);
// Bytes that were accessed in any process.
void fold(Ranges& into, const Ranges& from);

// Maps of different runs have different times: the fuller one is kept.
void fold(AccessMap& into, const AccessMap& from);

inline bool has_scores(const Stream& stream) { return stream.followed >= 0; }

}  // namespace memspy::report::locality
