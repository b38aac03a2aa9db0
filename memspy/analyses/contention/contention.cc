// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/contention.h"

#include <cstddef>
#include <new>

#include "analyses/contention/code.h"
#include "analyses/contention/objects.h"
#include "analyses/contention/recorder.h"
#include "analyses/contention/sharing_findings.h"
#include "analyses/contention/sharing_report.h"
#include "findings/summary.h"
#include "heap/replacement.h"
#include "instrument/access_log.h"
#include "instrument/call_stacks.h"
#include "instrument/instrument.h"
#include "instrument/registers.h"
#include "instrument/touch.h"
#include "instrument/trip.h"
#include "options.h"
#include "profile_output.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/registry.h"
#include "threads/sync_calls.h"
#include "vg/compat.h"
#include "vg/modules.h"
#include "vg/thread_life.h"

namespace memspy::contention {
namespace {

using instrument::Recording;

bool running = false;  // the analysis is on
Status current;
Thread first_thread;

// What a living thread has beside its registers; by guest thread id.
struct Station {
    Strand* strand = nullptr;
    bool entered = false;  // the cursor is in its registers
    u32 call = 0;          // the number of its last system call
    Int maker = 0;         // before it runs for the first time: what the kernel calls the thread that made it
};
rt::Global<rt::Vector<Station>> stations;

Station& station_of(u32 guest_id) {
    if (stations->size() <= guest_id) stations->resize(guest_id + 1);
    return (*stations)[guest_id];
}

rt::Global<threads::SyncCalls> sync_calls;

bool is_logging() { return instrument::policy().recording == Recording::Log; }

void switch_to(Recording recording) {
    instrument::policy().recording = recording;
    vg::discard_translations();
}

void begin_to_follow(Thread t, u32 guest_id) {
    Station& station = station_of(guest_id);
    station.strand = make_strand(t);
    threads::hold_slot(t);
    station.entered = false;
}

AtomicCode atomic_code_in(const char* name, bool omp) {
    // First, since __kmp_release_64 has a name like those of the functions that give back locks.
    if (omp && threads::is_omp_barrier_function(name)) return AtomicCode::Barrier;
    if (threads::is_semaphore_function(name)) return AtomicCode::Semaphore;
    return threads::works_on_lock(name) ? AtomicCode::Lock : AtomicCode::Other;
}

// Asking for names takes long. The path to code without a name tells which function that is.
AtomicCode atomic_code(const Place& place) {
    static rt::Global<rt::HashMap<AtomicCode>> by_instruction, by_path;
    AtomicCode& own = (*by_instruction)[place.instruction];
    if (own == AtomicCode::Unknown) {
        const char* name = named_function_at(place.instruction);
        own = name == nullptr ? AtomicCode::Callers : atomic_code_in(name, is_omp_code(place.instruction));
    }
    if (own != AtomicCode::Callers) return own;
    AtomicCode& code = (*by_path)[static_cast<u64>(place.path)];
    if (code == AtomicCode::Unknown) {
        const bool omp = is_omp_code(place.instruction);
        const char* name = function_of(place);
        // A thread of libomp's pool is in no function with a name.
        if (name == nullptr)
            code = omp ? AtomicCode::Barrier : AtomicCode::Other;
        else
            code = atomic_code_in(name, omp);
    }
    return code;
}

// From now on several threads run.
void follow_all() {
    current.several_threads = true;
    first_thread = threads::thread_of_guest(1);
    RecorderOptions recorder;
    recorder.line_bytes = static_cast<u32>(options().line_size);
    recorder.log_chunks = static_cast<u32>(options().access_log_size * 1'000'000 / i64{threads::kFullBit});
    recorder.coherence_latency = static_cast<u32>(options().coherence_latency);
    recorder.touched_before = instrument::was_touched;
    recorder.first = first_thread;
    recorder.atomic_code = atomic_code;
    recorder.merged = threads::release_slot;
    initialise_recorder(recorder);
    instrument::follow_calls();
    switch_to(Recording::Log);
}

// What system calls are looked into with

bool read_client(Address from, void* to, usize bytes) {
    if (!VG_(am_is_valid_for_client)(from, bytes, VKI_PROT_READ)) return false;
    VG_(memcpy)(to, reinterpret_cast<const void*>(from), bytes);
    return true;
}

// Whether the thread is about to wait in a function that takes a lock.
bool waits_for_lock(Thread t) {
    constexpr UInt kNear = 6;
    Addr addresses[kNear];
    const UInt count = VG_(get_StackTrace)(threads::guest_of(t), addresses, kNear, nullptr, nullptr, 0);
    for (UInt i = 0; i < count; ++i) {
        const HChar* name = nullptr;
        if (!VG_(get_fnname)(VG_(current_DiEpoch)(), addresses[i], &name)) continue;
        if (threads::is_wait_function(name)) return false;
        if (threads::is_lock_function(name)) return true;
    }
    return false;
}

void yields(Thread t) {
    if (is_logging()) poll(*station_of(threads::guest_of(t)).strand);
}

// Events of threads

void created(Thread parent, Thread child, u32 guest_id) {
    if (!running) return;
    know_thread(child, parent.serial, guest_id);
    sync_calls->created(parent, child);
    if (!parent) return;
    if (!is_logging()) {
        follow_all();
        begin_to_follow(parent, threads::guest_of(parent));
    }
    begin_to_follow(child, guest_id);
    station_of(guest_id).maker = vg::kernel_id();
}

void exited(Thread t, u32 guest_id) {
    if (!running) return;
    const Address cleared = sync_calls->exited(t);
    if (!is_logging()) return;
    if (threads::threads_now() > 1) vg::end_thread(cleared);
    watch_new_words();
    Station& station = station_of(guest_id);
    thread_gone(station.strand);
    station = Station{};
    // The code that still runs at the very end has nowhere to write to.
    if (threads::threads_now() == 1) switch_to(Recording::None);
}

void started(Thread t, u32 guest_id, u64 blocks) {
    if (!running) return;
    clocks().runs(t, blocks);
    if (!is_logging()) return;
    Station& station = station_of(guest_id);
    if (station.strand == nullptr) return;
    if (station.maker != 0) vg::await_sleep(station.maker);
    station.maker = 0;
    instrument::set_word(guest_id, instrument::cursor_offset(),
                         reinterpret_cast<u64>(log_begin(*station.strand)));
    station.entered = true;
    if (const i64 most = options().interleave; most > 0) {
        constexpr PtrdiffT kCounter = offsetof(VexGuestArchState, host_EvC_COUNTER);
        Int left = 0;
        VG_(get_shadow_regs_area)(guest_id, reinterpret_cast<UChar*>(&left), 0, kCounter, sizeof(left));
        if (left > most) {
            left = static_cast<Int>(most);
            VG_(set_shadow_regs_area)(guest_id, 0, kCounter, sizeof(left),
                                      reinterpret_cast<const UChar*>(&left));
        }
    }
}

void stopped(Thread, u32 guest_id) {
    if (!is_logging()) return;
    Station& station = station_of(guest_id);
    if (station.strand == nullptr || !station.entered) return;
    read(*station.strand,
         reinterpret_cast<u64*>(instrument::get_word(guest_id, instrument::cursor_offset())));
}

// In generated code: the running thread's chunk is full.
void log_full(u8* state) {
    auto& cursor = *reinterpret_cast<u64*>(state + instrument::cursor_offset());
    if ((cursor & threads::kFullBit) == 0) return;
    Strand& strand = *station_of(VG_(get_running_tid)()).strand;
    read(strand, reinterpret_cast<u64*>(cursor));
    const bool enough = renew_chunk(strand);
    cursor = reinterpret_cast<u64>(log_begin(strand));
    if (enough) *reinterpret_cast<UInt*>(state + offsetof(VexGuestArchState, host_EvC_COUNTER)) = 0;
}

ReportSettings chosen_settings() {
    ReportSettings settings;
    settings.line_bytes = instrument::policy().line_bytes;
    settings.sharing = options().sharing;
    settings.threshold = options().sharing_threshold;
    settings.floor = static_cast<u64>(options().sharing_floor);
    constexpr i64 kDetailed = 64;
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

// Findings and summary of what has been settled.
void tell() {
    SharingReport& report = settled_report();
    const ThreadId thread = VG_(get_running_tid)();
    const u32 top = static_cast<u32>(options().top);
    report_findings(report, thread == VG_INVALID_THREADID ? 1 : thread, top);
    findings::print_summary(report, status(), top, static_cast<u64>(options().coherence_latency));
}

void before_call(Thread t, u32 guest_id, u32 number, const u64* arguments) {
    if (!running) return;
    station_of(guest_id).call = number;
    sync_calls->before_call(t, number, arguments);
    if (is_logging()) watch_new_words();
}
void after_call(Thread t, u32, u32 number, const u64* arguments, i64 result) {
    if (!running) return;
    sync_calls->after_call(t, number, arguments, result);
    if (!is_logging()) return;
    watch_new_words();
    if ((number == __NR_clone || number == __NR_clone3) && result > 0)
        vg::await_sleep(static_cast<Int>(result));
}

void call_accessed(Thread, u32 guest_id, Address begin, usize bytes, bool stores) {
    if (!running || !instrument::policy().enabled) return;
    if (!is_logging()) return instrument::touch(begin, bytes);
    Station& station = station_of(guest_id);
    if (station.strand == nullptr || !station.entered) return;
    // The core takes every futex call that does not fail for a store to the word.
    if (stores && station.call == __NR_futex) return;
    record_access(*station.strand, begin, bytes, stores,
                  Place{VG_(get_IP)(guest_id), instrument::path_of(guest_id)});
}

void forked(Thread t, u32 guest_id) {
    if (!is_logging()) return;
    for (u32 other = 0; other < stations->size(); ++other)
        if (other != guest_id) (*stations)[other] = Station{};
    clocks().forget_others(t);
    forget_others(station_of(guest_id).strand);
    reset();
}

void unmapped(Address begin, usize bytes) {
    if (!is_logging()) return;
    vg::know_modules();
    retire(begin, begin + bytes);
}

void print_statistics() {
    auto say = [](const HChar* format, auto... values) {
        VG_(message)(Vg_DebugMsg, format, static_cast<ULong>(values)...);
    };
    const Status& s = status();
    for (u32 view = 0; view < kViews; ++view) {
        const Counts c = total(static_cast<View>(view));
        say("memspy: %llu cold, %llu first touches, %llu coherence misses, %llu invalidations\n", c.cold,
            c.first_touches, c.coherence_misses, c.invalidations);
    }
    say("memspy: %llu loads, %llu stores; %llu merged; %llu forced, %llu lifted\n", total_accesses().loads,
        total_accesses().stores, s.merged, s.forced, s.lifted);
    const RecorderCounts& r = recorder_counts();
    say("memspy: %llu runs of records read once, %llu records merged\n", r.quiet, r.interesting);
    say("memspy: %llu shapes, %llu call paths, %llu chunks, %llu threads\n", threads::shape_count(),
        threads::call_tree_size(), threads::chunks_taken(), s.threads);
}

}  // namespace

void register_with_core() {
    vg::prefer_fair_scheduling();
    follow_threads();
    threads::listen({.created = created,
                     .exited = exited,
                     .started = started,
                     .stopped = stopped,
                     .before_call = before_call,
                     .after_call = after_call,
                     .call_accessed = call_accessed,
                     .mapped = instrument::make_touchable,
                     .unmapped = unmapped,
                     .forked = forked});
    instrument::set_log_full_handler(log_full);
}

void start() {
    running = options().contention;
    if (!running) return;
    instrument::Policy& policy = instrument::policy();
    policy.recording = Recording::Touch;
    policy.line_bytes = static_cast<u32>(options().line_size);
    policy.spins_without_hint = is_gomp_code;
    instrument::initialise_touched();
    heap::listen({.acquired = instrument::make_touchable, .released = [](const heap::Block& block) {
                      if (current.several_threads) retire(block.payload, block.payload + block.size);
                  }});
    OwnershipOptions ownership;
    ownership.line_bytes = policy.line_bytes;
    ownership.test_before_write = options().test_before_write;
    ownership.padded = options().pad_records;
    configure(ownership);
    set_per_thread(options().thread_counters);
    sync_calls->configure(&clocks(),
                          {.read = read_client, .waits_for_lock = waits_for_lock, .yields = yields});
}

void settle() {
    if (!current.several_threads) return;
    forget_report();
    merge_all();
}

void checkpoint() {
    if (!current.several_threads) return;
    forget_report();
    merge();
    count_calm_lines();
}

SharingReport& settled_report() {
    if (put_together == nullptr) {
        put_together = new (rt::allocate(sizeof(SharingReport), "memspy.sharing_report")) SharingReport;
        build(*put_together, chosen_settings());
    }
    return *put_together;
}

const Status& status() {
    const RecorderCounts& counts = recorder_counts();
    current.threads = threads::threads_ever();
    current.merged = counts.merged;
    current.forced = counts.forced;
    current.lifted = counts.lifted;
    current.log_bytes = u64{threads::chunks_taken()} * threads::kFullBit;
    return current;
}

ContextId stack_of(const Place& place) {
    constexpr UInt kMost = 100;
    Addr addresses[kMost];
    const UInt wanted = VG_(clo_backtrace_size) < static_cast<Int>(kMost)
                            ? static_cast<UInt>(VG_(clo_backtrace_size))
                            : kMost;
    if (place.instruction == 0) return ContextId::None;
    addresses[0] = place.instruction;
    UInt count = 1 + threads::return_addresses(place.path, addresses + 1, wanted - 1);
    for (UInt i = 1; i < count; ++i) --addresses[i];
    return id_of(VG_(make_ExeContext_from_StackTrace)(addresses, count));
}

void finish() {
    if (!current.several_threads) return;
    settle();
    tell();
    if (VG_(clo_stats)) print_statistics();
}

}  // namespace memspy::contention
