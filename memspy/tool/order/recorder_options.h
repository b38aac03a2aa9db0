// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the recorder is told at its start, and what it counts of its own work.
#pragma once

#include "lines/line_observer.h"
#include "log/records.h"

namespace memspy::order {

using namespace lines;

// The operation that an atomic read-modify-write belongs to.
enum class AtomicCode : u8 {
    Unknown,
    Lock,
    Wait,     // of a condition variable, semaphore, barrier…
    Barrier,  // of libomp, if it has a flag's width
    Callers,  // depends on the callers
    Other
};

struct RecorderOptions {
    LineObserver observer;
    u32 line_bytes = 64;
    u32 log_chunks = 1024;
    u32 coherence_latency = 0;
    u32 event_cost = 0;  // for the prediction of gains; 0: none
    // Whether events are wanted. Otherwise only the order is, and lines matter only where threads may wait
    // for a word.
    bool counts = true;
    bool sampled = false;  // most accesses are not in the log; then there are no counts
    // Whether the program's only thread touched the address before accesses were logged; and that thread.
    bool (*touched_before)(Address a) = nullptr;
    Thread first;
    AtomicCode (*atomic_code)(const Place& place) = nullptr;
    void (*merged)(Thread t) = nullptr;  // t is gone, and all its accesses have been merged
    // Called for all records in the replay's order; may be null.
    void (*in_order)(Thread t, const u64* first, const u64* end) = nullptr;
    // Reads the program's memory as it is now; may be null.
    bool (*read_word)(Address a, u32* value) = nullptr;
    u64 (*order_slack)() = nullptr;  // log/consumer.h; may be null
};

struct RecorderCounts {
    u64 merged = 0, forced = 0, lifted = 0;
    u64 quiet = 0;        // runs of records that the second reading skipped
    u64 interesting = 0;  // records with something to merge
    u64 events = 0;       // in the modelled order
};

}  // namespace memspy::order
