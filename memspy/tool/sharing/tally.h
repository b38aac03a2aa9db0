// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts of accesses and events: per thread, per line, per (object, access context), per (object, thread
// pair), in total; *observed* (the order that really ran) and *modelled* (virtual time) side by side.
//
// Counters that are updated for every event are per thread and summed on request. (With `per_thread` false,
// for measurements only, there is one set for all: rows, pairs and ranges then have thread 0, and rows of
// threads no events.)
//
// A program may have thousands of short-lived threads. The counts of such a thread are summed up: they become
// those of thread 0, "others".
#pragma once

#include "places/place.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "sharing/coherence_counts.h"
#include "sharing/stays.h"

namespace memspy::sharing {

// A line that is or was shared. The recorder makes one for each such line and passes it with each access.
class LineTally;
LineTally* make_line_tally(u64 line);  // returns the line's tally if there is one

void set_per_thread(bool per_thread);  // call before the first charge

// Counts an access to a shared line. Called once, by the modelled order. `object` owns the accessed bytes.
void count_access(LineTally& line, Thread t, ObjectId object, const Place& place, const LineAccess& access);
// Counts many accesses at once: `part` has their bytes.
void count_accesses(LineTally& line, Thread t, ObjectId object, const LineAccess& part,
                    const AccessCounts& accesses);
// A look of who waits at the line: a use of its bytes, but no access.
void count_look(LineTally& line, Thread t, const LineAccess& look);
// Charges the events of one access under one view (there is at least one event).
void charge(View view, LineTally& line, Thread t, ObjectId object, const Place& place, const Events& events);
// The modelled order: a store is about to take the line, whose state this is, from others.
void note_stay(LineTally& line, const lines::Ownership& order);
// The same for a line without a tally.
void charge(View view, Thread t, ObjectId object, const Place& place, const Events& events);

// Call before a thread is charged.
void know_thread(Thread t, u32 parent_serial, u32 guest_id);
void sum_up(u32 serial);  // the thread has ended; later charges go to thread 0, too
// For adding accesses and instructions; stays at its address until it is summed up.
ThreadRow& thread_row(Thread t);
const ThreadRow* find_thread(u32 serial);  // null: not known, or summed up

// Reading. Each call sums up. Rows come in no order. `f` must not charge.
CoherenceCounts total(View view);
AccessCounts total_accesses();  // of all threads, including private lines
void for_each_row(void (*f)(const SharingRow&, void*), void* argument);
void for_each_pair(void (*f)(const PairRow&, void*), void* argument);
void for_each_thread(void (*f)(const ThreadRow&, void*), void* argument);  // ascending serials
void for_each_line(void (*f)(const LineRow&, void*), void* argument);      // ascending lines
// Or null; valid until the next line is read.
const LineRow* find_line(u64 line);
const LineRow* find_line_counts(u64 line);  // without ranges

// What threads did with lines in turn, once these have changed hands a few times.
const StayLog& stay_log();

void reset();  // all counts to zero; lines stay known
// In a forked child, whose only thread this is: reset, and the others are known no more.
void restart(u32 serial);

}  // namespace memspy::sharing
