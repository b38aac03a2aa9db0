// SPDX-License-Identifier: GPL-2.0-or-later
//
// The linker redirects calls of the core's functions for its lock here (--wrap, flags.mk).
#include "vg/turns.h"

#include <cstddef>

#include "vg/compat.h"
#include "vg/thread_life.h"
#include "vg/vg.h"

// Only the core's own headers declare these.
extern "C" {
struct sched_lock;
ThreadId VG_(lwpid_to_vgtid)(Int kernel_id);
void __real_vgModuleLocal_acquire_sched_lock(sched_lock* lock);
void __wrap_vgModuleLocal_acquire_sched_lock(sched_lock* lock);
void __real_vgModuleLocal_release_sched_lock(sched_lock* lock);
void __wrap_vgModuleLocal_release_sched_lock(sched_lock* lock);
}

namespace memspy::vg {
namespace {

bool (*must_wait)(u32, u32) = nullptr;
u32 waiting = 0;
bool goes_on = false;  // who gives the processor back only lets others run in between

// A thread that has given the processor back. On its own stack; changed by who has the core's lock.
struct Waiter {
    u32 guest_id;
    u32 called;  // a futex word
    Waiter* next;
};
Waiter* waiters = nullptr;

void forget_waiters(ThreadId) { waiters = nullptr; }

// Whoever need not wait any longer is called at once: a sleep would leave the processor idle.
void call_waiters() {
    const ThreadId leaving = VG_(lwpid_to_vgtid)(kernel_id());
    goes_on = leaving != VG_INVALID_THREADID && is_slice_over(leaving) && !must_wait(leaving, 0);
    for (Waiter* w = waiters; w != nullptr; w = w->next) {
        if (w->called != 0 || must_wait(w->guest_id, 0)) continue;
        w->called = 1;
        system_call(__NR_futex, reinterpret_cast<UWord>(&w->called), kFutexWake, 1);
    }
    goes_on = false;
}

// Gives the lock back until the thread is called, for so many microseconds at most. Returns false if it was called.
bool give_back(sched_lock* lock, u32 guest_id, u32 microseconds) {
    Waiter self{guest_id, 0, waiters};
    waiters = &self;
    __wrap_vgModuleLocal_release_sched_lock(lock);
    struct vki_timespec most = {0, static_cast<Long>(microseconds) * 1000};
    system_call(__NR_futex, reinterpret_cast<UWord>(&self.called), kFutexWait, 0,
                reinterpret_cast<UWord>(&most));
    __real_vgModuleLocal_acquire_sched_lock(lock);
    for (Waiter** w = &waiters; *w != nullptr; w = &(*w)->next)
        if (*w == &self) {
            *w = self.next;
            break;
        }
    return self.called == 0;
}

constexpr PtrdiffT kCounter = offsetof(VexGuestArchState, host_EvC_COUNTER);

}  // namespace

bool is_slice_over(u32 guest_id) {
    Int left = 0;
    VG_(get_shadow_regs_area)(guest_id, reinterpret_cast<UChar*>(&left), 0, kCounter, sizeof(left));
    return left < 0;
}

u32 threads_waiting() { return __atomic_load_n(&waiting, __ATOMIC_RELAXED) + (goes_on ? 1 : 0); }
void take_turns(bool (*asked)(u32, u32)) {
    if (must_wait == nullptr) VG_(atfork)(nullptr, nullptr, forget_waiters);
    must_wait = asked;
}

u64 shorten_slice(u32 guest_id, i64 most) {
    Int left = 0;
    VG_(get_shadow_regs_area)(guest_id, reinterpret_cast<UChar*>(&left), 0, kCounter, sizeof(left));
    if (left <= most) return 0;
    const u64 cut = static_cast<u64>(left - most);
    left = static_cast<Int>(most);
    VG_(set_shadow_regs_area)(guest_id, 0, kCounter, sizeof(left), reinterpret_cast<const UChar*>(&left));
    return cut;
}

}  // namespace memspy::vg

void __wrap_vgModuleLocal_acquire_sched_lock(sched_lock* lock) {
    using namespace memspy;
    __atomic_fetch_add(&vg::waiting, 1, __ATOMIC_RELAXED);
    __real_vgModuleLocal_acquire_sched_lock(lock);
    __atomic_fetch_sub(&vg::waiting, 1, __ATOMIC_RELAXED);
    if (vg::must_wait == nullptr) return;
    const ThreadId guest_id = VG_(lwpid_to_vgtid)(vg::kernel_id());
    if (guest_id == VG_INVALID_THREADID) return;
    constexpr u32 kShortest = 10, kLongest = 500;  // microseconds
    u32 pause = kShortest;
    for (u32 waited = 0; vg::must_wait(guest_id, waited);) {
        if (!vg::give_back(lock, guest_id, pause)) continue;
        waited += pause;
        if (pause < kLongest) pause *= 2;
    }
}

void __wrap_vgModuleLocal_release_sched_lock(sched_lock* lock) {
    if (memspy::vg::waiters != nullptr) memspy::vg::call_waiters();
    __real_vgModuleLocal_release_sched_lock(lock);
}
