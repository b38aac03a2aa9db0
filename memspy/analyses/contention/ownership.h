// SPDX-License-Identifier: GPL-2.0-or-later
//
// The state of one cache line that two or more threads touch, under one order of its accesses: who holds a
// valid copy, which bytes who has read and written, and what each access costs. One private, infinite cache
// per thread.
//
//   load by t, not a holder      miss: cold when nobody ever touched the line, *first touch* when t never
//                                held it, else *coherence*; t becomes a holder
//   store by t, others hold it   invalidation; t is the only holder from then on. A store by t that is no
//                                holder is a miss as well
//   miss, true sharing           a byte now accessed was written by another thread since t last held the line
//   invalidation, true sharing   a byte now stored was read or written by another holder since its copy
//                                became valid, the line's last ownership-taking store at the earliest
// else false sharing. A store that invalidates clears what is known of all bytes' readers and writers; then
// the stored bytes are t's. For a miss all writes by others since t lost its copy count, also those that a
// third thread's invalidation came after.
//
// Threads are given with slot and serial: a slot whose serial is another's belongs to a thread that is gone;
// its copy stays valid until the next store, its bytes still count, it never comes back. So a slot may be
// given to a new thread only when all accesses of the old one have been applied, under both views.
//
// Records of different lines never share a (host) cache line; nothing is written that would not change.
#pragma once

#include "threads/thread.h"

namespace memspy::contention {

using threads::Thread;

inline constexpr u32 kMostLineBytes = 256;

// What one access does to a line: bytes [first, first + bytes) of it.
struct LineAccess {
    u8 first = 0;
    u16 bytes = 0;
    bool loads = false, stores = false;  // both: loads, then stores
};

struct Events {
    bool cold = false, first_touch = false, coherence = false;  // at most one: the miss
    bool true_miss = false;  // with first_touch or coherence: else false sharing
    // With coherence: `from` has had the line once only, so nothing goes back and forth yet.
    bool handed_over = false;
    bool invalidation = false;
    bool true_invalidation = false;
    u32 from = 0;    // miss: serial of the thread that stored last, or of a holder; 0 when nobody
    u32 victim = 0;  // invalidation: serial of one thread that lost its copy (the one that accessed last)

    bool any() const { return cold || first_touch || coherence || invalidation; }
};

class Ownership;

// `line_bytes`: a power of two, 16 to 256; while no Ownership exists (`padded`: before the first).
// For measurements only: `test_before_write` false writes always, `padded` false lets records share host
// lines.
struct OwnershipOptions {
    u32 line_bytes = 64;
    bool test_before_write = true;
    bool padded = true;
    u32 most_epochs = ~u32{0};  // for tests: invalidations of a line until their numbers restart
};
void configure(const OwnershipOptions& options);

// Nobody has touched the line.
Ownership* make_ownership();
// `t` alone has touched the line so far, and every byte counts as read and written by it.
Ownership* make_ownership_of(Thread t);
void release(Ownership* line);

Events apply(Ownership& line, Thread t, const LineAccess& access);

// True when any number of loads of the bytes `read` and stores to the bytes `written` (one bit each) by t
// would change nothing: no event, nothing learnt. Lines of up to 64 bytes; false for others.
bool is_settled(const Ownership& line, Thread t, u64 read, u64 written);
bool is_only_holder(const Ownership& line, Thread t);

// For tests and reports: is t (this serial) a holder?
bool holds(const Ownership& line, Thread t);
// Bytes that all records together take.
usize ownership_bytes();

}  // namespace memspy::contention
