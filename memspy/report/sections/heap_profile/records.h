// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap profile: the records of <heap-profile>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::heap_profile {

#define MEMSPY_FIELDS "fields/heap_profile.def"
#include "report/records_from.h"

}  // namespace memspy::report::heap_profile
