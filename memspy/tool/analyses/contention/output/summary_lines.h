// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines of the summary, put together piece by piece.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

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

class SummaryLines {
public:
    explicit SummaryLines(const SummaryOptions& options) : options_(options) {}

    rt::Text text;  // of the present line

    // Hands the line over.
    void end();
    void blank() { end(); }
    // Text that may be longer than a line, broken at blanks.
    void wrapped(const char* words, usize indent);
    void number(usize column, u64 value);

    const SummaryOptions& options() const { return options_; }

private:
    const SummaryOptions& options_;
};

// What `add` adds to the text ends at `column`.
void put_right(rt::Text& text, usize column, auto&& add) {
    const usize start = text.size();
    add();
    text.align_right(start, column);
}
inline const char* plural(u64 count) { return count == 1 ? "" : "s"; }
// "heap blocks stats of main (program.c:8)"
void add_blocks(rt::Text& text, const Object& owner, const SummaryOptions& options);

// Locks and words that threads waited for, each with the place where they waited longest.
void print_waits(SummaryLines& to, const SharingReport& report);
// The bytes of a line, one row for each thread:
//    byte       0       8       16 ...
//    thread 2   ++++............       100k/100k
//    object     aaaabbbb........
void print_line_map(SummaryLines& to, const SharingReport& report, const ReportLine& line);

}  // namespace memspy::contention
