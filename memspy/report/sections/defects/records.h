// SPDX-License-Identifier: GPL-2.0-or-later
//
// Defects and leaks: the records of <defects>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::defects {

#define MEMSPY_FIELDS "fields/defects.def"
#include "report/records_from.h"

}  // namespace memspy::report::defects
