// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locality: the records of <locality>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::locality {

#define MEMSPY_FIELDS "profile/fields/locality.def"
#include "report/records_from.h"

// Scores are of all accesses that were followed, in whichever process.
void fold(Stream& into, const Stream& from);
// What was accessed in any.
void fold(Ranges& into, const Ranges& from);

inline bool has_scores(const Stream& stream) { return stream.followed >= 0; }

}  // namespace memspy::report::locality
