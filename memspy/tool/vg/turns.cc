// SPDX-License-Identifier: GPL-2.0-or-later
//
// The linker redirects calls of the core's functions for its lock here (--wrap, flags.mk).
#include "vg/turns.h"

#include <cstddef>

#include "vg/thread_life.h"
#include "vg/vg.h"

// Only the core's own headers declare these.
extern "C" {
struct sched_lock;
ThreadId VG_(lwpid_to_vgtid)(Int kernel_id);
void __real_vgModuleLocal_acquire_sched_lock(sched_lock* lock);
void __wrap_vgModuleLocal_acquire_sched_lock(sched_lock* lock);
void vgModuleLocal_release_sched_lock(sched_lock* lock);
}

namespace memspy::vg {
namespace {

bool (*must_wait)(u32, u32) = nullptr;
u32 waiting = 0;

constexpr PtrdiffT kCounter = offsetof(VexGuestArchState, host_EvC_COUNTER);

}  // namespace

bool is_slice_over(u32 guest_id) {
    Int left = 0;
    VG_(get_shadow_regs_area)(guest_id, reinterpret_cast<UChar*>(&left), 0, kCounter, sizeof(left));
    return left < 0;
}

u32 threads_waiting() { return __atomic_load_n(&waiting, __ATOMIC_RELAXED); }
void take_turns(bool (*asked)(u32, u32)) { must_wait = asked; }

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
    for (u32 waited = 0; vg::must_wait(guest_id, waited); waited += pause) {
        vgModuleLocal_release_sched_lock(lock);
        vg::sleep(pause);
        if (pause < kLongest) pause *= 2;
        __real_vgModuleLocal_acquire_sched_lock(lock);
    }
}
