// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strand: one thread's log, and how far each of the two readings has got in it (recorder.h). The first
// reading is up to newest_->end, the second one up to at_ in oldest_; what lies between is kept. The log of a
// thread that is gone is kept until all of it has been merged.
#pragma once

#include "analyses/contention/line_table.h"
#include "log/records.h"
#include "replay/clocks.h"
#include "replay/simulation.h"

namespace memspy::contention {

using replay::Time;

class Strand {
public:
    // `began`: by its own clock, and by whom.
    Strand(Thread thread, Time began, replay::Clocks::Cause by);

    Thread thread() const { return thread_; }
    bool is_merged() const {
        return oldest_ == newest_ && at_ == newest_->end && next_step_ == steps_.size();
    }
    bool is_gone() const { return gone_; }
    void set_gone();

    // The log.
    u32 chunks() const { return chunks_; }
    void add_chunk(log::Chunk* chunk);
    // The oldest ones; all of them is the end.
    void give_back_chunks(log::Chunk* until = nullptr);
    void forget_unmerged();            // as if all had been merged
    Time second_chunk_begins() const;  // the time of its first record; there is a second one
    u64* log_end() const { return newest_->end; }
    // Calls f(record, shape) for those records that have not been merged, in order, until N chunks have
    // been gone through; counts `chunks` down.
    template <typename F>
    void for_each_unmerged(u32& chunks, F f) const {
        for (const log::Chunk* chunk = oldest_; chunk != nullptr && chunks != 0; chunk = chunk->next) {
            --chunks;
            for_each_record(chunk == oldest_ ? at_ : chunk->begin, chunk->end, f);
        }
    }

    // First reading.
    void read(u64* end);
    // When the reading with this number ended, or later. For the first thread only, see ended_.
    static constexpr u32 kLastReading = ~u32{0};
    Time ended(u32 reading) const;
    // The thread waits for something: the words that it loaded last, at most `room` of them (and those that
    // the functions which it is in looked at before, when it is `asleep`), may be what it waits for. Its log
    // is read up to `end`.
    void poll(const u64* end, u32 room, bool asleep);

    // Second reading, for the merge.
    bool next(Time horizon, replay::Step* step);
    u32 consume();
    bool waiting() const;
    // A line that the thread had for itself, or read, is so no more. It had found that out in this reading
    // for the last time; what readings up to it found quiet need not be so any more.
    void lose(u32 sequence = kLastReading) {
        if (sequence > sequence_) sequence = sequence_;
        if (sequence > lost_until_) lost_until_ = sequence;
    }

private:
    template <typename F>
    static void for_each_record(const u64* at, const u64* end, F f) {
        while (at != end) {
            const auto& record = *reinterpret_cast<const log::Record*>(at);
            const log::Shape& shape = log::shape(record.shape);
            at += log::record_words(record.shape);
            f(record, shape);
        }
    }
    template <typename F>
    void for_each_recent(const u64* end, F f) const;

    void begin_reading();
    void note_end(Time now);
    void keep_run(u64* from, u64* to, Time last);

    // Locks, and the other steps of the replay beside accesses; first reading.
    void push(const replay::Step& step);
    // The thread's clock went from one to the other without its doing.
    void went_on(Time from, Time until);
    void went_on(Time from, Time until, replay::Clocks::Cause by);
    void lock_call(const log::Record& record, log::LockEvent event, Time now);
    void leave_calls(threads::CallPath path, Time now);
    void take_lock(Address lock, bool shared, bool perhaps, Time now, threads::CallPath path);
    void give_lock(Address lock, Time now);
    bool takes_lock() const;

    bool next_access(Time horizon, Time* time);
    u32 consume_access();
    const log::Chunk::RecordRun* quiet_run();
    bool enter_record(Time horizon);
    enum class Interest : u8 { None, Settle, Merge };
    Interest interest_in(const log::Record& record, const log::Shape& shape) const;
    void pass(const log::Record& record, const log::Shape& shape);
    Events apply_use(usize use);
    usize store_along() const;
    bool is_early(usize use) const;

    Thread thread_;
    bool gone_ = false;
    u32 chunks_ = 0;
    u32 sequence_ = 0;    // of the present or last first reading
    u32 lost_until_ = 0;  // of first readings, see lose()

    // Steps that are not in the log, as the first reading found them. The second one has got to next_step_.
    rt::Vector<replay::Step> steps_;
    usize next_step_ = 0;
    bool at_step_ = false;  // the current step of the replay is one of them
    Time ended_at_ = 0;     // by the thread's clock, when its log had been read up to where it is read
    // Functions that work on locks and that the thread is in, as far as its log is read.
    struct LockFunction {
        threads::CallPath path;
        log::LockEvent event;
        Address lock;
        u32 instructions;  // in it so far
    };
    rt::Vector<LockFunction> lock_functions_;
    struct HeldLock {
        Address lock;
        u32 depth;
    };
    rt::Vector<HeldLock> held_;  // in the order of the first reading

    // Second reading: the record at at_ of oldest_; when in_record_, its use and which line of that.
    log::Chunk* oldest_ = nullptr;
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
    log::Chunk* newest_ = nullptr;
    static constexpr u32 kReads = 64, kPolls = 4;
    const u64* reads_[kReads] = {};  // in newest_: where the last reads began, in a ring
    const u64* polls_[kPolls] = {};  // and where the last polls were
    u32 next_read_ = 0, next_poll_ = 0;
    static constexpr u32 kEnds = 1024;
    rt::Vector<Time> ended_;  // of the first thread's last readings, by their number modulo kEnds
    bool worked_ = false;     // stored to a shared line since it last yielded
};

}  // namespace memspy::contention
