// SPDX-License-Identifier: GPL-2.0-or-later
//
// The race analysis: attaches the detector to the access log and to the events of threads and heap.
#include "analyses/analysis.h"
#include "analyses/races/detector.h"
#include "analyses/races/race_reports.h"
#include "client/replacement.h"
#include "instrument/log/log_policy.h"
#include "log/consumer.h"
#include "log/stations.h"
#include "options.h"
#include "order/follow.h"
#include "places/variables.h"
#include "threads/registry.h"
#include "vg/source_info.h"
#include "vg/turns.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

bool running = false;

bool is_following() { return running && log::is_writing(); }

DetectorHost::Declared declared(Address a, Address) {
    const places::Extent extent = places::find_extent(a);
    dwarf::StaticPart part;
    if (!places::find_static_part(extent.object, a - extent.start, &part))
        return DetectorHost::Declared::Unknown;
    return part.atomic ? DetectorHost::Declared::Atomic : DetectorHost::Declared::Plain;
}

constexpr log::Consumer kConsumer = {
    .records = [](Thread t, const u64* first, const u64* end) { read(t, first, end); },
    .forked = [](Thread t) { forget_others(t); }};

// Events of threads

// The words that the kernel clears at the end of a thread: of the thread that is being created, and of each thread.
Address child_word = 0;

void created(Thread parent, Thread child, u32) {
    if (!running) return;
    begin(parent, child, child_word);
    child_word = 0;
}

// Work that threads share is to be dealt out to all of them, as on several processors.
void started(Thread, u32 guest_id, u64) {
    constexpr i64 kSlice = 10'000;  // superblocks
    if (is_following()) vg::shorten_slice(guest_id, kSlice);
}

bool read_client(Address from, void* to, usize bytes) {
    if (!VG_(am_is_valid_for_client)(from, bytes, VKI_PROT_READ)) return false;
    VG_(memcpy)(to, reinterpret_cast<const void*>(from), bytes);
    return true;
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
void exited(Thread t, u32) {
    if (running) end(t);
}

// Calls by which threads of a process tell each other something: pipes, sockets, eventfd.
bool is_message_file(u64 file) {
    struct vg_stat about;
    if (file <= 2 || VG_(fstat)(static_cast<Int>(file), &about) != 0) return false;
    constexpr u32 kType = 0170000, kPipe = 0010000, kSocket = 0140000;
    const u32 type = about.mode & kType;
    return type == kPipe || type == kSocket || type == 0;  // 0: anonymous, as of eventfd
}
bool sends(u32 number) {
    switch (number) {
        case __NR_write:
        case __NR_writev:
        case __NR_sendto:
        case __NR_sendmsg: return true;
        default: return false;
    }
}
bool receives(u32 number) {
    switch (number) {
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

void before_call(Thread t, u32, u32 number, const u64* arguments) {
    if (running && (number == __NR_clone || number == __NR_clone3)) note_clone(number, arguments);
    if (is_following() && sends(number) && is_message_file(arguments[0])) send(t);
}
void after_call(Thread t, u32, u32 number, const u64* arguments, i64) {
    if (!is_following()) return;
    if (number == __NR_futex) looked_at(t, arguments[0]);
    if (receives(number)) receive(t);
}

void remapped(Address begin, usize bytes) {
    if (is_following()) forget(begin, bytes);
}

void acquired(Address begin, usize bytes) {
    if (is_following()) forget(begin, bytes);
}
void reused(const heap::Block& block) {
    if (is_following()) forget(block.payload, block.size);
}
void released(const heap::Block& block) {
    if (is_following()) forget(block.payload, block.size);
}

void register_with_core() {
    threads::listen({.created = created,
                     .exited = exited,
                     .started = started,
                     .before_call = before_call,
                     .after_call = after_call,
                     .mapped = remapped,
                     .unmapped = remapped});
}

void start() {
    running = options().races;
    if (!running) return;
    vg::read_lines_of_system();
    initialise_detector({.race = note_race,
                         .takes = note_take,
                         .declared = declared,
                         .hold = threads::hold_slot,
                         .release = threads::release_slot,
                         .stack_pointer = [](Thread t) -> Address {
                             const u32 guest = threads::guest_of(t);
                             return guest == 0 ? 0 : VG_(get_SP)(guest);
                         }});
    instrument::log_policy().lock_call = order::lock_call_at;
    log::attach(kConsumer);
    client::listen({.acquired = acquired, .reused = reused, .released = released});
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "races",
                                .wanted = [] { return options().races; },
                                .register_with_core = register_with_core,
                                .start = start,
                                .section = &kSection,
                                .has_results = [] { return !race_rows().empty() || !lock_cycles().empty(); }};

}  // namespace memspy::races
