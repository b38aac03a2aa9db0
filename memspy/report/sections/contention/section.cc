// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/contention/code_figures.h"
#include "report/sections/contention/comparison.h"
#include "report/sections/contention/names.h"
#include "report/sections/contention/records.h"
#include "report/sections/contention/text.h"

namespace memspy::report::contention {

#define MEMSPY_FIELDS "profile/fields/contention.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = {},
                       .comparison = comparison,
                       .text = text_part,
                       .pass_with_names = pass_with_names,
                       .stack_metrics = &kStackMetrics,
                       .line_columns = &kLineColumns};

}  // namespace memspy::report::contention
