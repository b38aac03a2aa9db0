// SPDX-License-Identifier: GPL-2.0-or-later
#include "threads/registry.h"

#include "rt/global.h"
#include "rt/vector.h"
#include "vg/caches.h"
#include "vg/vg.h"

namespace memspy::threads {
namespace {

rt::Global<rt::Vector<ThreadListener>> listeners;

template <typename... Parameters, typename... Arguments>
void tell(void (*ThreadListener::*what)(Parameters...), Arguments... arguments) {
    for (usize i = 0; i < listeners->size(); ++i)
        if (const auto call = (*listeners)[i].*what; call != nullptr) call(arguments...);
}

// The core enters and leaves generated code often: for each request of the client, too.
rt::Global<rt::Vector<decltype(ThreadListener::started)>> on_start;
rt::Global<rt::Vector<decltype(ThreadListener::stopped)>> on_stop;

rt::Global<rt::Vector<Thread>> by_guest;  // no thread: the id is not in use
struct ThreadSlot {
    u32 guest_id;  // 0: it is gone
    bool held;
};
rt::Global<rt::Vector<ThreadSlot>> slots;
rt::Global<rt::Vector<KnownThread>> roster;
rt::Global<ThreadName> first_name;  // of the first thread when it began: the process's
u32 living = 0;

constexpr u64 kBrief = 100'000;  // superblocks: what the core lets a thread run at a time
constexpr u32 kMostBrief = 64;   // with names
u32 brief_threads = 0;
bool (*makes_helpers)(u32 guest_id) = nullptr;
u64 started_at = 0;  // superblocks run by all threads when the present one started

KnownThread& known(Thread t) { return (*roster)[t.serial - 1]; }

Thread& entry(u32 guest_id) {
    if (by_guest->size() <= guest_id) by_guest->resize(guest_id + 1);
    return (*by_guest)[guest_id];
}

u32 take_slot(u32 guest_id) {
    usize slot = 0;
    while (slot < slots->size() && ((*slots)[slot].guest_id != 0 || (*slots)[slot].held)) ++slot;
    if (slot == slots->size()) slots->push_back(ThreadSlot{});
    (*slots)[slot].guest_id = guest_id;
    return static_cast<u32>(slot);
}

void forget(u32 guest_id) {
    Thread& thread = entry(guest_id);
    if (!thread) return;
    (*slots)[thread.slot].guest_id = 0;
    thread = Thread{};
    --living;
}

void created(ThreadId parent, ThreadId child) {
    const Thread maker = parent == VG_INVALID_THREADID ? Thread{} : entry(parent);
    const Thread thread{.slot = take_slot(child), .serial = threads_ever() + 1};
    const bool helper = maker && (known(maker).helper || (makes_helpers != nullptr && makes_helpers(parent)));
    roster->push_back({.serial = thread.serial, .parent = maker.serial, .guest_id = child, .helper = helper});
    entry(child) = thread;
    ++living;
    tell(&ThreadListener::created, maker, thread, child);
}

// The system's name of a thread: up to 15 characters.
ThreadName system_name(i32 lwp) {
    HChar path[64];
    VG_(snprintf)(path, sizeof path, "/proc/self/task/%d/comm", lwp);
    ThreadName name;
    const u64 length = vg::read_file(path, name.text, sizeof name.text - 1);
    if (length != 0 && name.text[length - 1] == '\n') name.text[length - 1] = '\0';
    return name;
}

void exited(ThreadId thread) {
    if (!entry(thread)) return;
    KnownThread& ended = known(entry(thread));
    VG_(strcpy)(ended.name, system_name(ended.lwp).text);
    ended.lwp = 0;
    ended.brief = ended.blocks < kBrief;
    brief_threads += ended.brief;
    tell(&ThreadListener::exited, entry(thread), thread);
    forget(thread);
}

// After the last thread's end the core runs some more client code (libc frees its own memory), without an
// event.
void started(ThreadId thread, ULong blocks) {
    started_at = blocks;
    const Thread t = entry(thread);
    if (!t) return;
    if (i32& lwp = known(t).lwp; lwp == 0) {
        lwp = VG_(gettid)();
        if (t.serial == 1) *first_name = system_name(lwp);
    }
    for (const auto call : *on_start) call(t, thread, u64{blocks});
}
void stopped(ThreadId thread, ULong blocks) {
    const Thread t = entry(thread);
    if (!t) return;
    known(t).blocks += blocks - started_at;
    for (const auto call : *on_stop) call(t, thread);
}

constexpr UInt kArguments = 6;

void before_call(ThreadId thread, UInt number, UWord* arguments, UInt count) {
    u64 given[kArguments] = {};
    for (UInt i = 0; i < count && i < kArguments; ++i) given[i] = arguments[i];
    if (entry(thread)) tell(&ThreadListener::before_call, entry(thread), thread, number, given);
}

void after_call(ThreadId thread, UInt number, UWord* arguments, UInt count, SysRes result) {
    u64 given[kArguments] = {};
    for (UInt i = 0; i < count && i < kArguments; ++i) given[i] = arguments[i];
    const i64 value =
        sr_isError(result) ? -static_cast<i64>(sr_Err(result)) : static_cast<i64>(sr_Res(result));
    if (entry(thread)) tell(&ThreadListener::after_call, entry(thread), thread, number, given, value);
}

// Tables by address have no place for what lies above the client's addresses (vg/low_memory.cc): a change of
// it must not change what they say of memory below.
void tell_of_memory(void (*ThreadListener::*what)(Address, usize), Addr begin, SizeT bytes) {
    constexpr Addr kEnd = Addr{1} << kClientAddressBits;
    if (begin < kEnd) tell(what, Address{begin}, usize{bytes < kEnd - begin ? bytes : kEnd - begin});
}
void mapped(Addr begin, SizeT bytes, Bool, Bool, Bool, ULong) {
    tell_of_memory(&ThreadListener::mapped, begin, bytes);
}
void grown(Addr begin, SizeT bytes, ThreadId) { tell_of_memory(&ThreadListener::mapped, begin, bytes); }
void unmapped(Addr begin, SizeT bytes) { tell_of_memory(&ThreadListener::unmapped, begin, bytes); }

void signalled(ThreadId thread, Int signal, Bool on_alternate_stack) {
    if (entry(thread))
        tell(&ThreadListener::signalled, entry(thread), thread, i32{signal}, on_alternate_stack != False);
}

void forked(ThreadId thread) {
    for (u32 guest_id = 0; guest_id < by_guest->size(); ++guest_id)
        if (guest_id != thread) forget(guest_id);
    tell(&ThreadListener::forked, entry(thread), thread);
}

}  // namespace

void listen(const ThreadListener& listener) {
    listeners->push_back(listener);
    if (listener.started != nullptr) on_start->push_back(listener.started);
    if (listener.stopped != nullptr) on_stop->push_back(listener.stopped);
}

void register_with_core() {
    VG_(track_pre_thread_ll_create)(created);
    VG_(track_pre_thread_ll_exit)(exited);
    VG_(track_start_client_code)(started);
    VG_(track_stop_client_code)(stopped);
    VG_(track_new_mem_startup)(mapped);
    VG_(track_new_mem_mmap)(mapped);
    VG_(track_new_mem_brk)(grown);
    VG_(track_die_mem_munmap)(unmapped);
    VG_(track_die_mem_brk)(unmapped);
    VG_(needs_syscall_wrapper)(before_call, after_call);
    VG_(track_pre_deliver_signal)(signalled);
    VG_(atfork)(nullptr, nullptr, forked);
}

void tell_call_accessed(u32 guest_id, Address begin, usize bytes, bool stores) {
    if (bytes != 0 && entry(guest_id))
        tell(&ThreadListener::call_accessed, entry(guest_id), guest_id, begin, bytes, stores);
}

void hold_slot(Thread t) { (*slots)[t.slot].held = true; }
void release_slot(Thread t) { (*slots)[t.slot].held = false; }

Thread thread_of_guest(u32 guest_id) {
    return guest_id < by_guest->size() ? (*by_guest)[guest_id] : Thread{};
}
u32 guest_of(Thread t) {
    if (t.slot >= slots->size()) return 0;
    const u32 guest_id = (*slots)[t.slot].guest_id;
    return guest_id != 0 && entry(guest_id) == t ? guest_id : 0;
}
const rt::Vector<KnownThread>& all_threads() { return *roster; }
bool is_named(u32 serial) { return brief_threads <= kMostBrief || !(*roster)[serial - 1].brief; }
bool is_helper(Thread t) { return t && known(t).helper; }
void find_helpers(bool (*makes)(u32 guest_id)) { makes_helpers = makes; }
bool is_in_library(u32 guest_id) { return makes_helpers != nullptr && makes_helpers(guest_id); }
ThreadName name_of(u32 serial) {
    if (serial == 0 || serial > roster->size()) return {};
    const KnownThread& of = (*roster)[serial - 1];
    ThreadName name;
    if (of.lwp != 0)
        name = system_name(of.lwp);
    else
        VG_(strcpy)(name.text, of.name);
    return VG_STREQ(name.text, first_name->text) ? ThreadName() : name;
}
u32 threads_ever() { return static_cast<u32>(roster->size()); }
u32 threads_now() { return living; }

}  // namespace memspy::threads
