// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the stacks of threads and their thread-local storage are.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::places {

// The stack of one thread, dead or alive: [low, high), and its thread-local storage if that is known.
struct ThreadStack {
    u32 serial, guest_id;
    Address low, high;
    Address tls_begin, tls_end;
    Address pointer;  // the thread pointer; 0: no thread-local storage is known
};

inline bool in_tls(const ThreadStack& stack, Address a) { return a >= stack.tls_begin && a < stack.tls_end; }
inline bool in_stack(const ThreadStack& stack, Address a) { return a >= stack.low && a < stack.high; }
bool is_alive(const ThreadStack& stack);
// The stack or thread-local storage that `a` is in; null if it is in none.
const ThreadStack* stack_around(Address a);
const rt::Vector<ThreadStack>& known_stacks();

// Call when the run starts, by each who needs it. From then on the stack pointers of new threads are read
// when they start, which separates stack from thread-local storage exactly. For threads that started before,
// the limit is an estimate.
void follow_threads();
// Whether it is known by now where the first thread's is: the loader makes it, in what was an anonymous
// mapping before. Who keeps extents forgets them then.
bool first_thread_has_tls();
bool is_thread_local(Address a);  // of any thread

}  // namespace memspy::places
