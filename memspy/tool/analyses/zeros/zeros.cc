// SPDX-License-Identifier: GPL-2.0-or-later
#include <initializer_list>

#include "analyses/analysis.h"
#include "analyses/zeros/advice.h"
#include "analyses/zeros/client_memory.h"
#include "analyses/zeros/counters.h"
#include "analyses/zeros/data.h"
#include "analyses/zeros/output/summary.h"
#include "analyses/zeros/output/text.h"
#include "analyses/zeros/results.h"
#include "client/heap_events.h"
#include "findings/findings.h"
#include "instrument/core/call_stacks.h"
#include "instrument/spins/spin_search.h"
#include "options.h"
#include "order/follow.h"
#include "places/place.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "threads/registry.h"
#include "vg/source_info.h"
#include "vg/turns.h"
#include "vg/vg.h"

namespace memspy::zeros {
namespace {

void started(threads::Thread t, u32, u64) {
    if (counts_code()) thread_runs(t);
}

// Where accesses are followed, loops that wait are searched for there.
void stopped(threads::Thread, u32 guest_id) {
    if (!counts_code() || order::is_following() || threads::threads_now() < 2) return;
    instrument::SpinLoop loop;
    if (vg::is_slice_over(guest_id)) instrument::search_spin(guest_id, &loop);
}

void exited(threads::Thread t, u32) {
    if (threads::threads_now() == 1) return settle();
    if (counts_code()) thread_gone(t);
}

void forked(threads::Thread, u32) {
    if (counts_code()) forget_all();
}

void register_with_core() {
    threads::listen(
        {.exited = exited, .started = started, .stopped = stopped, .mapped = client_has, .forked = forked});
    client::listen({.acquired = client_has});
}

void start() {
    if (options().zeros != ZerosMode::No) vg::read_lines_of_system();
    if (options().zeros == ZerosMode::Data || options().zeros == ZerosMode::All) start_data();
    if (!counts_code()) return;
    set_context_depth(static_cast<u32>(options().zeros_context));
    leave_out(instrument::is_spin_code);
    instrument::set_zero_hooks({.contexts = context_depth() > 0,
                                .site_of = site_of,
                                .type_of = [](SiteNumber number) { return site(number).type; },
                                .slot_of = slot_of,
                                .stretch_of = stretch_of,
                                .count = count,
                                .fill_cell = fill_cell});
    if (context_depth() > 0) instrument::follow_calls();
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

void finish(End) {
    settle();
    if (counts_code() && options().zeros_errors) report_findings(*code_report());
    print_zeros_summary(static_cast<u32>(options().top), options().zeros_threshold);
}

void print_statistics() {
    if (!counts_code()) return;
    auto say = [](const HChar* format, auto... values) {
        VG_(message)(Vg_DebugMsg, format, static_cast<ULong>(values)...);
    };
    const CodeReport& report = *code_report();
    for (const LoadTotals* t : {&report.totals.integer, &report.totals.floating})
        say("memspy: zeros: %llu loads of %llu bytes, %llu of %llu cells redundant, %llu zero, %llu "
            "unknown\n",
            t->loads, t->bytes, t->redundant, t->cells, t->zero, t->unknown_loads);
    const CounterUse& use = counter_use();
    say("memspy: zeros: %llu rows, %llu sites, %llu stretches, %llu blocks of %llu bytes, %llu cell misses\n",
        report.rows.size(), use.sites, use.stretches, use.blocks, use.bytes_of_blocks, use.cell_misses);
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
