// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls -> clock edges: who waits for what, who wakes whom, what a thread's exit clears. Knows the
// numbers and arguments of Linux's calls on amd64 and arm64; no Valgrind here.
#pragma once

#include "replay/clocks.h"
#include "rt/vector.h"

namespace memspy::replay {

enum class Architecture : u8 { Amd64, Arm64 };

#if defined(__aarch64__)
inline constexpr Architecture kThisArchitecture = Architecture::Arm64;
#else
inline constexpr Architecture kThisArchitecture = Architecture::Amd64;
#endif

// All zeros is one that has not been configured, so that it can be an rt::Global.
class SyncCalls {
public:
    struct Host {
        // Reads client memory; false when it cannot be read.
        bool (*read)(Address from, void* to, usize bytes) = nullptr;
        // Is the futex wait that t is about to make part of taking a lock? Asked for waits only that will
        // sleep. See is_lock_function.
        bool (*waits_for_lock)(Thread t) = nullptr;
        // t calls sched_yield, or goes to sleep on a futex that is not a lock (the clocks know): to be told to
        // the clocks as a `pause` would be.
        void (*yields)(Thread t) = nullptr;
    };

    void configure(Clocks* clocks, const Host& host, Architecture architecture = kThisArchitecture);

    // The thread's clock must stand where the call is: read its log first. Both are for every system call; a
    // call that a signal interrupts may never have an after_call.
    void before_call(Thread t, u32 number, const u64 arguments[6]);
    void after_call(Thread t, u32 number, const u64 arguments[6], i64 result);  // or minus the error number

    // In place of Clocks::create and exit: they know the word that the kernel clears. `created` is to be
    // called between the parent's before_call and after_call of clone.
    void created(Thread parent, Thread child);
    Address exited(Thread t);  // gives that word, or 0

private:
    struct ThreadCalls {
        Address cleared = 0;        // clear_child_tid
        Address child_cleared = 0;  // of the child that is being made
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

// Of a stack's function names, innermost first, as the symbol table or the demangler gives them: the first
// that one of these knows says what a futex wait is for. Six frames are enough; one that neither knows is no
// lock.
bool is_lock_function(const char* name);  // takes a mutex, spin lock, read-write lock or critical section
bool works_on_lock(const char* name);     // does that, tries to, or gives it back
bool is_semaphore_function(const char* name);  // posts or takes a semaphore
bool is_wait_function(
    const char* name);  // waits for a condition, barrier, join, once…, though inside a lock function
// Of LLVM's libomp: changes flags of 8 bytes for no other purpose than a barrier, of a team or at the start
// or end of a region. Where the library has no more names than it exports, the innermost caller's counts.
bool is_omp_barrier_function(const char* name);

}  // namespace memspy::replay
