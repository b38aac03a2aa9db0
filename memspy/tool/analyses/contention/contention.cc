// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/contention.h"

#include <new>

#include "analyses/analysis.h"
#include "analyses/contention/build_report.h"
#include "analyses/contention/latent/latent.h"
#include "analyses/contention/output/sharing_findings.h"
#include "analyses/contention/output/summary.h"
#include "analyses/contention/parted.h"
#include "client/replacement.h"
#include "instrument/core/policy.h"
#include "instrument/log/entered.h"
#include "lines/ownership.h"
#include "log/consumer.h"
#include "log/records.h"
#include "options.h"
#include "order/follow.h"
#include "order/line_life.h"
#include "order/passing.h"
#include "order/recorder.h"
#include "places/captured.h"
#include "places/code.h"
#include "places/objects.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "remedies/sharing_report.h"
#include "rt/global.h"
#include "rt/prefix.h"
#include "rt/runtime_libraries.h"
#include "sharing/line_counts.h"
#include "threads/call_tree.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/entry_names.h"
#include "vg/modules.h"
#include "vg/source_info.h"

namespace memspy::contention {
namespace {

// A thread that may have a part in a finding keeps its own figures.
void sum_up_if_unnamed(u32 serial) {
    constexpr u64 kPart = 1000;  // events
    const ThreadRow* const row = find_thread(serial);
    if (row == nullptr || threads::is_named(serial)) return;
    if (row->counts[static_cast<u32>(View::Modelled)].events() < kPart) sum_up(serial);
}
// Of blocks that are allocated with an alignment of their own nothing can be said.
constexpr LatentOwners kLatentOwners = {.owner = places::find_extent, .can_move = [](ObjectId id) {
                                            const places::Object& owner = places::object(id);
                                            return owner.kind == places::Object::StorageKind::Heap &&
                                                   !places::is_aligned_allocation(owner.allocated);
                                        }};

void sum_up_unnamed() {
    for (const threads::KnownThread& thread : threads::all_threads()) sum_up_if_unnamed(thread.serial);
}

ReportSettings chosen_settings() {
    ReportSettings settings;
    settings.line_bytes = instrument::policy().line_bytes;
    settings.sharing = options().sharing;
    settings.threshold = options().sharing_threshold;
    settings.floor = static_cast<u64>(options().sharing_floor);
    constexpr i64 kDetailed = 64;
    settings.end = order::virtual_end();
    settings.suspect_of = [](ObjectId object) { return suspects().suspect_of(suspected_with(object)); };
    settings.under_locks = &under_locks();
    settings.waits = &order::waits();
    settings.turns_of_lock = order::turns_of_lock;
    settings.describe_place = places::describe_place;
    settings.language_of = places::language_of;
    settings.add_owner = places::add_owner;
    settings.add_origin = places::add_origin;
    settings.name_element = places::name_element;
    settings.find_elements = places::find_elements;
    settings.add_fields = places::add_parts;
    settings.own_place = places::own_place;
    settings.is_bit_code = places::is_bit_code;
    settings.detailed = static_cast<u32>(options().top > kDetailed ? options().top : kDetailed);
    return settings;
}

SharingReport* put_together = nullptr;

void forget_report() {
    if (put_together == nullptr) return;
    put_together->~SharingReport();
    rt::release(put_together);
    put_together = nullptr;
}

// Reports the findings and prints the summary of the settled state.
void tell() {
    SharingReport& report = settled_report();
    const ThreadId thread = VG_(get_running_tid)();
    const u32 top = static_cast<u32>(options().top);
    report_findings(report, thread == VG_INVALID_THREADID ? 1 : thread, top);
    print_summary(report, status(), top, static_cast<u64>(options().coherence_latency));
}

void print_statistics() {
    auto say = [](const HChar* format, auto... values) {
        VG_(message)(Vg_DebugMsg, format, static_cast<ULong>(values)...);
    };
    const ReplayStatus& s = status();
    for (u32 view = 0; view < kViews; ++view) {
        const CoherenceCounts c = total(static_cast<View>(view));
        say("memspy: %llu cold, %llu first touches, %llu coherence misses, %llu invalidations\n", c.cold,
            c.first_touches, c.coherence_misses, c.invalidations);
    }
    say("memspy: %llu loads, %llu stores; %llu merged; %llu forced, %llu lifted\n", total_accesses().loads,
        total_accesses().stores, s.merged, s.forced, s.lifted);
    const order::RecorderCounts& r = order::recorder_counts();
    say("memspy: %llu runs of records read once, %llu records merged\n", r.quiet, r.interesting);
    say("memspy: %llu more accesses were not logged, at most %llu events more\n", s.unlogged, s.missing);
    say("memspy: %llu shapes, %llu call paths, %llu chunks, %llu threads\n", log::shape_count(),
        threads::call_tree_size(), log::chunks_taken(), s.threads);
    say("memspy: %llu bytes know who owns a line; %llu words synchronise\n", lines::ownership_bytes(),
        order::clocks().words().with_time());
}

}  // namespace

void settle() {
    if (!order::has_several_threads()) return;
    forget_report();
    log::settle();
    sum_up_unnamed();
}

void checkpoint() {
    if (!order::has_several_threads()) return;
    forget_report();
    order::merge();
    order::count_calm_lines();
    sum_up_unnamed();
}

SharingReport& settled_report() {
    if (put_together == nullptr) {
        put_together = new (rt::allocate(sizeof(SharingReport), "memspy.sharing_report")) SharingReport;
        build(*put_together, chosen_settings());
    }
    return *put_together;
}

const ReplayStatus& status() {
    static ReplayStatus current;
    current.several_threads = order::has_several_threads();
    const order::RecorderCounts& counts = order::recorder_counts();
    current.threads = threads::threads_ever();
    current.merged = counts.merged;
    current.forced = counts.forced;
    current.lifted = counts.lifted;
    current.unlogged = total_accesses().passed;
    current.missing = order::missing_events();
    current.log_bytes = u64{log::chunks_taken()} * log::kFullBit;
    return current;
}

namespace {

// The monitor's commands.

void print_counts(const HChar* name, View view) {
    const CoherenceCounts c = total(view);
    VG_(gdb_printf)("%s: %llu first touches, %llu coherence misses, %llu invalidations\n", name,
                    static_cast<ULong>(c.first_touches), static_cast<ULong>(c.coherence_misses),
                    static_cast<ULong>(c.invalidations));
}

void print_status() {
    if (!options().contention) return void(VG_(gdb_printf)("contention: not looked at (--contention=no)\n"));
    if (!order::has_several_threads())
        return void(VG_(gdb_printf)("contention: none, there was no second thread\n"));
    constexpr u64 kMegabyte = 1'000'000;
    checkpoint();
    const ReplayStatus& now = status();
    const AccessCounts accesses = total_accesses();
    VG_(gdb_printf)("accesses: %llu loads, %llu stores\n", static_cast<ULong>(accesses.loads),
                    static_cast<ULong>(accesses.stores));
    print_counts("modelled", View::Modelled);
    print_counts("observed", View::Observed);
    VG_(gdb_printf)("access log: %llu of %llu MB in use, forced %llu times\n",
                    static_cast<ULong>((now.log_bytes + kMegabyte - 1) / kMegabyte),
                    static_cast<ULong>(options().access_log_size), static_cast<ULong>(now.forced));
}

// There is no sharing without contention.
void check_options(Options& chosen) {
    if (was_given("sharing") && chosen.sharing) chosen.contention = true;
    if (!chosen.contention) chosen.sharing = false;
    if (!chosen.contention) return;
    lines::LineObserver observer = kLineCounts;
    observer.gone = [](Thread t) { sum_up_if_unnamed(t.serial); };
    if (chosen.latent)
        observer.sampled = [](const lines::LineSample& sample) { return note_sample(sample, kLatentOwners); };
    order::observe(observer, chosen.contention_exact);
}

void register_with_core() {
    threads::listen({.created =
                         [](Thread parent, Thread child, u32 guest_id) {
                             if (options().contention) know_thread(child, parent.serial, guest_id);
                         },
                     .forked =
                         [](Thread t, u32) {
                             if (!options().contention || !order::is_following()) return;
                             restart(t.serial);
                             forget_samples();
                             suspects().clear();
                             under_locks().clear();
                         }});
}

void note_released(const heap::Block& block) {
    if (order::has_several_threads()) note_block(block);
}

// GOMP_parallel(body, data, ...) and its kin of libgomp.
bool opens_team(Address code) {
    static Address begin = 0, end = 0;  // of the module that was looked at last
    static bool is_of_openmp = false;
    if (code < begin || code >= end) {
        const vg::ModuleId id = vg::module_of_code(code);
        if (id == vg::ModuleId::None) return false;
        const vg::Module& module = vg::module(id);
        begin = module.begin;
        end = module.end;
        is_of_openmp = rt::is_gomp_library(module.path);
    }
    const auto is_parallel = [](const char* name, void*) {
        return rt::starts_with(name, "GOMP_parallel") && !rt::starts_with(name, "GOMP_parallel_end");
    };
    return is_of_openmp && vg::any_name_of_entry(code, is_parallel, nullptr);
}

bool opened_team(u32 guest_id, const instrument::EnteredFunction& call) {
    places::note_construct(threads::thread_of_guest(guest_id).serial, call.stack_pointer, call.arguments[0],
                           call.arguments[1]);
    return false;
}

void start() {
    if (!options().contention) return;
    instrument::hook_entries({.is_hooked = opens_team, .entered = opened_team});
    vg::read_lines_of_system();
    if (options().defects) client::listen({.released = note_released});
    set_per_thread(options().thread_counters);
}

bool has_events() {
    const CoherenceCounts modelled = total(View::Modelled), observed = total(View::Observed);
    return modelled.coherence_misses + modelled.invalidations + observed.coherence_misses +
               observed.invalidations !=
           0;
}

void finish(End) {
    if (!order::has_several_threads() || !options().contention) return;
    settle();
    if (options().defects) heap::for_each_live([](heap::Block& block, void*) { note_block(block); }, nullptr);
    tell();
    if (VG_(clo_stats)) print_statistics();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "contention",
                                .wanted = [] { return options().contention; },
                                .check_options = check_options,
                                .register_with_core = register_with_core,
                                .start = start,
                                .checkpoint = checkpoint,
                                .finish = finish,
                                .print_status = print_status,
                                .section = &kSection,
                                .has_results = has_events};

}  // namespace memspy::contention
