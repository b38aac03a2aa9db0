// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

#include "report/record_ops.h"
#include "report/sections/heap_profile/advice.h"
#include "report/sections/heap_profile/code_figures.h"
#include "report/sections/heap_profile/command.h"
#include "report/sections/heap_profile/comparison.h"
#include "report/sections/heap_profile/formats.h"
#include "report/sections/heap_profile/records.h"

namespace memspy::report::heap_profile {

namespace {
constexpr const Command* kCommands[] = {&kHeapCommand};
constexpr ExportFormat kExports[] = {
    {"dhat", "the heap profile, for DHAT's viewer dh_view.html", export_dhat},
    {"massif", "the heap profile, for ms_print and massif-visualizer", export_massif},
    {"pprof", "the heap profile at its peak and in all, for pprof and google-pprof", export_pprof},
};
}  // namespace

#define MEMSPY_FIELDS "fields/heap_profile.def"
#include "report/section_from.h"

extern const Section kSection;
const Section kSection{.name = kName,
                       .records = kRecords,
                       .commands = kCommands,
                       .conclusion = &kConclusions,
                       .comparison = comparison,
                       .exports = kExports,
                       .stack_metrics = &kStackMetrics};

}  // namespace memspy::report::heap_profile
