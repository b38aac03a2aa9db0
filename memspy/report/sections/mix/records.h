// SPDX-License-Identifier: GPL-2.0-or-later
//
// The instruction mix: the records of <mix>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::mix {

#define MEMSPY_FIELDS "fields/mix.def"
#include "report/records_from.h"

}  // namespace memspy::report::mix
