// SPDX-License-Identifier: GPL-2.0-or-later
//
// The living threads: guest thread id -> Thread, and the core's events on them and on the memory that they
// share. The core takes one callback of each kind, so they are registered only here; analyses listen here.
#pragma once

#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::threads {

// Null functions are not called.
struct ThreadListener {
    // `child` is about to run for the first time. For the program's first thread, `parent` is none.
    void (*created)(Thread parent, Thread child, u32 guest_id) = nullptr;
    void (*exited)(Thread t, u32 guest_id) = nullptr;  // it will not run again
    // Before and after each stretch of client code; all other events of a thread happen in between. `blocks`:
    // superblocks run so far by all threads.
    void (*started)(Thread t, u32 guest_id, u64 blocks) = nullptr;
    void (*stopped)(Thread t, u32 guest_id) = nullptr;
    // System calls: number, six arguments, result or minus the error number.
    void (*before_call)(Thread t, u32 guest_id, u32 number, const u64* arguments) = nullptr;
    void (*after_call)(Thread t, u32 guest_id, u32 number, const u64* arguments, i64 result) = nullptr;
    // A system call of the thread read or wrote memory.
    void (*call_accessed)(Thread t, u32 guest_id, Address begin, usize bytes, bool stores) = nullptr;
    // Memory that the client gets by mmap or brk, or has from the start; and memory that it gives back.
    void (*mapped)(Address begin, usize bytes) = nullptr;
    void (*unmapped)(Address begin, usize bytes) = nullptr;
    void (*forked)(Thread t, u32 guest_id) = nullptr;  // in the child, whose only thread is `t`
    // A handler of the program is about to get a signal. A signal without one ends the program, or is not
    // seen.
    void (*signalled)(Thread t, u32 guest_id, i32 signal, bool on_alternate_stack) = nullptr;
};
void listen(const ThreadListener& listener);  // call at any time
void register_with_core();                    // call before the command line is read

// Called by the part that has the core's callbacks on accesses of system calls.
void tell_call_accessed(u32 guest_id, Address begin, usize bytes, bool stores);

// Until release, no other thread gets the slot of `t`, even if `t` is gone, because its accesses are still in
// use.
void hold_slot(Thread t);
void release_slot(Thread t);

Thread thread_of_guest(u32 guest_id);
u32 guest_of(Thread t);  // 0 if it is gone
// All threads that ever existed, by ascending serials; in a forked child including its parent's.
struct KnownThread {
    u32 serial, parent, guest_id;  // parent: serial, 0 for the program's first thread
    u64 blocks = 0;                // superblocks run so far
    bool brief = false;            // it has ended and has run next to nothing
    bool helper = false;           // see is_helper()
    i32 lwp = 0;                   // of the system; 0: it has not run
    char name[16] = "";            // see name_of(); of one that has ended
};
const rt::Vector<KnownThread>& all_threads();
// A program may have thousands of threads that each run next to nothing. If there are more than a few of
// them, they have no name: their figures are shown as those of thread 0.
bool is_named(u32 serial);
// What the program calls it (pthread_setname_np, prctl), or nothing. A thread has its maker's name until then,
// which does not count.
struct ThreadName {
    char text[16] = "";
};
ThreadName name_of(u32 serial);
// A library's own thread, of which the program knows nothing: it waits for messages, say. Its children are
// helpers, too. A program whose other threads are helpers counts as one of one thread.
bool is_helper(Thread t);
// `makes` answers whether the thread is inside such a library now, so that a thread that it creates is a
// helper.
void find_helpers(bool (*makes)(u32 guest_id));
bool is_in_library(u32 guest_id);  // the same answer
u32 threads_ever();
u32 threads_now();

}  // namespace memspy::threads
