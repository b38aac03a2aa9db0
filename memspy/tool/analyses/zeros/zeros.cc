// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/zeros.h"

#include <initializer_list>

#include "analyses/analysis.h"
#include "analyses/zeros/advice.h"
#include "analyses/zeros/counters.h"
#include "analyses/zeros/data.h"
#include "analyses/zeros/output/summary.h"
#include "analyses/zeros/output/text.h"
#include "findings/findings.h"
#include "instrument/core/call_stacks.h"
#include "options.h"
#include "places/place.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "threads/registry.h"
#include "vg/source_info.h"
#include "vg/vg.h"

namespace memspy::zeros {
namespace {

bool running = false;  // loads are counted by instruction
rt::Global<CodeReport> settled;

void started(threads::Thread t, u32, u64) {
    if (running) thread_runs(t);
}

void exited(threads::Thread t, u32) {
    if (threads::threads_now() == 1) return settle();
    if (running) thread_gone(t);
}

void forked(threads::Thread, u32) {
    if (running) forget_all();
}

void register_with_core() { threads::listen({.exited = exited, .started = started, .forked = forked}); }

void start() {
    if (options().zeros != ZerosMode::No) vg::read_lines_of_system();
    if (options().zeros == ZerosMode::Data || options().zeros == ZerosMode::All) start_data();
    running = options().zeros == ZerosMode::Code || options().zeros == ZerosMode::All;
    if (!running) return;
    initialise_batch();
    set_context_depth(static_cast<u32>(options().zeros_context));
    instrument::set_zero_hooks({.contexts = context_depth() > 0,
                                .site_of = site_of,
                                .type_of = [](SiteNumber number) { return site(number).type; },
                                .slot_of = slot_of,
                                .stretch_of = stretch_of,
                                .count = count,
                                .fill_cell = fill_cell,
                                .count_batch = count_batch});
    if (context_depth() > 0) instrument::follow_calls();
}

// Fewer redundant cells are not worth reporting, whatever their share.
constexpr u64 kLeastRedundant = 100'000;

// A row that a programmer can improve, and would notice: not code of the system's libraries. Improving a
// single variable gains nothing.
bool is_finding(const LoadRow& row, u64 all) {
    const u64 least =
        all / 1'000'000 * options().zeros_threshold + all % 1'000'000 * options().zeros_threshold / 1'000'000;
    if (row.counts.redundant < least || row.counts.redundant < kLeastRedundant || row.uses.variable)
        return false;
    bool any = false;
    advise(
        row, [](const ZeroAdvice&, void* found) { *static_cast<bool*>(found) = true; }, &any);
    return any && !places::is_library_source(row.instruction);
}

void report_findings(const CodeReport& report) {
    const ThreadId running_thread = VG_(get_running_tid)();
    const u32 thread = running_thread == VG_INVALID_THREADID ? 1 : running_thread;
    rt::Text what, figures, advice;
    for (const LoadRow& row : report.rows) {
        if (!row.finding) continue;
        what.reset();
        figures.reset();
        advice.reset();
        what.add("Redundant zeros in loads of type ");
        add_type(what, row.type);
        add_figures(figures, row, report.totals);
        findings::SummedRecord record;
        record.kind = findings::FindingKind::RedundantZeros;
        record.what = what.c_str();
        record.figures = figures.c_str();
        advise(
            row,
            [](const ZeroAdvice& a, void* to) {
                auto& text = *static_cast<rt::Text*>(to);
                if (text.empty()) advice::add_sentence(text, a);
            },
            &advice);
        record.advice = advice.c_str();
        record.sides[0].stack = places::stack_of({row.instruction, row.path});
        findings::report_summed(thread, record);
    }
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

void settle() {
    // The tool's final code does not belong to the program. Its loads are still counted, but the last
    // thread's end has settled everything.
    if (threads::threads_now() == 0) return;
    if (data_is_on()) settle_data();
    if (!running) return;
    settled->rows.clear();
    settled->threads.clear();
    settled->totals = KindTotals{};
    settled->left_out = 0;
    build(*settled);
    sum_unnamed(settled->threads);
    const u64 all = all_redundant(settled->totals);
    for (LoadRow& row : settled->rows) row.finding = is_finding(row, all);
}

const CodeReport* code_report() { return running ? &*settled : nullptr; }

namespace {

void finish(End) {
    settle();
    if (running && options().zeros_errors) report_findings(*settled);
    print_zeros_summary(static_cast<u32>(options().top), options().zeros_threshold);
}

void print_statistics() {
    if (!running) return;
    auto say = [](const HChar* format, auto... values) {
        VG_(message)(Vg_DebugMsg, format, static_cast<ULong>(values)...);
    };
    const CodeReport& report = *settled;
    for (const LoadTotals* t : {&report.totals.integer, &report.totals.floating})
        say("memspy: zeros: %llu loads of %llu bytes, %llu of %llu cells redundant, %llu zero, %llu "
            "unknown\n",
            t->loads, t->bytes, t->redundant, t->cells, t->zero, t->unknown_loads);
    const CounterUse& use = counter_use();
    say("memspy: zeros: %llu rows, %llu sites, %llu stretches, %llu blocks of %llu bytes, %llu cell misses, "
        "%llu batches\n",
        report.rows.size(), use.sites, use.stretches, use.blocks, use.bytes_of_blocks, use.cell_misses,
        use.batches);
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "zeros",
                                .wanted = [] { return options().zeros != ZerosMode::No; },
                                .register_with_core = register_with_core,
                                .start = start,
                                .checkpoint = settle,
                                .finish = finish,
                                .print_statistics = print_statistics,
                                .section = &kSection,
                                .has_results = has_findings};

}  // namespace memspy::zeros
