// SPDX-License-Identifier: GPL-2.0-or-later
//
// Data races and lock order: the records of <races>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::races {

#define MEMSPY_FIELDS "fields/races.def"
#include "report/records_from.h"

}  // namespace memspy::report::races
