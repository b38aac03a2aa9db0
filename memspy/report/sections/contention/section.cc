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

static void findings(const AnyRecord& record, FindingSink& sink) {
    if (const auto* group = record.as<Group>(); group != nullptr && group->finding) {
        RankFinding finding{
            .kind = group->kind, .unit = "events", .what = group->what, .value = group->removable};
        for (const Member& each : group->members) finding.objects.push_back(each.object);
        sink.finding(finding);
    }
}

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = {},
                       .comparison = comparison,
                       .text = text_part,
                       .pass_with_names = pass_with_names,
                       .findings = findings,
                       .stack_metrics = &kStackMetrics,
                       .line_columns = &kLineColumns};

}  // namespace memspy::report::contention
