// SPDX-License-Identifier: GPL-2.0-or-later
//
// Redundant zeros: the records of <zeros>.
#pragma once

#include <span>

#include "report/record_type.h"

namespace memspy::report::zeros {

#define MEMSPY_FIELDS "fields/zeros.def"
#include "report/records_from.h"

// These keep the properties that both processes have.
void fold(Stride& into, const Stride& from);
void fold(Columns& into, const Columns& from);
void fold(Map& into, const Map& from);

}  // namespace memspy::report::zeros
