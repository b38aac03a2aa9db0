// SPDX-License-Identifier: GPL-2.0-or-later
//
// Passing: which accesses generated code passes without logging them (log/quiet_lines.h), and what may be
// missing for that.
//
// The first reading makes a line quiet for a thread when it meets it in the log, if both orders know that the
// line is the thread's own, or that the thread reads it: nothing but an access by another thread can change
// that. The first reading that meets such an access has the line followed again. Since one thread runs at a
// time, the others' logs begin again at their clocks' present times. What they did between the horizon and
// then is missing where the newcomer's access is earlier in virtual time. Each access of the newcomer may
// lack an event of its own and one of each thread that passed the line, until the replay has got to where
// that thread's log begins again. A load lacks none where all the others only loaded.
//
// Loads of lines that several threads use are passed, too, but only until their thread waits for something:
// others are let go on from there, and what they store then lacks nothing (pass_loads, end_passing). Such a line is
// fresh after the wait, as long as nobody stores to it: the next load comes to the helper, and passing begins again.
//
// A line is passed again only after some accesses that teach nothing for each event that may be missing, so the bound
// (missing.cc) stays small beside what is known. Never passed are lines with words that are updated atomically.
#pragma once

#include <bit>

#include "lines/line_table.h"
#include "log/quiet_lines.h"
#include "log/watched_lines.h"

namespace memspy::order {

using namespace lines;

using threads::Thread;

// The thread's bit. Gives it one if it has none and one is free; else QuietLines::kNobody.
u64 quiet_bit(Thread t);
// The thread has waited for something, at `now` by its clock. What it passes from now on is told from what it
// passed before: another thread that waited for it and comes to a line after that misses nothing of what came
// before.
void begin_age(Thread t, Time now);
// For each line that a thread passes in an age generated code calls a helper once. So ages begin only where
// that pays: where much may be missing, beside the events that are known.
bool is_bound_large();
// No other thread's accesses to the line matter any more for t's.
void make_quiet(Thread t, u64 line);
void make_loads_quiet(Thread t, u64 line);  // the same for loads
void quiet_thread_gone(Thread t);           // and all its accesses have been merged
void forget_quiet_threads(Thread mine);     // in a forked child

// Of a sampled log: words that threads may wait for, or that show whether they do, are watched for so many
// accesses.
void watch(Address word, u32 accesses);
// No thread waits for a word of the line.
void unwatch(u64 line);

// What passed the line until now: accesses of the threads with these bits in quiet lines.
struct Passed {
    u64 bits = 0;
    bool stores = false;  // not only loads
};
// All accesses to the line are logged from now on. `taker` misses nothing of its own.
Passed follow_line(u64 line, Thread taker = {});
// Whether another thread passed the line until later than `time` of t, in virtual time as far as that is
// known.
bool was_passed_after(u64 line, Thread t, Time time);

// First reading: the thread has loaded from the line. Its loads are passed from now on, if they can teach
// nothing as long as nobody stores to the line. If others hold it as well, they are logged again when the
// thread waits for something (end_passing): what others store after that cannot be earlier than what was
// passed.
void pass_loads(SharedLine& shared, Thread t, u64 bit, rt::Vector<u64>& lines_passed);
// The same for the loads of a plain record that t has just written, and that has not been read.
void pass_loads_of(const log::Record& record, Thread t, u64 bit, rt::Vector<u64>& lines_passed);
// Another thread holds the line, too, from now on: if loads by the thread with that serial are passed, then
// only until it waits for something.
void end_with_next_wait(SharedLine& shared, u32 serial);
// First reading: before a load by t at `time` from the line, in which it learns of others' stores.
void note_stores_passed(SharedLine& shared, Thread t, Time time);
// The running thread passes loads again of lines where that had ended. Call before another one runs.
void note_renewed(Thread t, rt::Vector<u64>& lines_passed);
// `now`: the thread's clock.
void end_passing(Thread t, Time now, rt::Vector<u64>& lines_passed);

// The record of a line remembers what passed it.
// `time`: of the access for which it is followed.
void note_passed(SharedLine& shared, const Passed& passed, Time time);
// Whether accesses that passed the line may be later in the replay than some that are still to be merged.
bool lacks_accesses(SharedLine& shared);
// Whether events of an access of t at `time` to the `passed` line may be missing: a thread that passed the
// line has not got to the end of that in the replay.
bool may_miss(const SharedLine& shared, Thread t, Time time);
// After so many accesses that teach nothing the line may be passed again: for each event that may be missing,
// as often as something was, several must be known to have none.
u32 accesses_to_pass(const SharedLine& shared);
// Call for an access of t to the `passed` line that is merged.
void count_missing(SharedLine& shared, Thread t, bool stores, Time time, ObjectId object);
// The same for an access that was left out because it is late for a doubtful life (lives.h).
void count_left_out(SharedLine& shared, Thread t, bool stores, ObjectId object);
// At most so many events are missing, in total and of each object that lacks some.
u64 missing_events();
void for_each_missing(void (*f)(ObjectId object, u64 events, void* argument), void* argument);
void forget_missing();

// For the other files of passing: passed_loads.cc (until when) and missing.cc (what may be
// missing).

using log::QuietLines;

// An age of a thread (log/quiet_lines.h): it has passed lines by this bit until `ended`, by its clock.
struct Passer {
    u32 serial = 0;  // 0: the bit is free
    bool gone = false;
    Time began = 0, ended = kNever;

    bool is_present() const { return ended == kNever; }
    bool is_fresh() const { return ended == 0; }  // nothing has been passed by it
};
extern Passer passers[QuietLines::kThreads];

u64 known_bit(u32 serial);   // of its present age; 0: none
u64 known_bits(u32 serial);  // of all its ages

}  // namespace memspy::order
