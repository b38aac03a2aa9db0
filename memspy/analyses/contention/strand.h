// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strand: one thread's log, and how far each of the two readings has got in it (recorder.h). The first
// reading is up to newest_->end, the second one up to at_ in oldest_; what lies between is kept. The log of a
// thread that is gone is kept until all of it has been merged.
#pragma once

#include "analyses/contention/line_table.h"
#include "threads/clocks.h"
#include "threads/log.h"

namespace memspy::contention {

using threads::Time;

class Strand {
public:
    explicit Strand(Thread thread) : thread_(thread) {}

    Thread thread() const { return thread_; }
    bool is_merged() const { return oldest_ == newest_ && at_ == newest_->end; }
    bool is_gone() const { return gone_; }
    void set_gone() { gone_ = true; }

    // The log.
    u32 chunks() const { return chunks_; }
    void add_chunk(threads::Chunk* chunk);
    // The oldest ones; all of them is the end.
    void give_back_chunks(threads::Chunk* until = nullptr);
    void forget_unmerged();            // as if all had been merged
    Time second_chunk_begins() const;  // the time of its first record; there is a second one
    u64* log_end() const { return newest_->end; }
    // Calls f(record, shape) for those records that have not been merged, in order, until so many chunks have
    // been gone through; counts `chunks` down.
    template <typename F>
    void for_each_unmerged(u32& chunks, F f) const {
        for (const threads::Chunk* chunk = oldest_; chunk != nullptr && chunks != 0; chunk = chunk->next) {
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
    bool next(Time horizon, Time* time);
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
            const auto& record = *reinterpret_cast<const threads::Record*>(at);
            const threads::Shape& shape = threads::shape(record.shape);
            at += threads::record_words(record.shape);
            f(record, shape);
        }
    }
    template <typename F>
    void for_each_recent(const u64* end, F f) const;

    void begin_reading();
    void note_end(Time now);
    void keep_run(u64* from, u64* to, Time last);

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
    u32 lost_until_ = 0;  // of first readings, see lose()

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
    static constexpr u32 kEnds = 1024;
    rt::Vector<Time> ended_;  // of the first thread's last readings, by their number modulo kEnds
    bool worked_ = false;     // stored to a shared line since it last yielded
};

}  // namespace memspy::contention
