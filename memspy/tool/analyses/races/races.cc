// SPDX-License-Identifier: GPL-2.0-or-later
//
// The race analysis: attaches the detector to the access log and to the events of threads and heap.
#include "analyses/analysis.h"
#include "analyses/races/dealing.h"
#include "analyses/races/detector.h"
#include "analyses/races/race_reports.h"
#include "client/replacement.h"
#include "heap/heap.h"
#include "instrument/core/call_stacks.h"
#include "instrument/log/entered.h"
#include "instrument/log/log_policy.h"
#include "log/consumer.h"
#include "log/stations.h"
#include "options.h"
#include "order/follow.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/call_tree.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/entry_names.h"
#include "vg/source_info.h"
#include "vg/turns.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

bool running = false;

bool is_following() { return running && log::is_writing(); }

// By object and offset: it is asked at each pass of a racing loop, and debug information is slow to search.
rt::Global<rt::HashMap<DetectorHost::Declared>> declarations;

DetectorHost::Declared declared(Address a, Address) {
    const places::Extent extent = places::find_extent(a);
    const u64 offset = a - extent.start;
    const u64 key = static_cast<u64>(extent.object) << 40 ^ offset;
    if (const DetectorHost::Declared* known = declarations->find(key)) return *known;
    dwarf::StaticPart part;
    constexpr u64 kFirst = 1;  // byte: the next one may be of another member
    const bool found = places::find_static_part(extent.object, offset, kFirst, &part);
    const DetectorHost::Declared answer = !found        ? DetectorHost::Declared::Unknown
                                          : part.atomic ? DetectorHost::Declared::Atomic
                                                        : DetectorHost::Declared::Plain;
    if (places::object(extent.object).kind == places::Object::StorageKind::Static)
        (*declarations)[key] = answer;
    return answer;
}

// Not what a library's variable was copied to (std::cout): the program does not declare it.
bool is_own_data(Address a) {
    const places::Extent extent = places::find_extent(a);
    const places::Object& of = places::object(extent.object);
    if (of.kind == places::Object::StorageKind::Static)
        return declared(a, 0) != DetectorHost::Declared::Unknown && places::is_own_variable(of);
    return places::is_own_variable(of);
}

// What an allocator clears of a block may reach a little behind it, to memory in which there was no block yet.
bool is_spare(Address a) {
    using StorageKind = places::Object::StorageKind;
    constexpr Address kBehind = 16;
    return (heap::is_heap_memory(a) || heap::is_heap_memory(a - kBehind)) &&
           places::object(places::find_extent(a).object).kind == StorageKind::Unknown;
}

constexpr log::Consumer kConsumer = {
    .records = [](Thread t, const u64* first, const u64* end) { read(t, first, end); },
    .forked = [](Thread t) { forget_others(t); }};

bool read_client(Address from, void* to, usize bytes) {
    if (!VG_(am_is_valid_for_client)(from, bytes, VKI_PROT_READ)) return false;
    VG_(memcpy)(to, reinterpret_cast<const void*>(from), bytes);
    return true;
}

// OpenMP

rt::Global<rt::HashMap<OmpFunction>> bodies;  // that the run-time calls, by address
rt::Global<rt::Vector<Address>> new_bodies;   // which may have been translated before

OmpFunction hooked_function(Address code) {
    if (const OmpFunction* body = bodies->find(code)) return *body;
    OmpFunction found = OmpFunction::None;
    const auto look = [](const char* name, void* to) {
        const OmpFunction function = omp_function(name);
        if (function != OmpFunction::None) *static_cast<OmpFunction*>(to) = function;
        return function != OmpFunction::None;
    };
    vg::any_name_of_entry(code, look, &found);
    return found;
}

void calls_body(Address code, OmpFunction as) {
    if (bodies->find(code) != nullptr) return;
    (*bodies)[code] = as;
    new_bodies->push_back(code);
}

void make_bodies_again() {
    for (const Address code : *new_bodies) vg::discard_translation(code);
    new_bodies->resize(0);
}

rt::Global<WorkDealing> dealing;

bool must_wait(u32 guest_id, u32 waited) {
    if (is_following() && vg::is_slice_over(guest_id)) dealing->slice_ends(guest_id);
    if (!dealing->is_asking(guest_id)) return false;
    // Whoever is ahead in virtual time could run if this one stayed behind.
    const u32 ahead = vg::threads_held([](u32 other) { return !dealing->is_asking(other); });
    const bool waits = dealing->must_wait(guest_id, waited, vg::threads_waiting() + ahead);
    if (waits) order::stays_behind(threads::thread_of_guest(guest_id));
    return waits;
}

bool begins_alone = false;  // its log, before it has a second thread

bool entered(u32 guest_id, const instrument::EnteredFunction& entered) {
    const Thread t = threads::thread_of_guest(guest_id);
    OmpCall call{.function = hooked_function(entered.function),
                 .code = entered.function,
                 .stack_pointer = entered.stack_pointer,
                 .caller = entered.caller,
                 .path = entered.path,
                 .is_resolved = is_following(),
                 .arguments = {},
                 .further = {}};
    for (u32 i = 0; i < 6; ++i) call.arguments[i] = entered.arguments[i];
    for (u32 i = 0; i < 2; ++i) call.further[i] = entered.further(i);
    // Nothing else would be logged of a program without threads.
    if (call.function == OmpFunction::TargetTeam && call.arguments[0] > 1 && !log::is_writing())
        begins_alone = true;
    const WorkAsked work = enter(t, call);
    dealing->is_dealt_by_runtime();
    const bool waits = work.asks && is_following();
    if (waits) dealing->asks(guest_id, work.times);
    return waits || begins_alone || !new_bodies->empty();
}

// Events of threads

// The words that the kernel clears at the end of a thread: of the thread that is being created, and of each
// thread.
Address child_word = 0;

// A C library gives the stack of a thread that has ended to a new one, thread-local storage on top of it.
void forget_stack(u32 guest_id) {
    constexpr usize kAbove = 4096;
    const Address top = VG_(get_SP)(guest_id);
    const usize size = VG_(thread_get_stack_size)(guest_id);
    if (top > size) forget(top - size, size + kAbove);
}

void created(Thread parent, Thread child, u32 guest_id) {
    if (!running) return;
    if (is_following()) forget_stack(guest_id);
    begin(parent, child, child_word);
    child_word = 0;
    if (parent) dealing->is_made(guest_id, threads::guest_of(parent));
}

// Work that threads share is to be dealt out to all of them, as on several processors.
void started(Thread, u32 guest_id, u64) {
    if (!running) return;
    if (begins_alone) log::follow_one_thread();
    begins_alone = false;
    make_bodies_again();
    dealing->starts(guest_id);
    if (is_following())
        vg::shorten_slice(guest_id, dealing->slice_of(guest_id, static_cast<u32>(vg::slice_left(guest_id))));
}

void note_clone(u32 number, const u64* arguments) {
    constexpr u64 kClear = 0x200000;  // CLONE_CHILD_CLEARTID
#if defined(__aarch64__)
    constexpr u32 kChildWord = 4;
#else
    constexpr u32 kChildWord = 3;
#endif
    u64 clone3[3] = {};  // flags, pidfd, child_tid
    if (number == __NR_clone && (arguments[0] & kClear) != 0)
        child_word = arguments[kChildWord];
    else if (number == __NR_clone3 && read_client(arguments[0], clone3, sizeof clone3) &&
             (clone3[0] & kClear) != 0)
        child_word = clone3[2];
}
void exited(Thread t, u32 guest_id) {
    if (!running) return;
    end(t);
    dealing->ends(guest_id);
}

// Of a call that sleeps for a word, or wakes those who do.
constexpr u64 kFutexFlags = 128 | 256, kWait = 0, kWake = 1, kWaitBits = 9, kWakeBits = 10;
bool is_sleep(const u64* arguments) {
    const u64 call = arguments[1] & ~kFutexFlags;
    return call == kWait || call == kWaitBits;
}
bool is_wake(const u64* arguments) {
    const u64 call = arguments[1] & ~kFutexFlags;
    return call == kWake || call == kWakeBits;
}

// A call that threads make for each other, and that does not wait.
bool is_quick(u32 number, const u64* arguments) {
    switch (number) {
        case __NR_futex: return is_wake(arguments);
        case __NR_clone:
        case __NR_clone3:
        case __NR_madvise:
        case __NR_mmap:
        case __NR_mprotect:
        case __NR_munmap:
        case __NR_rseq:
        case __NR_rt_sigprocmask:
        case __NR_set_robust_list: return true;
        default: return false;
    }
}

// Calls by which threads of a process tell each other something: pipes, sockets, eventfd; queues of messages,
// semaphores of System V, and signals that are waited for or have a handler.
bool is_message_file(u64 file) {
    struct vg_stat about;
    if (file <= 2 || VG_(fstat)(static_cast<Int>(file), &about) != 0) return false;
    constexpr u32 kType = 0170000, kPipe = 0010000, kSocket = 0140000;
    const u32 type = about.mode & kType;
    return type == kPipe || type == kSocket || type == 0;  // 0: anonymous, as of eventfd
}
bool sends(u32 number, const u64* arguments) {
    switch (number) {
        case __NR_write:
        case __NR_writev:
        case __NR_sendto:
        case __NR_sendmsg: return is_message_file(arguments[0]);
        case __NR_kill:
        case __NR_tkill:
        case __NR_tgkill:
        case __NR_rt_sigqueueinfo:
        case __NR_rt_tgsigqueueinfo:
        case __NR_mq_timedsend:
        case __NR_msgsnd:
        case __NR_semop:
        case __NR_semtimedop:
        case __NR_semctl: return true;
        default: return false;
    }
}
bool receives(u32 number) {
    switch (number) {
        case __NR_rt_sigtimedwait:
        case __NR_rt_sigsuspend:
        case __NR_mq_timedreceive:
        case __NR_msgrcv:
        case __NR_semop:
        case __NR_semtimedop:
        case __NR_read:
        case __NR_readv:
        case __NR_recvfrom:
        case __NR_recvmsg:
        case __NR_ppoll:
        case __NR_epoll_pwait:
        case __NR_pselect6:
#ifdef __NR_poll
        case __NR_poll:
        case __NR_select:
        case __NR_epoll_wait:
#endif
            return true;
        default: return false;
    }
}

void before_call(Thread t, u32 guest_id, u32 number, const u64* arguments) {
    if (running && (number == __NR_clone || number == __NR_clone3)) note_clone(number, arguments);
    if (is_following() && number == __NR_futex) {
        if (is_sleep(arguments)) dealing->sleeps(guest_id, arguments[0]);
        if (is_wake(arguments)) dealing->wakes(arguments[0], arguments[2]);
    }
    if (running) dealing->calls(guest_id, !is_quick(number, arguments));
    if (is_following() && number == __NR_sched_yield) dealing->yields(guest_id);
    if (is_following() && sends(number, arguments)) send(t);
}
void after_call(Thread t, u32 guest_id, u32 number, const u64* arguments, i64 result) {
    if (!running) return;
    if (is_following() && number == __NR_futex) {
        if (is_sleep(arguments)) dealing->returns(guest_id, result == 0);
        looked_at(t, arguments[0]);
    }
    dealing->has_called(guest_id);
    if (!is_following()) return;
    if (receives(number)) receive(t);
}

void signalled(Thread t, u32, i32, bool) {
    if (is_following()) receive(t);
}

void remapped(Address begin, usize bytes) {
    if (is_following()) forget(begin, bytes);
}
// By free or munmap: the last access of its owner.
void gone(Address begin, usize bytes) {
    if (!is_following()) return;
    const u32 guest = VG_(get_running_tid)();
    if (guest == VG_INVALID_THREADID) return forget(begin, bytes);
    freed(threads::thread_of_guest(guest), begin, bytes, instrument::path_of(guest));
}

void acquired(Address begin, usize bytes) {
    if (is_following()) forget(begin, bytes);
}
void reused(const heap::Block& block) {
    if (is_following()) forget(block.payload, block.size);
}
void released(const heap::Block& block) { gone(block.payload, block.size); }
void allocated(const heap::Block& block) {
    const u32 guest = VG_(get_running_tid)();
    if (is_following() && guest != VG_INVALID_THREADID)
        got_block(threads::thread_of_guest(guest), block.payload, block.size);
}

void register_with_core() {
    threads::listen({.created = created,
                     .exited = exited,
                     .started = started,
                     .before_call = before_call,
                     .after_call = after_call,
                     .mapped = remapped,
                     .unmapped = gone,
                     .signalled = signalled});
}

void start() {
    running = options().races;
    if (!running) return;
    vg::read_lines_of_system();
    threads::keep_recursion();
    initialise_detector({.race = note_race,
                         .takes = note_take,
                         .forget_locks = forget_locks,
                         .hands_over = hands_over,
                         .declared = declared,
                         .hold = threads::hold_slot,
                         .release = threads::release_slot,
                         .stack_pointer = [](Thread t) -> Address {
                             const u32 guest = threads::guest_of(t);
                             return guest == 0 ? 0 : VG_(get_SP)(guest);
                         },
                         .is_thread_local = places::is_thread_local,
                         .is_own_data = is_own_data,
                         .is_spare = is_spare,
                         .read = read_client,
                         .calls_body = calls_body});
    instrument::hook_entries(
        {.is_hooked = [](Address code) { return hooked_function(code) != OmpFunction::None; },
         .entered = entered});
    instrument::log_policy().lock_call = order::lock_call_at;
    vg::take_turns(must_wait);
    log::attach(kConsumer);
    client::listen({.acquired = acquired, .reused = reused, .allocated = allocated, .released = released});
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "races",
                                .wanted = [] { return options().races; },
                                .register_with_core = register_with_core,
                                .start = start,
                                .finish = [](End) { tell_cycles(); },
                                .section = &kSection,
                                .has_results = [] { return !race_rows().empty() || !lock_cycles().empty(); }};

}  // namespace memspy::races
