// SPDX-License-Identifier: GPL-2.0-or-later
//
// Virtual time: one clock per thread, as if each had a core of its own on which every instruction takes one unit.
//
// A clock advances by the instructions that its thread executes. Where one thread waits for another it is
// lifted, never lowered:
//   create        the child starts at its parent's time
//   exit          the word that the kernel clears for joiners (clear_child_tid) becomes a sync word that
//                 carries the time of the exit
//   wake          who waits on a futex leaves at the waker's time at least. A wake that asks for several first lifts
//                 the waker to the latest of those who wait there: all leave a barrier at the last arrival
//   sync words    a word that was ever waited on carries the time of the last store to it; a *plain* load of
//                 it lifts the loader to that time. Atomic read-modify-writes store the time but do not take it
//   polling       a word that a thread loads plainly and then yields (pause, sched_yield) is one that it waits
//                 for: it becomes a sync word too, unless the poller then does an atomic
//                 read-modify-write on it: then it is a lock, and never becomes one (again)
// Mutexes carry no time, else the serial order in which the core runs the threads would come back; who waits for a
// mutex counts as running.
//
// The *horizon* is the earliest time of all threads that are not blocked: nothing can happen before it any more.
// A thread that was blocked goes on at the horizon at least. No Valgrind here; the caller feeds events in
// the order in which they really happened.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::threads {

using Time = u64;

enum class WaitFor : u8 {
    Word,   // a futex of a condition variable, semaphore, barrier, join, atomic wait…
    Mutex,  // a futex of a lock: carries no time
    Other   // a blocking system call of any other kind
};

class Clocks {
public:
    void create(Thread parent, Thread child);  // parent may be no thread: starts at 0
    // `cleared` is the address of the word that the kernel clears and wakes (all waiters), or 0.
    void exit(Thread t, Address cleared);

    Time now(Thread t) const;
    void advance(Thread t, u64 instructions);
    void lift(Thread t, Time least);

    // Whether [line, line + bytes) holds a sync word; quick, so that most accesses need not be told.
    bool has_sync_word(Address line, usize bytes) const;
    // One access to memory with a sync word in it or near it. `atomic`: part of a read-modify-write.
    void load(Thread t, Address a, u32 bytes, bool atomic);
    void store(Thread t, Address a, u32 bytes, bool atomic);

    void wait(Thread t, WaitFor what, Address word);  // t may block now
    // t runs again. `woken`: it waited on a word and was woken (not: value changed, time-out, signal).
    void resume(Thread t, bool woken);
    // t asks for `count` waiters on `word` to be woken, and for `requeue` more to be moved to `target`.
    void wake(Thread t, Address word, u64 count, Address target = 0, u64 requeue = 0);
    // t yields; `loaded` are the words (4-byte aligned addresses) that it loaded plainly just before.
    void poll(Thread t, const Address* loaded, u32 count);
    // t did an atomic read-modify-write of this word: call it for words that t polled or has_sync_word.
    // (store(…, atomic) includes this.)

    Time horizon() const;  // ~0 when every thread is blocked
    // The log is full: t's accesses must be merged though others are behind. From now on the horizon is at least
    // `least`; running threads that are behind it are lifted. Gives how many were.
    u32 force_horizon(Time least);

    void forget_others(Thread t);  // after fork: t alone lives on
};

}  // namespace memspy::threads
