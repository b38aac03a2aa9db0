// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/contention.h"

#include <cstddef>
#include <new>

#include "analyses/analysis.h"
#include "analyses/contention/output/sharing_findings.h"
#include "analyses/contention/output/summary.h"
#include "analyses/contention/parted.h"
#include "analyses/contention/passing.h"
#include "analyses/contention/recorder.h"
#include "analyses/contention/sharing_report.h"
#include "client/replacement.h"
#include "instrument/instrument.h"
#include "instrument/touch.h"
#include "log/stations.h"
#include "options.h"
#include "places/code.h"
#include "places/objects.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "replay/lock_functions.h"
#include "replay/sync_calls.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/call_tree.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/modules.h"
#include "vg/source_info.h"
#include "vg/thread_life.h"
#include "vg/turns.h"

namespace memspy::contention {
namespace {

using replay::Time;

bool running = false;  // the analysis is on, or others want its replay
ReplayStatus current;
Thread first_thread;

// The log of a living thread; indexed by its slot.
struct StrandStation {
    Strand* strand = nullptr;
    Int maker = 0;  // before its first run: the kernel's id of the thread that created it
};
rt::Global<rt::Vector<StrandStation>> stations;

// Who began last with this stack pointer. C libraries give the stack of a thread that has ended to a new one.
rt::Global<rt::HashMap<u32>> on_stacks;

StrandStation& station_of(Thread t) {
    if (stations->size() <= t.slot) stations->resize(t.slot + 1);
    return (*stations)[t.slot];
}

rt::Global<replay::SyncCalls> sync_calls;

// Several threads run, and their accesses are logged.
bool is_following() { return current.several_threads && log::is_writing(); }

AtomicCode atomic_code_in(const char* name, bool omp) {
    // This test comes first, because __kmp_release_64 has a name like those of functions that release locks.
    if (omp && replay::is_omp_barrier_function(name)) return AtomicCode::Barrier;
    if (replay::works_on_lock(name)) return AtomicCode::Lock;
    return replay::waits_or_wakes(name) ? AtomicCode::Wait : AtomicCode::Other;
}

// Looking up names is slow. Code without a name is identified by the path to it.
AtomicCode atomic_code(const Place& place) {
    static rt::Global<rt::HashMap<AtomicCode>> by_instruction, by_path;
    AtomicCode& own = (*by_instruction)[place.instruction];
    if (own == AtomicCode::Unknown) {
        const char* name = places::named_function_at(place.instruction);
        own = name == nullptr ? AtomicCode::Callers
                              : atomic_code_in(name, places::is_omp_code(place.instruction));
    }
    if (own != AtomicCode::Callers) return own;
    AtomicCode& code = (*by_path)[static_cast<u64>(place.path)];
    if (code == AtomicCode::Unknown) {
        const bool omp = places::is_omp_code(place.instruction);
        const char* name = places::function_of(place);
        // A thread of libomp's pool is not in any function with a name.
        if (name == nullptr)
            code = omp ? AtomicCode::Barrier : AtomicCode::Other;
        else
            code = atomic_code_in(name, omp);
    }
    return code;
}

// A thread that may have a part in a finding keeps its own figures.
void sum_up_if_unnamed(u32 serial) {
    constexpr u64 kPart = 1000;  // events
    const ThreadRow* const row = find_thread(serial);
    if (row == nullptr || threads::is_named(serial)) return;
    if (row->counts[static_cast<u32>(View::Modelled)].events() < kPart) sum_up(serial);
}
void sum_up_unnamed() {
    for (const threads::KnownThread& thread : threads::all_threads()) sum_up_if_unnamed(thread.serial);
}

void merged(Thread t) {
    threads::release_slot(t);
    sum_up_if_unnamed(t.serial);
}

bool read_client(Address from, void* to, usize bytes) {
    if (!VG_(am_is_valid_for_client)(from, bytes, VKI_PROT_READ)) return false;
    VG_(memcpy)(to, reinterpret_cast<const void*>(from), bytes);
    return true;
}

// From now on several threads run.
void follow_all() {
    current.several_threads = true;
    first_thread = threads::thread_of_guest(1);
    RecorderOptions recorder;
    recorder.line_bytes = static_cast<u32>(options().line_size);
    recorder.log_chunks = static_cast<u32>(options().access_log_size * 1'000'000 / i64{log::kFullBit});
    recorder.coherence_latency = static_cast<u32>(options().coherence_latency);
    constexpr i64 kUsualCost = 100;  // of a line's transfer, in simple instructions
    const i64 latency = options().coherence_latency;
    recorder.event_cost = options().contention ? static_cast<u32>(latency != 0 ? latency : kUsualCost) : 0;
    recorder.counts = options().contention;
    recorder.sampled = log::is_sampled_by_threads();
    recorder.touched_before = instrument::was_touched;
    recorder.first = first_thread;
    recorder.atomic_code = atomic_code;
    recorder.merged = merged;
    recorder.read_word = [](Address a, u32* value) { return read_client(a, value, sizeof *value); };
    if (log::is_replay_order_wanted()) {
        recorder.in_order = log::tell_in_order;
        recorder.order_slack = log::order_slack;
    }
    initialise_recorder(recorder);
}

// The host of the sync calls.

log::LockCall lock_call_at(Address code) {
    const HChar* name = nullptr;
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name)) return {};
    return replay::lock_call(name);
}

// What the thread is about to wait for, by the functions that it is in. A frame may be gone, where it ends with a
// jump to a function without a name.
replay::FutexUse futex_use(Thread t) {
    using replay::FutexUse;
    if (const Strand* strand = station_of(t).strand; strand != nullptr) {
        if (is_in_acquire(*strand)) return FutexUse::Lock;
        if (is_in_take(*strand)) return FutexUse::Token;
    }
    constexpr UInt kNear = 6;
    Addr addresses[kNear];
    const UInt count = VG_(get_StackTrace)(threads::guest_of(t), addresses, kNear, nullptr, nullptr, 0);
    for (UInt i = 0; i < count; ++i) {
        const HChar* name = nullptr;
        if (!VG_(get_fnname)(VG_(current_DiEpoch)(), addresses[i], &name)) continue;
        if (replay::is_condition_function(name)) return FutexUse::Other;
        if (replay::is_wait_function(name)) return FutexUse::Call;
        if (replay::works_on_lock(name)) return FutexUse::Lock;
    }
    return FutexUse::Other;
}

void sleeps_on(Thread t, Address word) {
    if (is_following()) contention::sleeps_on(*station_of(t).strand, word);
}

// What a thread loaded before it called a function that takes a lock is not what that function waits for.
void yields(Thread t) {
    if (is_following() && !is_in_acquire(*station_of(t).strand)) poll(*station_of(t).strand);
}

// The slices in which the core runs threads. A thread that is ahead of others in virtual time gets a short one.
class TimeSlice {
public:
    void begin(Thread t, u64 blocks) {
        if (running_ && clocks().is_known(running_)) learn(clocks().now(running_), blocks);
        running_ = t;
        began_ = blocks;
        from_ = clocks().now(t);
    }
    // The core counts these blocks as run.
    void cut(u64 blocks) { began_ += blocks; }
    i64 blocks_within_skew(Thread t) const {
        constexpr i64 kMost = 1'000'000'000;
        // The end of a slice costs as much as some thousand instructions.
        constexpr u64 kLeast = 500;
        const Time slowest = slowest_but(t).time;
        if (options().skew == 0 || slowest == replay::kNever) return kMost;
        const Time until = slowest + static_cast<u64>(options().skew), now = virtual_time(t);
        const u64 most = until > now ? (until - now) * blocks_ / (instructions_ + 1) : 0;
        return static_cast<i64>(most < kLeast ? kLeast : most);
    }

private:
    // How many instructions a superblock has, by what ran lately. One slice tells little: in calls on locks no
    // instruction counts. It tells nothing if none did, or if the clock was raised.
    void learn(Time now, u64 blocks) {
        constexpr u64 kRemembered = 1u << 16;  // blocks
        constexpr u64 kMostEach = 60;          // by the core's own limit
        const u64 ran = blocks - began_;
        if (now <= from_ || now - from_ > ran * kMostEach) return;
        instructions_ += now - from_;
        blocks_ += ran;
        for (; blocks_ > kRemembered; blocks_ /= 2) instructions_ /= 2;
    }

    Thread running_;
    u64 began_ = 0;
    Time from_ = 0;
    u64 instructions_ = 6 << 14, blocks_ = 1 << 14;
};
TimeSlice slice;

// A thread that is further ahead than the skew, or could only look at a lock that another one has, lets the slowest
// one run first. That one may sleep, though its clock does not know it: then the others do not wait for it again until
// it has run.
bool must_wait(u32 guest_id, u32 waited) {
    constexpr u32 kPatience = 200'000;  // microseconds: the system wakes a thread sooner, under load too
    if (!is_following()) return false;
    const Thread t = threads::thread_of_guest(guest_id);
    const Strand* const strand = t ? station_of(t).strand : nullptr;
    if (strand == nullptr || clocks().time_to_run(t) == replay::kNever) return false;
    const Time ahead = is_stuck(*strand) ? replay::kNever : virtual_time(t);
    for (;;) {
        const Slowest slowest = slowest_but(t);
        if (slowest.strand == nullptr || slowest.time + static_cast<u64>(options().skew) >= ahead)
            return false;
        if (waited < kPatience) return true;
        set_absent(*slowest.strand, true);
    }
}

// Events of threads

void created(Thread parent, Thread child, u32 guest_id) {
    if (!running) return;
    know_thread(child, parent.serial, guest_id);
    sync_calls->created(parent, child);
    if (!parent || (!current.several_threads && threads::is_helper(child))) return;
    if (!current.several_threads) {
        follow_all();
        if (options().skew != 0) vg::take_turns(must_wait);
    }
    station_of(child).maker = vg::kernel_id();
}

void exited(Thread t, u32) {
    if (!running) return;
    const Address cleared = sync_calls->exited(t);
    if (!is_following()) return;
    if (threads::threads_now() > 1) vg::end_thread(cleared);
    watch_new_words();
}

void started(Thread t, u32 guest_id, u64 blocks) {
    if (!running) return;
    clocks().runs(t, blocks);
    if (!is_following()) return;
    StrandStation& station = station_of(t);
    if (station.maker != 0) {
        vg::await_sleep(station.maker);
        const Address top = VG_(get_SP)(guest_id);
        u32& began = (*on_stacks)[top];
        if (began != 0) begin_on_stack_of(began, top);
        began = t.serial;
        begin_on_stack(t, top);
    }
    station.maker = 0;
    if (station.strand != nullptr) set_absent(*station.strand, false);
    merge_early();
    slice.begin(t, blocks);
    i64 most = slice.blocks_within_skew(t);
    if (options().interleave > 0 && options().interleave < most) most = options().interleave;
    slice.cut(vg::shorten_slice(guest_id, most));
}

// Events of the log

constexpr log::Consumer kConsumer = {
    .begin =
        [](Thread t) {
            station_of(t).strand = make_strand(t);
            threads::hold_slot(t);
        },
    .records = [](Thread t, const u64*,
                  const u64* end) { read(*station_of(t).strand, const_cast<u64*>(end)); },
    .thread_gone =
        [](Thread t) {
            thread_gone(station_of(t).strand);
            station_of(t) = StrandStation{};
        },
    .forked =
        [](Thread t) {
            for (u32 slot = 0; slot < stations->size(); ++slot)
                if (slot != t.slot) (*stations)[slot] = StrandStation{};
            clocks().forget_others(t);
            forget_others(station_of(t).strand);
            restart(t.serial);
        },
    .room = [](Thread t) { return log_begin(*station_of(t).strand); },
    .renew = [](Thread t) { return renew_chunk(*station_of(t).strand); },
    .quiet_bit = [](Thread t) { return quiet_bit(*station_of(t).strand); },
    .worth_reading = [](Thread t, const log::Record& record) { return passes_when_read(t, record); },
    .time = [](Thread t) { return clocks().now(t); },
    .follows = [](Thread t) { return follows(*station_of(t).strand); },
    .settle = merge_all,
    .forced = [] { return recorder_counts().forced; }};

// If everything is logged from the start, generated code need not mark the lines that the first thread
// touches, because the log has them.
constexpr log::Consumer kToucher = {
    .as_logged = true, .passes_quiet = true, .records = [](Thread, const u64* first, const u64* end) {
        if (current.several_threads) return;
        log::for_each_record(first, end, [](const log::Record& record, const log::Shape& shape) {
            log::for_each_access(
                record, shape, [](const log::AccessUse& use, Address a) { instrument::touch(a, use.bytes); });
        });
    }};

ReportSettings chosen_settings() {
    ReportSettings settings;
    settings.line_bytes = instrument::policy().line_bytes;
    settings.sharing = options().sharing;
    settings.threshold = options().sharing_threshold;
    settings.floor = static_cast<u64>(options().sharing_floor);
    constexpr i64 kDetailed = 64;
    settings.end = virtual_end();
    settings.suspect_of = suspect_of;
    settings.waits = &waits();
    settings.turns_of_lock = turns_of_lock;
    settings.describe_place = places::describe_place;
    settings.language_of = places::language_of;
    settings.add_owner = places::add_owner;
    settings.add_origin = places::add_origin;
    settings.name_element = places::name_element;
    settings.find_elements = places::find_elements;
    settings.add_fields = places::add_fields;
    settings.own_place = places::own_place;
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

void before_call(Thread t, u32, u32 number, const u64* arguments) {
    if (!running) return;
    sync_calls->before_call(t, number, arguments);
    if (!is_following()) return;
    if (number == __NR_exit_group || number == __NR_execve) vg::await_ends();
    watch_new_words();
    if (Strand* const strand = station_of(t).strand) enters_kernel(*strand);
}
void after_call(Thread t, u32, u32 number, const u64* arguments, i64 result) {
    if (!running) return;
    sync_calls->after_call(t, number, arguments, result);
    if (!is_following()) return;
    watch_new_words();
    if ((number == __NR_clone || number == __NR_clone3) && result > 0)
        vg::await_sleep(static_cast<Int>(result));
}

void call_accessed(Thread, u32, Address begin, usize bytes, bool) {
    if (running && instrument::policy().enabled && !current.several_threads) instrument::touch(begin, bytes);
}

void unmapped(Address begin, usize bytes) {
    if (!is_following()) return;
    vg::know_modules();
    retire(begin, begin + bytes);
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
    const RecorderCounts& r = recorder_counts();
    say("memspy: %llu runs of records read once, %llu records merged\n", r.quiet, r.interesting);
    say("memspy: %llu more accesses were not logged, at most %llu events more\n", s.unlogged, s.missing);
    say("memspy: %llu shapes, %llu call paths, %llu chunks, %llu threads\n", log::shape_count(),
        threads::call_tree_size(), log::chunks_taken(), s.threads);
    say("memspy: %llu bytes know who owns a line; %llu words synchronise\n", ownership_bytes(),
        clocks().sync_words());
}

}  // namespace

void settle() {
    if (!current.several_threads) return;
    forget_report();
    merge_all();
    sum_up_unnamed();
}

void checkpoint() {
    if (!current.several_threads) return;
    forget_report();
    merge();
    count_calm_lines();
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
    const RecorderCounts& counts = recorder_counts();
    current.threads = threads::threads_ever();
    current.merged = counts.merged;
    current.forced = counts.forced;
    current.lifted = counts.lifted;
    current.unlogged = total_accesses().passed;
    current.missing = missing_events();
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
    if (!current.several_threads)
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
}

void register_with_core() {
    vg::prefer_fair_scheduling();
    places::follow_threads();
    threads::listen({.created = created,
                     .exited = exited,
                     .started = started,
                     .before_call = before_call,
                     .after_call = after_call,
                     .call_accessed = call_accessed,
                     .unmapped = unmapped});
}

void acquired(Address begin, usize bytes) {
    if (current.several_threads) change_hands(begin, begin + bytes);
}

void reused(const heap::Block& block) {
    if (current.several_threads) begin_anew(block.payload, block.payload + block.size);
}

void released(const heap::Block& block) {
    if (!current.several_threads) return;
    if (options().defects) note_block(block);
    retire(block.payload, block.payload + block.size);
}

void start() {
    running = options().contention || log::is_replay_order_wanted();
    if (!running) return;
    if (options().contention) vg::read_lines_of_system();
    instrument::Policy& policy = instrument::policy();
    policy.recording = instrument::AccessRecording::Touch;
    log::Consumer consumer = kConsumer;
    consumer.passes_quiet = !options().contention_exact;
    consumer.only_orders = !options().contention;
    log::attach(consumer);
    if (options().contention) log::attach(kToucher);
    policy.line_bytes = static_cast<u32>(options().line_size);
    policy.spins_without_hint = places::is_gomp_code;
    policy.lock_call = lock_call_at;
    if (!instrument::initialise_touched())
        VG_(umsg)(
            "memspy: the system has no memory for marks of lines: what the first thread touched "
            "before others start counts as never touched\n");
    client::listen({.acquired = acquired, .reused = reused, .released = released});
    OwnershipOptions ownership;
    ownership.line_bytes = policy.line_bytes;
    ownership.test_before_write = options().test_before_write;
    configure(ownership);
    set_per_thread(options().thread_counters);
    sync_calls->configure(
        &clocks(), {.read = read_client, .futex_use = futex_use, .sleeps_on = sleeps_on, .yields = yields});
}

bool has_events() {
    const CoherenceCounts modelled = total(View::Modelled), observed = total(View::Observed);
    return modelled.coherence_misses + modelled.invalidations + observed.coherence_misses +
               observed.invalidations !=
           0;
}

void finish(End) {
    if (!current.several_threads || !options().contention) return;
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
