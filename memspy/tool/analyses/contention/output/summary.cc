// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/output/summary.h"

#include "analyses/contention/output/summary_text.h"
#include "places/stacks.h"
#include "vg/vg.h"

namespace memspy::contention {
namespace {

void print_line(const char* line) { VG_(umsg)("%s\n", line); }

}  // namespace

void print_summary(const SharingReport& report, const ReplayStatus& status, u32 top, u64 coherence_latency) {
    if (!status.several_threads || VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    SummaryOptions options;
    options.top = top;
    options.coherence_latency = coherence_latency;
    options.describe_place = places::describe_place;
    options.is_library_data = places::is_library_data;
    options.describe_allocation = places::describe_allocation;
    options.describe_blocks = places::describe_blocks;
    options.line = print_line;
    lay_out_summary(report, status, options);
}

}  // namespace memspy::contention
