// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/waste/advice.h"
#include "report/sections/waste/code_figures.h"
#include "report/sections/waste/command.h"
#include "report/sections/waste/comparison.h"
#include "report/sections/waste/records.h"

namespace memspy::report::waste {

namespace {
constexpr const Command* kCommands[] = {&kWasteCommand};
}  // namespace

#define MEMSPY_FIELDS "fields/waste.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = kCommands,
                       .conclusion = &kAdvice,
                       .comparison = comparison,
                       .stack_metrics = &kStackMetrics};

}  // namespace memspy::report::waste
