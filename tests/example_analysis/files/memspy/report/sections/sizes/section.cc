// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sizes of accesses in memspy-report: all of it comes from the table of fields.
#include "report/section.h"

#include <span>

#include "report/record_ops.h"

namespace memspy::report::sizes {

#define MEMSPY_FIELDS "fields/sizes.def"
#include "report/records_from.h"
#define MEMSPY_FIELDS "fields/sizes.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName, .records = kRecords, .commands = {}};

}  // namespace memspy::report::sizes
