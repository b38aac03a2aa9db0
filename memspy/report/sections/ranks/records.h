// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings by rank: the records of <ranks>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::ranks {

#define MEMSPY_FIELDS "fields/ranks.def"
#include "report/records_from.h"

}  // namespace memspy::report::ranks
