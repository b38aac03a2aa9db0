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
Bool VG_(is_in_syscall)(ThreadId thread);
void __real_vgModuleLocal_acquire_sched_lock(sched_lock* lock);
void __wrap_vgModuleLocal_acquire_sched_lock(sched_lock* lock);
void __real_vgModuleLocal_release_sched_lock(sched_lock* lock);
void __wrap_vgModuleLocal_release_sched_lock(sched_lock* lock);
}

namespace memspy::vg {
namespace {

constexpr u32 kMostAsked = 2;
bool (*asked[kMostAsked])(u32, u32) = {};
u32 asked_count = 0;
u32 waiting = 0;
u64 rounds = 0;
bool in_round = false;
// By number: the thread has given the processor back only to let others run, and whether it is one that waits for it
// or one that must wait.
enum class ComesBack : u8 { No, Waiting, Held };
ComesBack* comes_back = nullptr;
u32 last_number = 0;

// The core's fair lock wakes a sixteenth of all threads that wait for it whenever one gives it back. So only that many
// wait there. The others stand before this gate, in their order, and each is called alone.
class Gate {
public:
    void enter() {
        const u32 number = __atomic_fetch_add(&next_, 1, __ATOMIC_SEQ_CST);
        u32* const word = &words_[number % kWords];
        for (;;) {
            const u32 seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
            if (static_cast<i32>(number - __atomic_load_n(&left_, __ATOMIC_SEQ_CST)) < kInside) return;
            system_call(__NR_futex, reinterpret_cast<UWord>(word), kFutexWait, seen, 0);
        }
    }
    void leave() {
        const u32 number = __atomic_add_fetch(&left_, 1, __ATOMIC_SEQ_CST) + kInside - 1;
        u32* const word = &words_[number % kWords];
        __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
        if (static_cast<i32>(__atomic_load_n(&next_, __ATOMIC_SEQ_CST) - number) <= 0) return;
        system_call(__NR_futex, reinterpret_cast<UWord>(word), kFutexWake, kAll);
    }
    void forget_all() { next_ = left_ = 0; }

private:
    static constexpr i32 kInside = 16;
    static constexpr u32 kWords = 1024, kAll = 0x7fffffff;
    u32 next_ = 0;  // the number of the next thread to come
    u32 left_ = 0;  // so many have had the lock
    u32 words_[kWords] = {};
};
Gate gate;

void take(sched_lock* lock) {
    gate.enter();
    __real_vgModuleLocal_acquire_sched_lock(lock);
}

bool must_wait(u32 guest_id, u32 waited) {
    for (u32 i = 0; i < asked_count; ++i)
        if (asked[i](guest_id, waited)) return true;
    return false;
}

// A thread that has given the processor back. On its own stack; changed by who has the core's lock.
struct Waiter {
    u32 guest_id;
    u32 called;  // a futex word
    Waiter* next;
};
Waiter* waiters = nullptr;
u32 waiter_count = 0;

void forget_others(ThreadId) {
    gate.forget_all();
    waiters = nullptr;
    waiter_count = waiting = 0;
    VG_(memset)(comes_back, 0, VG_N_THREADS * sizeof *comes_back);
}

// Whoever need not wait any longer is called at once: a sleep would leave the processor idle.
void call_waiters() {
    ++rounds;
    in_round = true;
    for (Waiter* w = waiters; w != nullptr; w = w->next) {
        if (w->called != 0 || must_wait(w->guest_id, 0)) continue;
        w->called = 1;
        system_call(__NR_futex, reinterpret_cast<UWord>(&w->called), kFutexWake, 1);
    }
    in_round = false;
}

// The running thread's slice may be over.
void note_leaving() {
    const ThreadId leaving = VG_(lwpid_to_vgtid)(kernel_id());
    if (leaving == VG_INVALID_THREADID || !is_slice_over(leaving)) return;
    const bool held = must_wait(leaving, 0);
    comes_back[leaving] = held ? ComesBack::Held : ComesBack::Waiting;
    if (leaving > last_number) last_number = leaving;
    if (!held) __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
}

void note_coming(ThreadId guest_id) {
    if (guest_id != VG_INVALID_THREADID && comes_back[guest_id] == ComesBack::Waiting)
        comes_back[guest_id] = ComesBack::No;
    else
        __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
}

// Gives the lock back until the thread is called, for so many microseconds at most. Returns false if it was called.
bool give_back(sched_lock* lock, u32 guest_id, u32 microseconds) {
    Waiter self{guest_id, 0, waiters};
    waiters = &self;
    ++waiter_count;
    __wrap_vgModuleLocal_release_sched_lock(lock);
    struct vki_timespec most = {0, static_cast<Long>(microseconds) * 1000};
    system_call(__NR_futex, reinterpret_cast<UWord>(&self.called), kFutexWait, 0,
                reinterpret_cast<UWord>(&most));
    take(lock);
    for (Waiter** w = &waiters; *w != nullptr; w = &(*w)->next)
        if (*w == &self) {
            *w = self.next;
            --waiter_count;
            break;
        }
    return self.called == 0;
}

constexpr PtrdiffT kCounter = offsetof(VexGuestArchState, host_EvC_COUNTER);

}  // namespace

i64 slice_left(u32 guest_id) {
    Int left = 0;
    VG_(get_shadow_regs_area)(guest_id, reinterpret_cast<UChar*>(&left), 0, kCounter, sizeof(left));
    return left;
}

u64 asked_round() { return in_round ? rounds : 0; }
u32 threads_waiting() { return __atomic_load_n(&waiting, __ATOMIC_RELAXED); }
u32 threads_held(bool (*is)(u32)) {
    u32 found = 0;
    for (u32 number = 1; number <= last_number; ++number)
        if (comes_back[number] == ComesBack::Held && is(number)) ++found;
    return found;
}
bool is_slice_over(u32 guest_id) { return slice_left(guest_id) <= 0 && !VG_(is_in_syscall)(guest_id); }

void take_turns(bool (*by)(u32, u32)) {
    if (asked_count == 0) {
        comes_back = static_cast<ComesBack*>(VG_(calloc)("memspy.turns", VG_N_THREADS, sizeof *comes_back));
        VG_(atfork)(nullptr, nullptr, forget_others);
    }
    CHECK(asked_count < kMostAsked);
    asked[asked_count++] = by;
}

u64 shorten_slice(u32 guest_id, i64 most) {
    const i64 left = slice_left(guest_id);
    if (left <= most) return 0;
    const auto now = static_cast<Int>(most);
    VG_(set_shadow_regs_area)(guest_id, 0, kCounter, sizeof(now), reinterpret_cast<const UChar*>(&now));
    return static_cast<u64>(left - most);
}

}  // namespace memspy::vg

void __wrap_vgModuleLocal_acquire_sched_lock(sched_lock* lock) {
    using namespace memspy;
    if (vg::asked_count == 0) return __real_vgModuleLocal_acquire_sched_lock(lock);
    const ThreadId guest_id = VG_(lwpid_to_vgtid)(vg::kernel_id());
    vg::note_coming(guest_id);
    vg::take(lock);
    __atomic_fetch_sub(&vg::waiting, 1, __ATOMIC_RELAXED);
    if (guest_id == VG_INVALID_THREADID) return;
    // Microseconds, of the longest by so many waiters: whoever may go on is called, and each that looks itself takes
    // the lock.
    constexpr u32 kShortest = 10, kLongest = 500, kManyWaiters = 16;
    u32 pause = kShortest;
    for (u32 waited = 0; vg::must_wait(guest_id, waited);) {
        if (!vg::give_back(lock, guest_id, pause)) continue;
        waited += pause;
        if (pause < kLongest * (1 + vg::waiter_count / kManyWaiters)) pause *= 2;
    }
    vg::comes_back[guest_id] = vg::ComesBack::No;
}

void __wrap_vgModuleLocal_release_sched_lock(sched_lock* lock) {
    using namespace memspy;
    if (vg::asked_count != 0) vg::note_leaving();
    if (vg::waiters != nullptr) vg::call_waiters();
    __real_vgModuleLocal_release_sched_lock(lock);
    if (vg::asked_count != 0) vg::gate.leave();
}
