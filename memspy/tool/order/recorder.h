// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recorder: reads the access logs of all threads, twice, and feeds ownerships and an observer.
//
//   first reading    read(), in the real order of events: clocks, users of lines, the
//                    observed order
//   second reading   merge(), in the order of virtual time up to the horizon: the modelled order
//
// Log memory is bounded. A thread that has used its share gives up its slice; if that does not help, the horizon is
// forced and the result says so. Where threads work in steps the merge does not wait for a full log (merge_early), else
// the stores of one step would keep the loads of the next from being passed. A thread's slot goes to another one only
// after all its accesses have been merged.
//
// The parts: strand.h, one thread's log; line_life.*, the life of lines; first_reading.cc and
// second_reading.cc; polls.*, the words that threads wait for. No Valgrind here.
#pragma once

#include "order/line_ends.h"
#include "order/polls.h"
#include "order/recorder_options.h"
#include "replay/waits.h"
#include "replay/what_if.h"

namespace memspy::order {

class Strand;  // one thread's log, and how far it has been read

void initialise_recorder(const RecorderOptions& options);
Clocks& clocks();

// A strand with an empty chunk to write to.
Strand* make_strand(Thread thread);
// The chunk is full: gives the strand another. Returns true if the thread should let others run now.
bool renew_chunk(Strand& strand);

// Second reading, as far as the horizon allows; merge_all() works as if every thread had ended.
void merge();
void merge_all();
// Merges if the horizon has passed a place where a thread entered the kernel, and stores wait to lines whose
// loads could be passed (passing.h).
void merge_early();
// The thread enters the kernel: it may wait for others, or let them go on.
void enters_kernel(Strand& strand);
// The serial of the thread that has the line of the address to itself, as far as is known; else 0.
u32 only_user(Address a);
u32 line_bytes();

// In a forked child: forgets other threads' accesses; all counts restart.
void forget_others(Strand* mine);

// The thread's present time in the replay, as far as that is known.
Time virtual_time(Thread t);
struct Slowest {
    Strand* strand = nullptr;
    Time time = kNever;
};
// Who is to run before others: of the threads that can run the two with the earliest times (kNever: there is none), and
// two that wait in a loop for a word and have to look again. Two, since one may be who asks.
class Behind {
public:
    static Behind now();
    Slowest slowest_but(Thread t) const;
    Strand* looker_but(Thread t) const;

private:
    Slowest slowest_[2];
    Strand* lookers_[2] = {};
};
// Whether another thread is in a loop that waits for a word.
bool does_any_wait(Thread but);
// How many superblocks the thread may run behind this record before others do: few if it stores to a word that another
// one waits for in such a loop, and that is no count (sync/counts.h). In these it may begin to wait itself.
u32 blocks_behind(Thread t, const log::Record& record);

// When the run ended, in virtual time: with events that take no time (or --coherence-latency), and with each
// taking `price`: with all, and without false sharing.
struct VirtualEnd {
    Time end = 0;
    u64 price = 0;
    WhatIf::EndTimes costly;
    u64 varies[WhatIf::kSuspects] = {};  // see WhatIf::varies_by
};
VirtualEnd virtual_end();
// So far. For reports; threads may continue afterwards.
const Waits& waits();
WhatIf& what_if();
// While the second reading tells of events: the lock that the thread took first of those that it holds.
LockTaken held_by(Thread t);
const u64* turns_of_lock(Address word);  // see WhatIf::turns_of

const RecorderCounts& recorder_counts();

}  // namespace memspy::order
