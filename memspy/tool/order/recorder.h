// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recorder: reads the access logs of all threads, twice, and feeds ownerships and an observer.
//
//   first reading    read(), in the real order of events: clocks, users of lines, the
//                    observed order
//   second reading   merge(), in the order of virtual time up to the horizon: the modelled order
//
// The parts: strand.h, one thread's log; line_life.*, the life of lines; first_reading.cc and
// second_reading.cc; polls.cc, the words that threads wait for. No Valgrind here.
#pragma once

#include "log/records.h"
#include "order/line_observer.h"
#include "order/waits.h"
#include "order/what_if.h"

namespace memspy::order {

// A load that misses also brings the line for a store to it within this many instructions.
inline constexpr u16 kTogether = 16;

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
    // Whether events are wanted. Otherwise only the order is, and lines matter only where threads may wait for a word.
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

class Strand;  // one thread's log, and how far it has been read

void initialise_recorder(const RecorderOptions& options);
Clocks& clocks();

// A strand with an empty chunk to write to.
Strand* make_strand(Thread thread);
u64* log_begin(const Strand& strand);  // where the next record goes
// First reading of the records up to `end`.
void read(Strand& strand, u64* end);
u32 quiet_bit(Strand& strand);  // log/consumer.h
bool follows(Strand& strand);   // likewise
// Whether loads like those of the record, the last one of t, are passed as soon as it has been read.
bool passes_when_read(Thread t, const log::Record& record);
// The chunk is full: gives the strand another. Returns true if the thread should let others run now.
bool renew_chunk(Strand& strand);
void thread_gone(Strand* strand);  // its last record has been read

// Second reading, as far as the horizon allows; merge_all() works as if every thread had ended.
void merge();
void merge_all();
// Merges if the horizon has passed a place where a thread entered the kernel, and stores wait to lines whose loads could be
// passed (habits.h).
void merge_early();
// The thread enters the kernel: it may wait for others, or let them go on.
void enters_kernel(Strand& strand);
// Adds the accesses to lines that are one thread's own at present to those told; merge_all() includes this.
void count_calm_lines();

// The serial of the thread that has the line of the address to itself, as far as is known; else 0.
u32 only_user(Address a);
u32 line_bytes();

// [begin, end) is about to get another owner.
void retire(Address begin, Address end);
// memspy's own heap hands the memory out again. Who had it before is that heap's doing, so it is told to nobody: lines that
// one thread had to itself are new ones, if all its accesses have been merged.
void begin_anew(Address begin, Address end);
// A thread begins on the stack on which the thread with the serial `former` began, if that one has ended: below `top`, lines
// that it had to itself are new ones.
void begin_on_stack_of(u32 former, Address top);
// The thread begins on this stack. It uses what is just below first, so lines there that nobody has touched are its own from
// now on.
void begin_on_stack(Thread t, Address top);
// It has belonged to the heap and becomes a block's.
void change_hands(Address begin, Address end);
// The thread goes to sleep on a futex.
void sleeps_on(Strand& strand, Address word);
// The thread yields: it may wait for a word that it loaded just before.
void poll(Strand& strand);
// The thread has been stopped in a loop of these instructions in which it looks so often for these words. Its log has not
// been read.
void found_spinning(Strand& strand, const Address* words, u32 count, const rt::Vector<Address>& instructions,
                    u32 looks);
// Call when the clocks may have found words that threads wait for.
void watch_new_words();
// In a forked child: forgets other threads' accesses; all counts restart.
void forget_others(Strand* mine);

// The thread's present time in the replay, as far as that is known, and of the other threads that can run the one
// with the earliest (kNever: none can).
Time virtual_time(Thread t);
struct Slowest {
    Strand* strand = nullptr;
    Time time = kNever;
};
Slowest slowest_but(Thread t);
// Whether others have waited in vain for a thread that could run by its clock: it is not the slowest then.
void set_absent(Strand& strand, bool absent);
bool is_stuck(const Strand& strand);  // in a loop, for a lock of the program's own
bool is_in_lock_function(const Strand& strand);
// In a function that takes a lock, or a semaphore's token, as far as the log has been read.
bool is_in_acquire(const Strand& strand);
bool is_in_take(const Strand& strand);

// When the run ended, in virtual time: with events that take no time (or --coherence-latency), and with each
// taking `price`: with all, and without false sharing.
struct VirtualEnd {
    Time end = 0;
    u64 price = 0;
    WhatIf::EndTimes costly;
};
VirtualEnd virtual_end();
// So far. For reports; threads may continue afterwards.
const Waits& waits();
WhatIf& what_if();
const u64* turns_of_lock(Address word);  // see WhatIf::turns_of

struct RecorderCounts {
    u64 merged = 0, forced = 0, lifted = 0;
    u64 quiet = 0;        // runs of records that the second reading skipped
    u64 interesting = 0;  // records with something to merge
    u64 events = 0;       // in the modelled order
};
const RecorderCounts& recorder_counts();

}  // namespace memspy::order
