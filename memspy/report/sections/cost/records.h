// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory cost: the records of <cost>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::cost {

#define MEMSPY_FIELDS "fields/cost.def"
#include "report/records_from.h"

}  // namespace memspy::report::cost
