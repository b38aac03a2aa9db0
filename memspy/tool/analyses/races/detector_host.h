// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the detector finds, and what it needs of the tool.
#pragma once

#include "analyses/races/lock_orders.h"
#include "analyses/races/openmp_functions.h"
#include "lines/lock_sets.h"
#include "places/place.h"
#include "threads/thread.h"

namespace memspy::races {

using threads::Thread;

// One of two accesses that nothing orders.
struct RacingSide {
    Place place;
    u32 serial = 0;  // of the thread
    LockSet held{};
    bool stores = false;
    bool sums = false;  // the old value and something
    bool frees = false;
};
// What ended a part of a thread's run: others may wait for it.
struct PartEnd {
    const char* what = nullptr;  // "unlock"; null: not known
    Place place;
    u32 part = 0;
};
// The earlier one first; and the bytes that both touch.
struct RacingPair {
    RacingSide first, second;
    Address address = 0;
    u32 bytes = 0;
    PartEnd last{};  // of the first one's thread that the second one's has waited for
};

struct DetectorHost {
    void (*race)(const RacingPair& pair) = nullptr;
    // A thread takes a lock while it holds others: once for each of them.
    void (*takes)(const LockTake& take) = nullptr;
    void (*forget_locks)(Address first, usize bytes) = nullptr;  // the memory gets another use
    void (*hands_over)(Address lock) = nullptr;  // it is none: another thread gave it back than took it
    // What is declared at the address: atomic or volatile, something else, or not known.
    enum class Declared : u8 { Unknown, Plain, Atomic };
    Declared (*declared)(Address a, Address instruction) = nullptr;
    // Until release, no other thread gets the slot: what an ended thread did is still to be compared.
    void (*hold)(Thread t) = nullptr;
    void (*release)(Thread t) = nullptr;
    // The thread's present stack pointer; 0: not known.
    Address (*stack_pointer)(Thread t) = nullptr;
    bool (*is_thread_local)(Address a) = nullptr;
    bool (*is_own_data)(Address a) = nullptr;  // a variable of the program, or a block that it asked for
    bool (*is_spare)(Address a) = nullptr;     // memory of the heap that is no block
    bool (*read)(Address from, void* to, usize bytes) = nullptr;
    // Code that a run-time of OpenMP calls from now on: its entry is to be told.
    void (*calls_body)(Address code, OmpFunction as) = nullptr;
};

}  // namespace memspy::races
