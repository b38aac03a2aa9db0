// SPDX-License-Identifier: GPL-2.0-or-later
//
// The threads that live: guest thread id -> Thread, and the core's events on them and on the memory that
// they share. The core takes one callback of each kind, so this is the one place that registers them;
// analyses listen here.
#pragma once

#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::threads {

// Null functions are not called.
struct ThreadListener {
    // `child` is about to run for the first time; `parent` is no thread for the program's first.
    void (*created)(Thread parent, Thread child, u32 guest_id) = nullptr;
    void (*exited)(Thread t, u32 guest_id) = nullptr;  // it runs no more
    // Around each stretch of client code; all other events of a thread happen in between.
    // `blocks`: superblocks run so far by all threads.
    void (*started)(Thread t, u32 guest_id, u64 blocks) = nullptr;
    void (*stopped)(Thread t, u32 guest_id) = nullptr;
    // System calls: number, six arguments, result or minus the error number.
    void (*before_call)(Thread t, u32 guest_id, u32 number, const u64* arguments) = nullptr;
    void (*after_call)(Thread t, u32 guest_id, u32 number, const u64* arguments, i64 result) = nullptr;
    // A system call of the thread read or wrote memory.
    void (*call_accessed)(Thread t, u32 guest_id, Address begin, usize bytes, bool stores) = nullptr;
    // Memory that becomes the client's by mmap or brk, or that it has from the start; and that it gives back.
    void (*mapped)(Address begin, usize bytes) = nullptr;
    void (*unmapped)(Address begin, usize bytes) = nullptr;
    void (*forked)(Thread t, u32 guest_id) = nullptr;  // in the child process, in which `t` alone lives on
};
void listen(const ThreadListener& listener);  // at any time
void register_with_core();                    // before the command line

// For whoever has the core's callbacks on what system calls access.
void tell_call_accessed(u32 guest_id, Address begin, usize bytes, bool stores);

// While somebody still has accesses of `t` to think about, nobody else gets its slot, though it may be gone.
void hold_slot(Thread t);
void release_slot(Thread t);

Thread thread_of_guest(u32 guest_id);
u32 guest_of(Thread t);  // 0 when it is gone
// All threads that ever were, by ascending serials; in a forked child its parent's too.
struct KnownThread {
    u32 serial, parent, guest_id;  // parent: serial, 0 for the program's first thread
};
const rt::Vector<KnownThread>& all_threads();
u32 threads_ever();
u32 threads_now();

}  // namespace memspy::threads
