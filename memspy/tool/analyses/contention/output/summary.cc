// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/output/summary.h"

#include <algorithm>

#include "analyses/contention/output/summary_text.h"
#include "options.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "vg/vg.h"

namespace memspy::contention {
namespace {

void print_line(const char* line) { VG_(umsg)("%s\n", line); }

}  // namespace

void print_summary(const SharingReport& report, const ReplayStatus& status, u32 top, u64 coherence_latency) {
    if (!status.several_threads || VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    SummaryOptions options;
    options.brief = VG_(clo_verbosity) == 1 && !was_given("top");
    constexpr u32 kBriefly = 5;
    options.top = options.brief ? std::min(top, kBriefly) : top;
    options.coherence_latency = coherence_latency;
    options.describe_place = places::describe_place;
    options.is_library_data = places::is_library_data;
    options.describe_allocation = places::describe_allocation;
    options.describe_blocks = places::describe_blocks;
    options.line = print_line;
    lay_out_summary(report, status, options);
}

}  // namespace memspy::contention
