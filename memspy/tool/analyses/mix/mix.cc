// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mix/mix.h"

#include <algorithm>

#include "analyses/analysis.h"
#include "analyses/mix/counters.h"
#include "analyses/mix/functions.h"
#include "analyses/mix/io.h"
#include "analyses/mix/last_cache.h"
#include "analyses/simulated_machine.h"
#include "instrument/core/policy.h"
#include "instrument/mix/operation_counts.h"
#include "instrument/mix/segments.h"
#include "log/consumer.h"
#include "options.h"
#include "rt/global.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::mix {
namespace {

using threads::Thread;

bool running = false;
rt::Global<MixReport> settled;

// Memory

u64 modelled_bytes = 0;
rt::Global<LastCache> cache;
rt::Global<MixRows> memory_rows;
rt::Global<rt::HashMap<u8>> pages;  // touched since they were mapped
u64 last_page = ~u64{0};            // of the accesses so far

u64 power_of_two_below(u64 value) {
    u64 power = 1;
    while (power <= value / 2) power *= 2;
    return power;
}

MixFigures& figures_of(const log::AccessUse& use, Thread t) {
    return memory_rows->at(function_at(use.instruction, VG_(current_DiEpoch)().n), t.serial);
}

void touch_page(Thread t, const log::AccessUse& use, u64 page) {
    last_page = page;
    u8& known = (*pages)[page];
    if (known == 0) ++figures_of(use, t).pages;
    known = 1;
}

void access(Thread t, const log::AccessUse& use, Address address) {
    const u32 line_bytes = instrument::policy().line_bytes;
    const Address end = address + (use.bytes != 0 ? use.bytes : 1) - 1;
    for (u64 page = address / VKI_PAGE_SIZE; page <= end / VKI_PAGE_SIZE; ++page)
        if (page != last_page) touch_page(t, use, page);
    for (u64 line = address / line_bytes; line <= end / line_bytes; ++line) {
        const LastCache::Traffic traffic = cache->access(line, use.stores);
        if (!traffic.fetched) continue;
        MixFigures& figures = figures_of(use, t);
        figures.fetched += line_bytes;
        if (traffic.written) figures.written += line_bytes;
    }
}

void records(Thread t, const u64* first, const u64* end) {
    log::for_each_record(first, end, [&](const log::Record& record, const log::Shape& shape) {
        log::for_each_access(record, shape,
                             [&](const log::AccessUse& use, Address address) { access(t, use, address); });
    });
}

void unmapped(Address begin, usize bytes) {
    if (!cache->is_on()) return;
    last_page = ~u64{0};
    for (u64 page = begin / VKI_PAGE_SIZE; page < (begin + bytes) / VKI_PAGE_SIZE && !pages->empty(); ++page)
        pages->erase(page);
}

void start_memory() {
    const u64 asked = static_cast<u64>(options().mix_cache);
    modelled_bytes = power_of_two_below(asked != 0 ? asked : simulated_machine().last_cache());
    cache->start(modelled_bytes, instrument::policy().line_bytes);
    log::attach({.from_start = true, .records = records});
}

// Life

void started(Thread t, u32, u64) {
    if (running) thread_runs(t);
}
void exited(Thread t, u32);
void before_call(Thread t, u32, u32 number, const u64*) {
    if (running) io_begins(t, number);
}
void after_call(Thread t, u32 guest_id, u32 number, const u64*, i64 result) {
    if (running) io_ends(t, guest_id, number, result);
}
void forked(Thread, u32) {
    if (!running) return;
    forget_counters();
    forget_io();
    memory_rows->clear();
}

void register_with_core() {
    threads::listen({.exited = exited,
                     .started = started,
                     .before_call = before_call,
                     .after_call = after_call,
                     .unmapped = unmapped,
                     .forked = forked});
}

void start() {
    running = options().mix != MixMode::No;
    if (!running) return;
    start_counters();
    // VEX would follow branches, and execute what is behind `a && b` before it knows a.
    VG_(clo_vex_control).guest_chase = False;
    instrument::count_operations();
    if (options().mix == MixMode::Memory) start_memory();
}

// The end

// A function has a row if it has at least one part in this many of all instructions, or of what leaves the
// last cache. Python runs 3,000 functions.
constexpr u64 kPartsWorthARow = 20'000;

// Functions that are too small, and threads without a name, are summed.
void build(MixReport& to) {
    MixRows rows;
    add_counts(rows);
    memory_rows->for_each(
        [&](u32 function, u32 thread, const MixFigures& figures) { rows.at(function, thread).add(figures); });
    rows.for_each([&](u32, u32, const MixFigures& figures) { to.total.add(figures); });
    const u64 least = to.total.instructions() / kPartsWorthARow,
              least_fetched = to.total.fetched / kPartsWorthARow;
    MixRows kept;
    constexpr u32 kOthers = 0;
    rows.for_each([&](u32 function, u32 thread, const MixFigures& figures) {
        const bool big = figures.instructions() > least || figures.fetched > least_fetched;
        kept.at(big ? function : kOthers, threads::is_named(thread) ? thread : 0).add(figures);
    });
    kept.for_each([&](u32 function, u32 thread, const MixFigures& figures) {
        to.rows.push_back(MixRow{.entry = function == kOthers ? 0 : function_entry(function),
                                 .thread = thread,
                                 .figures = figures});
    });
    std::sort(to.rows.begin(), to.rows.end(), [](const MixRow& a, const MixRow& b) {
        return a.figures.instructions() > b.figures.instructions();
    });
    for (const IoRow& row : io_rows()) to.io.push_back(row);
    std::sort(to.io.begin(), to.io.end(),
              [](const IoRow& a, const IoRow& b) { return a.read + a.written > b.read + b.written; });
    to.complete = instrument::counters_complete();
}

void settle() {
    // The core runs some of the C library's code behind the program's last thread.
    if (!running || threads::threads_now() == 0) return;
    settled->rows.clear();
    settled->io.clear();
    settled->total = {};
    build(*settled);
}

void exited(Thread t, u32) {
    if (!running) return;
    if (threads::threads_now() == 1) settle();
    thread_gone(t);
}

void finish(End) {
    settle();
    if (running) print_summary(*settled, static_cast<u32>(options().top));
}

}  // namespace

const MixReport& report() { return *settled; }
u64 cache_bytes() { return modelled_bytes; }

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "mix",
                                .wanted = [] { return options().mix != MixMode::No; },
                                .register_with_core = register_with_core,
                                .start = start,
                                .checkpoint = settle,
                                .finish = finish,
                                .section = &kSection};

}  // namespace memspy::mix
