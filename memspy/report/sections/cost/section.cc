// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/cost/code_figures.h"
#include "report/sections/cost/command.h"
#include "report/sections/cost/comparison.h"
#include "report/sections/cost/records.h"

namespace memspy::report::cost {

namespace {
void findings(const AnyRecord& record, FindingSink& sink) {
    const auto* const cost = record.as<ObjectCost>();
    if (cost == nullptr || cost->object == ObjectId{}) return;
    sink.finding({.kind = "MemoryCost", .unit = "cycles", .objects = {cost->object}, .value = cost->cycles});
}

constexpr const Command* kCommands[] = {&kCostCommand};
}  // namespace

#define MEMSPY_FIELDS "fields/cost.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = kCommands,
                       .comparison = comparison,
                       .findings = findings,
                       .stack_metrics = &kStackMetrics,
                       .line_columns = &kLineColumns};

}  // namespace memspy::report::cost
