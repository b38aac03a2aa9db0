// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls -> clock edges: what a thread waits for, which threads a call wakes, which word a thread's
// exit clears. Has the numbers and arguments of Linux's calls on amd64 and arm64; no Valgrind here.
#pragma once

#include "order/clocks.h"
#include "rt/vector.h"

namespace memspy::order {

enum class Architecture : u8 { Amd64, Arm64 };

#if defined(__aarch64__)
inline constexpr Architecture kThisArchitecture = Architecture::Arm64;
#else
inline constexpr Architecture kThisArchitecture = Architecture::Amd64;
#endif

enum class FutexUse : u8 {
    Lock,   // of taking a lock
    Token,  // of taking a semaphore
    Call,   // of waiting for a barrier, the end of a thread…: for nothing but the call's own words
    Other   // the condition behind a condition variable, code of the program's own
};

// All zeros is a valid object that has not been configured, so that it can be an rt::Global.
class SyncCalls {
public:
    struct Host {
        // Reads client memory; false if it cannot be read.
        bool (*read)(Address from, void* to, usize bytes) = nullptr;
        // What the futex wait that t is about to make is a part of. Called only for waits that will sleep.
        // See works_on_lock.
        FutexUse (*futex_use)(Thread t) = nullptr;
        // t calls sched_yield, or goes to sleep on a futex for something that only its own code knows (the
        // clocks have noted that). The host reports it to the clocks like a `pause`.
        void (*yields)(Thread t) = nullptr;
    };

    void configure(Clocks* clocks, const Host& host, Architecture architecture = kThisArchitecture);

    // Call both for every system call. Read the thread's log first, so that its clock is up to date at the
    // call. A call that a signal interrupts may never have an after_call.
    void before_call(Thread t, u32 number, const u64 arguments[6]);
    void after_call(Thread t, u32 number, const u64 arguments[6],
                    i64 result);  // or minus the error number

    // Call these instead of Clocks::create and exit: they know the word that the kernel clears. Call
    // `created` between the parent's before_call and after_call of clone.
    void created(Thread parent, Thread child);
    Address exited(Thread t);  // returns that word, or 0

private:
    struct ThreadCalls {
        Address cleared = 0;        // clear_child_tid
        Address child_cleared = 0;  // of the child that is being created
    };

    ThreadCalls& state(Thread t);
    bool futex_is(Address word, u64 value) const;
    bool wakes_second(Address word, u32 encoded) const;
    void wait(Thread t, Address word);
    void futex(Thread t, const u64 arguments[6]);
    void futex_waitv(Thread t, const u64 arguments[6]);

    Clocks* clocks_ = nullptr;
    Host host_{};
    Architecture architecture_{};
    rt::Vector<ThreadCalls> states_;  // by slot
};

}  // namespace memspy::order
