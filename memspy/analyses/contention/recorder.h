// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recorder: reads the access logs of all threads, twice, and feeds what it finds to ownerships and tally.
//
//   first reading    read(), in the order in which things really happened: clocks, who touches what, the
//                    observed order
//   second reading   merge(), in the order of virtual time up to the horizon: the modelled order
//
// A load that misses brings the line for the store to it, too, that follows it within kTogether instructions:
// nobody gets in between. A processor that looks that far ahead asks for the line once. (Without this,
// counting `n++` twice would depend on whether the compiler makes one instruction of it.)
//
// The log of a thread that is gone is kept until it has been merged. No Valgrind here.
#pragma once

#include "analyses/contention/line_table.h"
#include "analyses/contention/merge.h"
#include "threads/clocks.h"
#include "threads/log.h"

namespace memspy::contention {

inline constexpr u16 kTogether = 16;

struct RecorderOptions {
    u32 line_bytes = 64;
    u32 log_chunks = 1024;
    u32 coherence_latency = 0;
    // Whether the program's one thread touched the address before accesses were logged, and that thread.
    bool (*touched_before)(Address a) = nullptr;
    Thread first;
    bool (*is_semaphore_code)(Address instruction) = nullptr;
    void (*merged)(Thread t) = nullptr;  // t is gone, and all its accesses have been merged
};

// One thread's log, and how far it has been read.
class Strand {
public:
    explicit Strand(Thread thread) : thread_(thread) {}

    // For the merge.
    Thread thread() const { return thread_; }
    bool next(Time horizon, Time* time);
    u32 consume();
    bool waiting() const;

    bool is_merged() const { return oldest_ == newest_ && at_ == newest_->end; }
    // A line that it had for itself; when it last found that out.
    void lose(u32 sequence) {
        if (sequence > lost_until_) lost_until_ = sequence;
    }

private:
    friend class Recorder;
    const threads::Chunk::Run* quiet_run();
    bool enter_record(Time horizon);
    enum class Interest : u8 { None, Settle, Merge };
    Interest interest_in(const threads::Record& record, const threads::Shape& shape) const;
    void pass(const threads::Record& record, const threads::Shape& shape);
    Events apply_use(usize use);
    void calm_down();
    usize store_along() const;
    bool is_early(usize use) const;

    Thread thread_;
    bool gone_ = false;
    u32 chunks_ = 0;
    u32 sequence_ = 0;    // of the present or last first reading
    u32 lost_until_ = 0;  // what readings up to this found quiet need not be so any more

    // Second reading: the record at at_ of oldest_; when in_record_, its use and which line of that.
    threads::Chunk* oldest_ = nullptr;
    u64* at_ = nullptr;
    usize run_ = 0;  // of oldest_, the next one
    bool in_record_ = false;
    usize use_ = 0;
    u64 line_ = 0;
    Time last_ = 0, time_ = 0;
    SharedLine* shared_ = nullptr;
    static constexpr u32 kMostEarly = 4;
    u16 early_[kMostEarly] = {};  // uses of the record that were done with an earlier one
    u32 early_count_ = 0;

    // First reading: up to newest_->end.
    threads::Chunk* newest_ = nullptr;
    static constexpr u32 kReads = 64, kPolls = 4;
    const u64* reads_[kReads] = {};  // in newest_: where the last reads began, in a ring
    const u64* polls_[kPolls] = {};  // and where the last polls were
    u32 next_read_ = 0, next_poll_ = 0;
    bool worked_ = false;  // stored to a shared line since it last yielded
};

void initialise_recorder(const RecorderOptions& options);
threads::Clocks& clocks();

// A strand with an empty chunk to write to.
Strand* make_strand(Thread thread);
u64* log_begin(const Strand& strand);  // where the next record goes
// First reading of the records up to `end`.
void read(Strand& strand, u64* end);
// The core accesses memory for the thread, whose log has been read, at `instruction`.
void record_access(Strand& strand, Address begin, usize bytes, bool stores, const Place& place);
// The chunk is full: gives the strand another. True when the thread should let others run now.
bool renew_chunk(Strand& strand);
void thread_gone(Strand* strand);  // its last record has been read

// Second reading, as far as the horizon allows; merge_all() as if every thread had ended.
void merge();
void merge_all();
// Has the tally know what was done to lines that were one thread's own of late; merge_all() includes it.
void count_calm_lines();

// [begin, end) is about to belong to something else.
void retire(Address begin, Address end);
// The thread yields: what it loaded just before may be what it waits for.
void poll(Strand& strand);
// Call when clocks may have found words that threads wait for.
void watch_new_words();
// In a forked child: nothing is known of other threads' accesses, all counts start anew.
void forget_others(Strand* mine);

struct RecorderCounts {
    u64 merged = 0, forced = 0, lifted = 0, lost = 0;
    u64 records = 0, quiet = 0, interesting = 0;  // read; not read again; with something to merge
};
const RecorderCounts& recorder_counts();

}  // namespace memspy::contention
