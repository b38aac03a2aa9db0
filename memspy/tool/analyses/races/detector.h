// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads the threads' records in the order that really ran and finds accesses that nothing orders. DESIGN.md
// has the rules.
#pragma once

#include "analyses/races/access_history.h"
#include "analyses/races/openmp.h"
#include "log/records.h"
#include "order/lock_sets.h"
#include "order/observed_order.h"
#include "threads/thread.h"

namespace memspy::races {

using threads::Thread;

// Two accesses that nothing orders, the earlier one first; and the bytes that both touch.
struct RacingPair {
    KnownAccess first, second;
    Address address = 0;
    u32 bytes = 0;
};

struct DetectorHost {
    void (*race)(const RacingPair& pair) = nullptr;
    // A thread takes `lock` at this place while it holds others.
    void (*takes)(u32 serial, Address lock, LockSet held, const Place& place) = nullptr;
    // What is declared at the address: atomic or volatile, something else, or not known.
    enum class Declared : u8 { Unknown, Plain, Atomic };
    Declared (*declared)(Address a, Address instruction) = nullptr;
    // Until release, no other thread gets the slot: what an ended thread did is still to be compared.
    void (*hold)(Thread t) = nullptr;
    void (*release)(Thread t) = nullptr;
    // The thread's present stack pointer; 0: not known.
    Address (*stack_pointer)(Thread t) = nullptr;
    bool (*is_thread_local)(Address a) = nullptr;
    bool (*read)(Address from, void* to, usize bytes) = nullptr;
    // Code that a run-time of OpenMP calls from now on: its entry is to be told.
    void (*calls_body)(Address code, OmpFunction as) = nullptr;
};
void initialise_detector(const DetectorHost& host);

// Events of threads, in the order of the run.
// It has been created. `cleared`: the word that the kernel clears at its end; 0: not known.
void begin(Thread parent, Thread t, Address cleared);
void end(Thread t);
void read(Thread t, const u64* first, const u64* end);
// It enters a function of OpenMP's run-time, or code that the run-time calls. Returns whether others are to
// run now.
bool enter(Thread t, const OmpCall& call);
void got_block(Thread t, Address begin, usize bytes);
// It has seen the word as the kernel left it.
void looked_at(Thread t, Address word);
// What it did until now is before what threads do that receive a message from now on.
void send(Thread t);
void receive(Thread t);
// [begin, begin + bytes) gets another owner.
void forget(Address begin, usize bytes);
void forget_others(Thread t);  // in a forked child

order::LockSets& lock_sets();

}  // namespace memspy::races
