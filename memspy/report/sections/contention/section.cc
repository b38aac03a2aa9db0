// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/catalog.h"
#include "report/record_ops.h"
#include "report/sections/contention/code_figures.h"
#include "report/sections/contention/comparison.h"
#include "report/sections/contention/names.h"
#include "report/sections/contention/records.h"
#include "report/sections/contention/text.h"
#include "report/sections/contention/words.h"

namespace memspy::report::contention {

#define MEMSPY_FIELDS "fields/contention.def"
#include "report/section_from.h"

static void findings(const AnyRecord& record, FindingSink& sink) {
    if (const auto* group = record.as<Group>(); group != nullptr && group->finding) {
        RankFinding finding{
            .kind = group->kind, .unit = "events", .what = group->what, .value = group->removable};
        for (const Member& each : group->members) finding.objects.push_back(each.object);
        sink.finding(finding);
    }
}

static const char* what_it_does(const Side& side) {
    return side.loads && side.stores ? "reads and writes" : side.stores ? "writes" : "reads";
}
// Threads that are too many have no number.
static std::string thread_of(const Side& side) {
    const u32 number = static_cast<u32>(side.thread);
    return number == 0 ? "another thread" : "thread " + std::to_string(number);
}

static std::optional<PlacedFinding> placed_finding(const AnyRecord& record, const Catalog& catalog) {
    const auto* const group = record.as<Group>();
    if (group == nullptr || !group->finding || group->what.empty()) return std::nullopt;
    PlacedFinding finding{.kind = group->kind, .what = std::string(group->what)};
    if (!group->sides.empty()) {
        finding.stack = group->sides[0].stack;
        finding.thread = static_cast<u32>(group->sides[0].thread);
    }
    // A merged profile has the sides of all processes.
    if (group->sides.size() == 2)
        finding.remarks.push_back(
            {thread_of(group->sides[1]) + " " + what_it_does(group->sides[1]) + " the same cache line",
             group->sides[1].stack});
    for (const Member& each : group->members)
        if (const Object* const object = catalog.find_object(each.object);
            object != nullptr && object->kind == ObjectKind::Heap)
            finding.remarks.push_back({catalog.label(*object) + " is allocated here", object->stack});
    finding.remarks.push_back({std::string(group->figures), {}});
    finding.remarks.push_back({std::string(group->advice), {}});
    finding.remedies = remedies_of(*group);
    return finding;
}

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = {},
                       .comparison = comparison,
                       .text = text_part,
                       .pass_with_names = pass_with_names,
                       .findings = findings,
                       .placed_finding = placed_finding,
                       .stack_metrics = &kStackMetrics,
                       .line_columns = &kLineColumns};

}  // namespace memspy::report::contention
