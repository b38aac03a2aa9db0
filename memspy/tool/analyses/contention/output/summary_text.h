// SPDX-License-Identifier: GPL-2.0-or-later
//
// The layout of the summary on contention and sharing: 100 columns, less the ten of the core's prefix. No
// Valgrind here: callbacks supply names from debug information and take the lines.
#pragma once

#include "analyses/contention/sharing_report.h"

namespace memspy::contention {

inline constexpr usize kSummaryWidth = 90;

struct SummaryOptions {
    u32 top = 20;        // objects in the table
    u32 maps = 5;        // groups with a line map
    u32 threads = 16;    // in the table of threads and in each map
    bool brief = false;  // what was found, in ten lines; else with all tables
    u64 coherence_latency = 0;
    // Appends "worker (file.c:12)".
    void (*describe_place)(rt::Text& text, const places::Place& place) = nullptr;
    // Appends the function that the block was allocated in, in the same form.
    bool (*is_library_data)(const places::Object& object) = nullptr;
    void (*describe_allocation)(rt::Text& text, ContextId allocated) = nullptr;
    // Appends "heap blocks stats of main (program.c:8)".
    void (*describe_blocks)(rt::Text& text, ContextId allocated, bool several) = nullptr;
    void (*line)(const char* line) = nullptr;  // takes one line, without a newline
};

void lay_out_summary(const SharingReport& report, const ReplayStatus& status, const SummaryOptions& options);

}  // namespace memspy::contention
