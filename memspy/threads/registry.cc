// SPDX-License-Identifier: GPL-2.0-or-later
#include "threads/registry.h"

#include "rt/global.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::threads {
namespace {

constexpr u32 kMostListeners = 4;
Listener listeners[kMostListeners];
u32 listening = 0;

template <typename... Parameters, typename... Arguments>
void tell(void (*Listener::*what)(Parameters...), Arguments... arguments) {
    for (u32 i = 0; i < listening; ++i)
        if (listeners[i].*what != nullptr) (listeners[i].*what)(arguments...);
}

rt::Global<rt::Vector<Thread>> by_guest;    // no thread: the id is not in use
rt::Global<rt::Vector<u32>> guest_by_slot;  // 0: the slot is free
u32 last_serial = 0, living = 0;

Thread& entry(u32 guest_id) {
    if (by_guest->size() <= guest_id) by_guest->resize(guest_id + 1);
    return (*by_guest)[guest_id];
}

u32 take_slot(u32 guest_id) {
    usize slot = 0;
    while (slot < guest_by_slot->size() && (*guest_by_slot)[slot] != 0) ++slot;
    if (slot == guest_by_slot->size()) guest_by_slot->push_back(0);
    (*guest_by_slot)[slot] = guest_id;
    return static_cast<u32>(slot);
}

void forget(u32 guest_id) {
    Thread& thread = entry(guest_id);
    if (!thread) return;
    (*guest_by_slot)[thread.slot] = 0;
    thread = Thread{};
    --living;
}

void created(ThreadId parent, ThreadId child) {
    const Thread maker = parent == VG_INVALID_THREADID ? Thread{} : entry(parent);
    const Thread thread{.slot = take_slot(child), .serial = ++last_serial};
    entry(child) = thread;
    ++living;
    tell(&Listener::created, maker, thread, child);
}

void exited(ThreadId thread) {
    if (!entry(thread)) return;
    tell(&Listener::exited, entry(thread), thread);
    forget(thread);
}

void started(ThreadId thread, ULong) { tell(&Listener::started, entry(thread), thread); }
void stopped(ThreadId thread, ULong) { tell(&Listener::stopped, entry(thread), thread); }

constexpr UInt kArguments = 6;

void before_call(ThreadId thread, UInt number, UWord* arguments, UInt count) {
    u64 given[kArguments] = {};
    for (UInt i = 0; i < count && i < kArguments; ++i) given[i] = arguments[i];
    tell(&Listener::before_call, entry(thread), thread, number, given);
}

void after_call(ThreadId thread, UInt number, UWord* arguments, UInt count, SysRes result) {
    u64 given[kArguments] = {};
    for (UInt i = 0; i < count && i < kArguments; ++i) given[i] = arguments[i];
    const i64 value = sr_isError(result) ? -static_cast<i64>(sr_Err(result)) : static_cast<i64>(sr_Res(result));
    if (entry(thread)) tell(&Listener::after_call, entry(thread), thread, number, given, value);
}

void forked(ThreadId thread) {
    for (u32 guest_id = 0; guest_id < by_guest->size(); ++guest_id)
        if (guest_id != thread) forget(guest_id);
    tell(&Listener::forked, entry(thread), thread);
}

}  // namespace

void listen(const Listener& listener) {
    CHECK_LT(listening, kMostListeners);
    listeners[listening++] = listener;
}

void register_with_core() {
    VG_(track_pre_thread_ll_create)(created);
    VG_(track_pre_thread_ll_exit)(exited);
    VG_(track_start_client_code)(started);
    VG_(track_stop_client_code)(stopped);
    VG_(needs_syscall_wrapper)(before_call, after_call);
    VG_(atfork)(nullptr, nullptr, forked);
}

Thread thread_of_guest(u32 guest_id) { return guest_id < by_guest->size() ? (*by_guest)[guest_id] : Thread{}; }
u32 guest_of(Thread t) {
    if (t.slot >= guest_by_slot->size()) return 0;
    const u32 guest_id = (*guest_by_slot)[t.slot];
    return guest_id != 0 && entry(guest_id) == t ? guest_id : 0;
}
u32 threads_ever() { return last_serial; }
u32 threads_now() { return living; }

}  // namespace memspy::threads
