// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory that processes share: the records of <shared-memory>.
#pragma once

#include "report/record_type.h"

namespace memspy::report::shared_memory {

#define MEMSPY_FIELDS "fields/shared_memory.def"
#include "report/records_from.h"

}  // namespace memspy::report::shared_memory
