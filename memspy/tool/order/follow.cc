// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/follow.h"

#include "client/replacement.h"
#include "instrument/core/policy.h"
#include "instrument/log/log_policy.h"
#include "instrument/log/touch.h"
#include "instrument/spins/spin_search.h"
#include "log/keeper.h"
#include "log/stations.h"
#include "options.h"
#include "order/line_sampler.h"
#include "order/passing.h"
#include "order/recorder.h"
#include "order/recording.h"
#include "order/rules.h"
#include "order/sync_calls.h"
#include "places/code.h"
#include "places/objects.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "sync/lock_functions.h"
#include "sync/wait_functions.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/entry_names.h"
#include "vg/modules.h"
#include "vg/thread_life.h"
#include "vg/turns.h"

namespace memspy::order {
namespace {

bool running = false;  // somebody wants the order
bool several_threads = false;
// The analysis of lines, if there is one (observe()).
bool counts = false, exact = false;
rt::Global<LineObserver> observer;

// The log of a living thread; indexed by its slot.
struct StrandStation {
    Strand* strand = nullptr;
    Int maker = 0;            // before its first run: the kernel's id of the thread that created it
    bool has_waited = false;  // it has let others run before the lock that it takes next
};
rt::Global<rt::Vector<StrandStation>> stations;

// Who began last with this stack pointer. C libraries give the stack of a thread that has ended to a new one.
rt::Global<rt::HashMap<u32>> on_stacks;

StrandStation& station_of(Thread t) {
    if (stations->size() <= t.slot) stations->resize(t.slot + 1);
    return (*stations)[t.slot];
}

rt::Global<SyncCalls> sync_calls;

AtomicCode atomic_code_in(const char* name, bool omp) {
    // This test comes first, because __kmp_release_64 has a name like those of functions that release locks.
    if (omp && is_omp_barrier_function(name)) return AtomicCode::Barrier;
    if (works_on_lock(name) || is_condition_function(name) || is_wake_function(name)) return AtomicCode::Lock;
    return waits_or_wakes(name) ? AtomicCode::Wait : AtomicCode::Other;
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

bool read_client(Address from, void* to, usize bytes) {
    if (!VG_(am_is_valid_for_client)(from, bytes, VKI_PROT_READ)) return false;
    VG_(memcpy)(to, reinterpret_cast<const void*>(from), bytes);
    return true;
}

// From now on several threads run.
void follow_all() {
    several_threads = true;
    RecorderOptions recorder;
    if (counts) recorder.observer = *observer;
    recorder.line_bytes = static_cast<u32>(options().line_size);
    recorder.log_chunks = static_cast<u32>(options().access_log_size * 1'000'000 / i64{log::kFullBit});
    recorder.coherence_latency = static_cast<u32>(options().coherence_latency);
    constexpr i64 kUsualCost = 100;  // of a line's transfer, in simple instructions
    const i64 latency = options().coherence_latency;
    recorder.event_cost = counts ? static_cast<u32>(latency != 0 ? latency : kUsualCost) : 0;
    recorder.counts = counts;
    recorder.sampled = log::is_sampled_by_threads();
    recorder.touched_before = instrument::was_touched;
    recorder.first = threads::thread_of_guest(1);
    recorder.atomic_code = atomic_code;
    recorder.merged = [](Thread t) {
        threads::release_slot(t);
        recording->options.observer.gone(t);
    };
    recorder.read_word = [](Address a, u32* value) { return read_client(a, value, sizeof *value); };
    if (log::is_replay_order_wanted()) {
        recorder.in_order = log::tell_in_order;
        recorder.order_slack = log::order_slack;
    }
    initialise_recorder(recorder);
}

// The host of the sync calls.

// What the thread is about to wait for, by the functions that it is in. A frame may be gone, where it ends
// with a jump to a function without a name.
FutexUse futex_use(Thread t) {
    if (const Strand* strand = station_of(t).strand; strand != nullptr) {
        if (strand->is_in_acquire()) return FutexUse::Lock;
        if (strand->is_in_take()) return FutexUse::Token;
    }
    constexpr UInt kNear = 6;
    Addr addresses[kNear];
    const UInt count = VG_(get_StackTrace)(threads::guest_of(t), addresses, kNear, nullptr, nullptr, 0);
    for (UInt i = 0; i < count; ++i) {
        const HChar* name = nullptr;
        if (!VG_(get_fnname)(VG_(current_DiEpoch)(), addresses[i], &name)) continue;
        if (is_condition_function(name)) return FutexUse::Other;
        if (is_wait_function(name)) return FutexUse::Call;
        // Who tells others of a condition waits for nothing but its words.
        if (works_on_lock(name) || is_wake_function(name)) return FutexUse::Lock;
    }
    return FutexUse::Other;
}

// What a thread loaded before it called a function that takes a lock is not what that function waits for.
void yields(Thread t) {
    if (!is_following()) return;
    if (Strand& strand = *station_of(t).strand; !strand.is_in_acquire()) strand.yields();
}

// The slices in which the core runs threads. A thread that is ahead of others in virtual time gets a short
// one.
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
        if (options().skew == 0) return kMost;
        const Behind behind = Behind::now();
        if (clocks().has_to_look(t) || behind.looker_but(t) != nullptr) return rules::kLookersFirst;
        const Time now = virtual_time(t);
        Time slowest = behind.slowest_but(t).time;
        // Who waits in a loop sees that a word has changed, or that a lock is free, only if it runs meanwhile.
        if (slowest > now && does_any_wait(t)) slowest = now;
        if (slowest == kNever) return kMost;
        const Time until = slowest + station_of(t).strand->skew(static_cast<u64>(options().skew));
        const u64 most = until > now ? (until - now) * blocks_ / (instructions_ + 1) : 0;
        return static_cast<i64>(most < rules::kLeastSlice ? rules::kLeastSlice : most);
    }

private:
    // How many instructions a superblock has, by what ran lately. One slice tells little: in calls on locks
    // no instruction counts. It tells nothing if none did, or if the clock was raised.
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

// When all waiting threads are asked one after the other, the threads are looked at once.
Behind who_is_behind() {
    static Behind known;
    static u64 known_in = 0;
    const u64 round = vg::asked_round();
    if (round == 0 || round != known_in) known = Behind::now();
    known_in = round;
    return known;
}

// A thread that is further ahead than the skew, or could only look at a lock that another one has, lets the
// slowest one run first. So does one that waits for nothing while another one has to look at a word that has
// changed: what it finds is to be that change, and none that comes later. They may sleep, though their clocks
// do not know it: then the others do not wait for them again until they have run.
bool must_wait(u32 guest_id, u32 waited) {
    if (!is_following()) return false;
    const Thread t = threads::thread_of_guest(guest_id);
    const Strand* const strand = t ? station_of(t).strand : nullptr;
    if (strand == nullptr) return false;
    if (clocks().has_to_look(t)) return false;
    while (Strand* const looker = who_is_behind().looker_but(t)) {
        if (waited < rules::kPatience) return true;
        looker->set_absent(true);
    }
    if (clocks().time_to_run(t) == kNever)  // a look in vain would only keep others from running
        return waited == 0 && clocks().is_spinning(t) && who_is_behind().slowest_but(t).strand != nullptr;
    const Time ahead = strand->is_stuck() ? kNever : virtual_time(t);
    const u64 skew = strand->skew(static_cast<u64>(options().skew));
    for (;;) {
        const Slowest slowest = who_is_behind().slowest_but(t);
        if (slowest.strand == nullptr || slowest.time + skew >= ahead) return false;
        if (waited < rules::kPatience) return true;
        slowest.strand->set_absent(true);
    }
}

// Called in the function that takes the lock, before it does. Who has waited takes it.
bool waits_before_lock(u32 guest_id) {
    if (!is_following() || options().skew == 0) return false;
    StrandStation& station = station_of(threads::thread_of_guest(guest_id));
    station.has_waited = !station.has_waited && must_wait(guest_id, 0);
    return station.has_waited;
}

// Events of threads

void created(Thread parent, Thread child, u32) {
    if (!running) return;
    sync_calls->created(parent, child);
    if (!parent || (!several_threads && threads::is_helper(child))) return;
    if (!several_threads) {
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
    if (station.strand != nullptr) station.strand->set_absent(false);
    merge_early();
    perhaps_sample();
    slice.begin(t, blocks);
    i64 most = slice.blocks_within_skew(t);
    if (options().interleave > 0 && options().interleave < most) most = options().interleave;
    slice.cut(vg::shorten_slice(guest_id, most));
    log::watch_stores(does_any_wait(t));
}

// A thread that has used up its slice may wait in a loop without a hint. Called before its log is read.
void stopped(Thread t, u32 guest_id) {
    if (!is_following() || !vg::is_slice_over(guest_id)) return;
    Strand* const strand = station_of(t).strand;
    if (strand == nullptr || strand->is_in_lock_function() || clocks().polls_again(t)) return;
    instrument::SpinLoop loop;
    instrument::search_spin(guest_id, &loop);
    // Turns of a lock are in the log, and stay there.
    if (loop.found && !loop.changes)
        strand->found_spinning(loop.words, loop.count, loop.instructions, loop.looks);
}

// Events of the log

constexpr log::Consumer kTold = {
    .begin =
        [](Thread t) {
            station_of(t).strand = make_strand(t);
            threads::hold_slot(t);
        },
    .records = [](Thread t, const u64*,
                  const u64* end) { station_of(t).strand->read(const_cast<u64*>(end)); },
    .thread_gone =
        [](Thread t) {
            station_of(t).strand->set_gone();
            station_of(t) = StrandStation{};
        },
    .forked =
        [](Thread t) {
            for (u32 slot = 0; slot < stations->size(); ++slot)
                if (slot != t.slot) (*stations)[slot] = StrandStation{};
            clocks().forget_others(t);
            forget_others(station_of(t).strand);
            forget_sample();
        }};

constexpr log::Keeper kKeeper = {
    .told = kTold,
    .room = [](Thread t) { return station_of(t).strand->log_end(); },
    .renew = [](Thread t) { return renew_chunk(*station_of(t).strand); },
    .quiet_bit = [](Thread t) { return station_of(t).strand->quiet_bit(); },
    .written = [](Thread t, const log::Record& record,
                  u64 bit) { pass_loads_of(record, t, bit, station_of(t).strand->lines_passed()); },
    .stored = blocks_behind,
    .time = [](Thread t) { return clocks().now(t); },
    .follows = [](Thread t) { return station_of(t).strand->follows(); },
    .settle =
        [] {
            merge_all();
            end_sample();
        },
    .forced = [] { return recorder_counts().forced; }};

// If everything is logged from the start, generated code need not mark the lines that the first thread
// touches, because the log has them.
void mark_touched(Thread, const u64* first, const u64* end) {
    log::for_each_record(first, end, [](const log::Record& record, const log::Shape& shape) {
        log::for_each_access(record, shape,
                             [](const log::AccessUse& use, Address a) { instrument::touch(a, use.bytes); });
    });
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
    if (running && instrument::policy().enabled && !several_threads) instrument::touch(begin, bytes);
}

void unmapped(Address begin, usize bytes) {
    if (!is_following()) return;
    vg::know_modules();
    retire(begin, begin + bytes);
}

void acquired(Address begin, usize bytes) {
    if (several_threads) change_hands(begin, begin + bytes);
}

void reused(const heap::Block& block) {
    if (several_threads) begin_anew(block.payload, block.payload + block.size);
}

void released(const heap::Block& block) {
    if (several_threads) retire(block.payload, block.payload + block.size);
}

}  // namespace

log::LockCall lock_call_at(Address code) {
    log::LockCall found;
    const auto look = [](const char* name, void* to) {
        const log::LockCall call = lock_call(name);
        if (call.event != log::LockEvent::None) *static_cast<log::LockCall*>(to) = call;
        return call.event != log::LockEvent::None;
    };
    vg::any_name_of_entry(code, look, &found);
    return found;
}

void stays_behind(Thread t) {
    if (!is_following() || !t) return;
    if (Strand* const strand = station_of(t).strand) strand->set_absent(true);
}

bool has_several_threads() { return several_threads; }
bool is_following() { return several_threads && log::is_writing(); }

void observe(const LineObserver& by, bool all_accesses) {
    CHECK(!counts);
    counts = true;
    exact = all_accesses;
    *observer = by;
}

void register_with_core() {
    vg::prefer_fair_scheduling();
    places::follow_stacks();
    threads::listen({.created = created,
                     .exited = exited,
                     .started = started,
                     .stopped = stopped,
                     .before_call = before_call,
                     .after_call = after_call,
                     .call_accessed = call_accessed,
                     .unmapped = unmapped});
}

void start() {
    running = counts || log::is_replay_order_wanted();
    if (!running) return;
    instrument::Policy& policy = instrument::policy();
    instrument::LogPolicy& recorded = instrument::log_policy();
    recorded.recording = instrument::AccessRecording::Touch;
    log::Keeper keeper = kKeeper;
    keeper.told.passes_quiet = !exact;
    keeper.only_orders = !counts;
    if (counts) keeper.alone = mark_touched;
    log::attach(keeper);
    policy.line_bytes = static_cast<u32>(options().line_size);
    recorded.spins_without_hint = places::is_gomp_code;
    recorded.is_look = instrument::is_look;
    recorded.lock_call = lock_call_at;
    recorded.waits_before_lock = waits_before_lock;
    if (!instrument::initialise_touched())
        VG_(umsg)(
            "memspy: the system has no memory for marks of lines: what the first thread touched "
            "before others start counts as never touched\n");
    client::listen({.acquired = acquired, .reused = reused, .released = released});
    OwnershipOptions ownership;
    ownership.line_bytes = policy.line_bytes;
    ownership.test_before_write = options().test_before_write;
    configure(ownership);
    sync_calls->configure(&clocks(), {.read = read_client, .futex_use = futex_use, .yields = yields});
}

}  // namespace memspy::order
