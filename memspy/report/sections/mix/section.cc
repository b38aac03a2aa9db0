// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/mix/code_figures.h"
#include "report/sections/mix/command.h"
#include "report/sections/mix/comparison.h"
#include "report/sections/mix/records.h"

namespace memspy::report::mix {

namespace {
constexpr const Command* kCommands[] = {&kMixCommand};
}

#define MEMSPY_FIELDS "fields/mix.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = kCommands,
                       .comparison = comparison,
                       .stack_metrics = &kStackMetrics};

}  // namespace memspy::report::mix
