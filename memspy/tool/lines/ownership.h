// SPDX-License-Identifier: GPL-2.0-or-later
//
// The state of one cache line that two or more threads touch, under one order of its accesses: the threads
// that hold a valid copy, the bytes that each thread has read and written, and the cost of each access. Each
// thread has a private, infinite cache.
//
//   load by t, not a holder      miss: cold if no thread ever touched the line, *first touch* if t never held
//                                it, else *coherence*; t becomes a holder
//   store by t, others hold it   invalidation; t is the only holder from then on. If t is not a holder, the
//                                store is a miss as well
//   miss, true sharing           another thread has written one of the accessed bytes since t last held the
//                                line
//   invalidation, true sharing   another holder has read or written one of the stored bytes since its copy
//                                became valid, but not before the line's last store that took ownership
//   else false sharing
// A store that invalidates clears the readers and writers of all bytes; then the stored bytes are t's. For a
// miss all writes by others since t lost its copy count, including those before a third thread's
// invalidation.
//
// Threads have a slot and a serial. A slot with another thread's serial belongs to a thread that is gone: its
// copy stays valid until the next store, its bytes still count, and it never comes back. So a slot may be
// given to a new thread only when all accesses of the old one have been applied under both views. The serial
// 0 stands for threads that are gone, of which no more is known.
//
// Values that would not change are not written.
#pragma once

#include "log/records.h"
#include "threads/thread.h"

namespace memspy::lines {

using threads::Thread;

inline constexpr u32 kMostLineBytes = 256;

// An access to one line: its bytes [first, first + bytes).
struct LineAccess {
    u8 first = 0;
    u16 bytes = 0;
    bool loads = false, stores = false;  // both: loads, then stores
    log::SumKind sum = log::SumKind::None;
};

struct Events {
    bool cold = false, first_touch = false, coherence = false;  // at most one: the miss
    bool true_miss = false;  // for first_touch and coherence: true sharing, else false sharing
    // For coherence: `from` has had the line only once, so the line does not go back and forth yet.
    bool handed_over = false;
    bool invalidation = false;
    bool true_invalidation = false;
    // False sharing that would be true without those who use other bytes. The invalidation: they came between
    // t and a thread that has stored these bytes since t had the line to itself, so the store would take that
    // thread's copy. The miss: other bytes that t used when it last held the line have been stored meanwhile,
    // so it would miss at these, or at these bytes if they stay together (a lock's words).
    bool hides_true_invalidation = false, hides_true_miss = false;
    u32 hide_true() const { return (hides_true_invalidation ? 1u : 0u) + (hides_true_miss ? 1u : 0u); }
    u32 from = 0;    // miss: serial of the thread that stored last, or of a holder; 0 if there is none
    u32 victim = 0;  // invalidation: serial of one thread that lost its copy (the one that accessed last)

    bool any() const { return cold || first_touch || coherence || invalidation; }
    u32 count() const { return (first_touch || coherence ? 1u : 0u) + (invalidation ? 1u : 0u); }
    u32 false_count() const {
        return ((first_touch || coherence) && !true_miss ? 1u : 0u) +
               (invalidation && !true_invalidation ? 1u : 0u);
    }
};

class Ownership {};  // one of several kinds

// `line_bytes`: a power of two, 16 to 256. Set it before the first Ownership is made. For measurements only:
// if `test_before_write` is false, values are always written.
struct OwnershipOptions {
    u32 line_bytes = 64;
    bool test_before_write = true;
    u32 most_epochs = ~u32{0};  // for tests: invalidations of a line until its epochs are renumbered
};
void configure(const OwnershipOptions& options);

// Of a set of its bytes: as many words of 64.
u32 line_words();

// No thread has touched the line.
Ownership* make_ownership();
// Only `t` has touched the line so far, and every byte counts as read and written by it.
Ownership* make_ownership_of(Thread t);
void release(Ownership* line);

// A thread's first access may give the line another place.
Events apply(Ownership*& line, Thread t, const LineAccess& access);

// Fetches what an access needs into the host's cache.
[[gnu::always_inline]] inline void prefetch_ownership(const Ownership& line) {
    __builtin_prefetch(&line);
    __builtin_prefetch(reinterpret_cast<const char*>(&line) + 64);
}

// True if any number of loads of the bytes `read` and stores to the bytes `written` (one bit each) by t would
// change nothing: no event, and no new reader or writer. Only for lines of up to 64 bytes; false for others.
bool is_settled(const Ownership& line, Thread t, u64 read, u64 written);
bool is_only_holder(const Ownership& line, Thread t);
// The same as loads of these bytes by t, which must hold the line of up to 64 bytes: there is no event.
void add_read(Ownership& line, Thread t, u64 read);
// The same as stores to these bytes by t, the line's only holder.
void add_written(Ownership& line, Thread t, u64 written);

// Whether a store by t would take copies of others.
bool takes_copies(const Ownership& line, Thread t);
// What has been used of the line since the last store that took it. Its bytes are sets of as many words as the
// line has groups of 64 bytes.
struct LineStay {
    u32 storer = 0;                // serial of the thread that took it, and since then alone could store
    const u64* written = nullptr;  // by that one
    // f(serial, used bytes) of each thread that holds the line.
    void (*used)(u32 serial, const u64* bytes, void* argument) = nullptr;
    void* argument = nullptr;
};
void read_stay(const Ownership& line, LineStay& stay);

// For tests and reports: whether t (with this serial) is a holder.
bool holds(const Ownership& line, Thread t);
// Memory of all records together.
usize ownership_bytes();

}  // namespace memspy::lines
