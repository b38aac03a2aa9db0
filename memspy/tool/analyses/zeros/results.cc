// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/results.h"

#include "analyses/zeros/advice.h"
#include "analyses/zeros/counters.h"
#include "analyses/zeros/data.h"
#include "analyses/zeros/output/text.h"
#include "options.h"
#include "places/frames.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "threads/registry.h"
#include "vg/source_info.h"

namespace memspy::zeros {
namespace {

rt::Global<CodeReport> settled;

// Fewer redundant cells are not worth reporting, whatever their share.
constexpr u64 kLeastRedundant = 100'000;

// Not code of the system's libraries. What their headers put into the program's code loads the program's data if it
// is a float; integers may be sizes and counts of the library's own.
bool is_of_program(const LoadRow& row) {
    return row.type.is_float() ? !places::is_library_code(row.instruction)
                               : !places::is_library_source(row.instruction);
}

// A row that a programmer can improve, and would notice. Improving a single variable gains nothing.
bool is_finding(const LoadRow& row, u64 all) {
    const u64 least =
        all / 1'000'000 * options().zeros_threshold + all % 1'000'000 * options().zeros_threshold / 1'000'000;
    if (row.counts.redundant < least || row.counts.redundant < kLeastRedundant || row.uses.variable)
        return false;
    bool any = false;
    advise(
        row, [](const ZeroAdvice&, void* found) { *static_cast<bool*>(found) = true; }, &any);
    return any && is_of_program(row);
}

// Replaces the totals of threads that have no name by their sum.
void sum_unnamed(rt::Vector<ThreadTotals>& totals) {
    ThreadTotals others;
    usize kept = 0;
    for (const ThreadTotals& thread : totals)
        if (threads::is_named(thread.serial))
            totals[kept++] = thread;
        else
            others.totals.add(thread.totals);
    if (kept == totals.size()) return;
    totals.resize(kept);
    totals.push_back(others);
}

}  // namespace

bool counts_code() { return options().zeros == ZerosMode::Code || options().zeros == ZerosMode::All; }

void settle() {
    // The tool's final code does not belong to the program. Its loads are still counted, but the last
    // thread's end has settled everything.
    if (threads::threads_now() == 0) return;
    if (data_is_on()) settle_data();
    if (!counts_code()) return;
    settled->rows.clear();
    settled->threads.clear();
    settled->totals = KindTotals{};
    settled->left_out = 0;
    build(*settled);
    sum_unnamed(settled->threads);
    const u64 all = all_redundant(settled->totals);
    for (LoadRow& row : settled->rows) row.finding = is_finding(row, all);
}

const CodeReport* code_report() { return counts_code() ? &*settled : nullptr; }

}  // namespace memspy::zeros
