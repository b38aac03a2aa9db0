// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/waste.h"

#include <algorithm>

#include "analyses/analysis.h"
#include "analyses/waste/bursts.h"
#include "analyses/waste/counting.h"
#include "analyses/waste/pairs.h"
#include "client/following.h"
#include "client/replacement.h"
#include "heap/heap.h"
#include "instrument/core/call_stacks.h"
#include "instrument/core/twins.h"
#include "options.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/call_tree.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::waste {
namespace {

bool running = false;
bool is_counting = false;  // running, and of a sampled run in a burst
rt::Global<Bursts> bursts;
WasteTotals of_burst{};  // of all threads, kept so far
rt::Global<WasteReport> settled;
rt::Global<rt::HashMap<WasteTotals>> of_threads;  // by serial
u32 running_thread = 0;                           // serial

bool is_sampled() { return options().waste == WasteMode::Sampled; }

// Threads

void keep_running_totals() {
    if (running_thread != 0) (*of_threads)[running_thread].add(running_totals);
    of_burst.add(running_totals);
    running_totals = {};
}
void end_burst() {
    keep_running_totals();
    bursts->add(of_burst);
    of_burst = {};
}

void started(threads::Thread t, u32 guest_id, u64 blocks) {
    if (!running) return;
    if (is_sampled() && bursts->turns(blocks)) {
        is_counting = bursts->is_on();
        instrument::run_twins(is_counting);
        if (is_counting) {
            instrument::enter_twins(t, guest_id);
            forget_states();
        } else {
            end_burst();
        }
    }
    if (t.serial == running_thread) return;
    keep_running_totals();
    running_thread = t.serial;
    thread_loads(t.serial);
}
void settle() {
    // After the last thread's end the tool's final code runs, which is not the program's.
    if (!running || threads::threads_now() == 0) return;
    end_burst();
    WasteReport& to = *settled;
    if (is_sampled()) {
        to.sample = {.bursts = bursts->count(), .rate = bursts->rate()};
        for (u32 i = 0; i < kWasteRowKinds; ++i)
            to.sample.errors[i] = bursts->error(WasteRowKind{static_cast<u8>(i)});
    }
    to.totals = {};
    to.threads.clear();
    ThreadWaste unnamed;
    for (const threads::KnownThread& thread : threads::all_threads()) {
        const WasteTotals* const totals = of_threads->find(thread.serial);
        if (totals == nullptr) continue;
        to.totals.add(*totals);
        if (threads::is_named(thread.serial))
            to.threads.push_back({thread.serial, *totals});
        else
            unnamed.totals.add(*totals);
    }
    if (unnamed.totals.loaded + unnamed.totals.stored != 0) to.threads.push_back(unnamed);
    build_rows(to);
}

void exited(threads::Thread t, u32) {
    if (!running) return;
    if (threads::threads_now() == 1) return settle();
    keep_running_totals();
    running_thread = 0;
    thread_forgotten(t.serial);
}
void forked(threads::Thread, u32) {
    if (!running) return;
    clear_counts();
    of_threads->clear();
}

// Memory

places::Place place_of_guest(u32 guest_id) { return {VG_(get_IP)(guest_id), instrument::path_of(guest_id)}; }
void call_accessed(threads::Thread, u32 guest_id, Address begin, usize bytes, bool stores) {
    if (!is_counting || bytes == 0) return;
    if (!stores) return event_loads(begin, bytes);
    event_stores(begin, bytes, place_of_guest(guest_id));
}
void changed(Address begin, usize bytes) {
    if (running && bytes != 0) memory_is_new(begin, bytes);
}
places::Place place_of_running() {
    const ThreadId thread = VG_(get_running_tid)();
    return thread == VG_INVALID_THREADID ? places::Place{} : place_of_guest(thread);
}
void resized(const heap::Block& from, const heap::Block& to) {
    if (!is_counting || from.payload == to.payload) return;
    // The block moves here, so that an access through the old pointer is found.
    if (to.size <= from.size) {
        event_frees(from.payload + to.size, from.size - to.size, place_of_running());
        return event_shrinks(from.payload, to.payload, to.size);
    }
    event_loads(from.payload, from.size);
    event_stores(to.payload, from.size, place_of_running());
}
void released(const heap::Block& block) {
    if (is_counting) event_frees(block.payload, block.size, place_of_running());
}

void register_with_core() {
    threads::listen({.exited = exited,
                     .started = started,
                     .call_accessed = call_accessed,
                     .mapped = changed,
                     .unmapped = changed,
                     .forked = forked});
}

void start() {
    running = options().waste != WasteMode::No;
    if (!running) return;
    is_counting = !is_sampled();
    if (is_sampled()) {
        const u64 length = static_cast<u64>(options().waste_burst);
        bursts->start(length, std::max(length, static_cast<u64>(options().waste_period)));
        instrument::want_twins();
    }
    threads::fold_recursion();
    is_sampled() ? instrument::follow_calls_of_twins() : instrument::follow_calls();
    places::follow_stacks();
    client::want_replacement();
    client::listen({.resized = resized, .released = released});
    constexpr double kMillionths = 1e-6;
    start_counting(static_cast<double>(options().waste_tolerance) * kMillionths,
                   static_cast<u32>(options().waste_context), is_sampled());
}

void resume() {
    if (running) forget_states();
}

void finish(End) {
    settle();
    if (running) print_summary(*settled, static_cast<u32>(options().top));
}

void print_statistics() {
    if (!running) return;
    const ContextUse use = context_use();
    VG_(message)(Vg_DebugMsg,
                 "memspy: waste: %llu stretches, %llu blocks of %llu bytes, %llu cell misses, %llu pairs\n",
                 static_cast<ULong>(use.stretches), static_cast<ULong>(use.blocks),
                 static_cast<ULong>(use.bytes), static_cast<ULong>(use.misses),
                 static_cast<ULong>(pair_count()));
}

}  // namespace

const WasteReport& report() { return *settled; }

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "waste",
                                .wanted = [] { return options().waste != WasteMode::No; },
                                .register_with_core = register_with_core,
                                .start = start,
                                .resume = resume,
                                .checkpoint = settle,
                                .finish = finish,
                                .print_statistics = print_statistics,
                                .section = &kSection};

}  // namespace memspy::waste
