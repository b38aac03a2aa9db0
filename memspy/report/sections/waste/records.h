// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wasted work: the records of <waste>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::waste {

inline constexpr u64 kNoOffset = ~u64{0} >> 1;  // of JSON's readers some have signed numbers only

#define MEMSPY_FIELDS "fields/waste.def"
#include "report/records_from.h"

}  // namespace memspy::report::waste
