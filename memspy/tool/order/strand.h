// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strand: one thread's log, and how far each of the two readings has got in it (recorder.h). The first
// reading is up to newest_->end, the second one up to at_ in oldest_; the records between them are kept. The
// log of a thread that is gone is kept until all of it has been merged.
#pragma once

#include <algorithm>
#include <functional>

#include "lines/line_table.h"
#include "log/records.h"
#include "order/clocks.h"
#include "order/rules.h"
#include "replay/simulation.h"
#include "sync/own_locks.h"
#include "threads/call_tree.h"

namespace memspy::order {

using namespace lines;

struct AccessPart;  // observing.cc
struct Touch;       // recording.h
struct WordSet;     // polls.cc

// How a thread waits: a hint to the processor (pause), a system call that yields, or a sleep.
enum class Poll : u8 { Hint, Yield, Sleep };

u64 next_turn();  // numbers of steps in the order in which they really happened

class Strand {
public:
    // `began`: the start by the thread's own clock; `by`: its cause.
    Strand(Thread thread, Time began, Clocks::Cause by);

    Thread thread() const { return thread_; }
    Time ended_at() const { return ended_at_; }  // by its clock
    bool is_merged() const {
        return oldest_ == newest_ && at_ == newest_->end && next_step_ == steps_.size();
    }
    // It could run by its clock, but others have waited for it in vain: it is not the slowest then.
    void set_absent(bool absent) { absent_ = absent; }
    bool is_here() const { return !gone_ && !absent_; }
    // All that counts as executed of what has been read: in a call on a lock nothing else is left.
    Time worked_until() const;
    bool is_in_lock_function() const { return !lock_functions_.empty(); }
    bool is_in_acquire() const;  // in a function that takes a lock
    bool is_in_take() const;     // in one that takes a semaphore's token
    // How far it may get ahead of others before they run, where that is usually so far: less while it takes a lock, or
    // perhaps jobs.
    u64 skew(u64 usual) const;
    // It waits for a lock of the program's own that another thread has.
    bool is_stuck() const;
    // As far as is known it would do some work if it ran now.
    bool can_go_on() const;
    bool is_gone() const { return gone_; }
    void set_gone();

    // The log.
    u32 chunks() const { return chunks_; }
    void add_chunk(log::Chunk* chunk);
    // Gives back the oldest chunks before `until`, or all.
    void give_back_chunks(log::Chunk* until = nullptr);
    void forget_unmerged();            // drops the unmerged part as if it had been merged
    Time second_chunk_begins() const;  // the time of its first record; there must be a second chunk
    u64* log_end() const { return newest_->end; }  // where the next record goes
    // Calls f(record, shape) for the records that have not been merged, in order, for at most `chunks`
    // chunks; counts `chunks` down.
    template <typename F>
    void for_each_unmerged(u32& chunks, F f) const {
        for (const log::Chunk* chunk = oldest_; chunk != nullptr && chunks != 0; chunk = chunk->next) {
            --chunks;
            for_each_record(chunk == oldest_ ? at_ : chunk->begin, chunk->end, f);
            if (chunk == newest_ && reading_ != nullptr) for_each_record(chunk->end, reading_, f);
        }
    }

    // First reading.
    void read(u64* end);
    // The thread had the line to itself until now: what is in the log of that becomes the first lives of its
    // bytes. Does nothing where the log is long: looking through it for every line would take more time than
    // reading it.
    void remember_uses(SharedLine& shared) const;
    // The thread's bit in quiet lines, for what it executes until it is asked for again.
    u64 quiet_bit();
    // Whether all its accesses are to be logged in its next slice or chunk.
    bool follows();
    // The end of the reading with this number, or a later time.
    static constexpr u32 kLastReading = ~u32{0};
    Time ended(u32 reading) const;
    // It yields or has gone to sleep: it may wait for a word that it loaded just before.
    void yields();
    // The thread waits for others, or lets them go on: its loads that were passed are logged again.
    void end_passing();
    // Loads of these lines by the thread are passed until then.
    rt::Vector<u64>& lines_passed() { return lines_passed_; }
    // The thread turned out to wait for these words, in a loop of these instructions. Its log has not been
    // read yet: it ends in that loop.
    void found_spinning(const Address* words, u32 count, const rt::Vector<Address>& instructions, u32 looks);

    // Second reading, for the merge.
    bool next(Time horizon, Step* step);
    u32 consume();
    bool waiting() const;
    // From its next record on, all are told in order.
    void begin_telling() {
        passed_ =
            in_record_ ? at_ + log::record_words(reinterpret_cast<const log::Record*>(at_)->shape) : at_;
    }
    // The clock of its next record to be merged; kNever if there is none.
    Time next_record() const {
        const u64* at = at_;
        for (const log::Chunk* chunk = oldest_; at == chunk->end; at = chunk->begin) {
            if (chunk == newest_) return kNever;
            chunk = chunk->next;
        }
        return reinterpret_cast<const log::Record*>(at)->time;
    }
    // The clock of its next step of another kind; kNever if there is none. What comes behind it may be
    // delayed by it.
    Time next_step() const { return next_step_ < steps_.size() ? steps_[next_step_].time : kNever; }
    // Whether some of these are not only waits for a time, so that the merge may have to hold it up.
    bool has_locks_ahead() const { return steps_.size() - next_step_ > waits_ahead_; }
    void alone_until(Time time) { alone_until_ = time; }
    // After a merge: which line the rest of the log is about, if that is little.
    void note_left() const;
    // A line is no longer the thread's own, or no longer read by it. The reading with this number was the
    // last to find it so. Runs found quiet by readings up to it may no longer be quiet.
    void lose(u32 sequence = kLastReading) {
        if (sequence > sequence_) sequence = sequence_;
        if (sequence > lost_until_) lost_until_ = sequence;
    }
    // The thread has ended, and what it did to the line, which it had to itself, has no effect any more.
    // Lines come in descending order.
    void leave(u64 line) {
        DCHECK(left_.empty() || line < left_.back());
        left_.push_back(line);
    }

private:
    friend class FirstReading;
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
    void for_each_recent(const u64* end, Poll how, F f) const;

    bool is_of_spin(const log::Shape& shape) const;
    // The thread waits for something, perhaps for one of the words that it loaded last. Its log is read up to
    // `end`.
    void poll(const u64* end, Poll how);
    u64* begin_of_spin(u64* end);
    void take_back_polls();
    void spin_from(u64* at, u64* end, Time now);
    void tell_polls(Time now);
    void follow_next(Poll how);
    static bool waits_for_known(const WordSet& loaded);
    void begin_reading();
    void note_end(Time now);
    void keep_run(u64* from, u64* to, Time last);

    // First reading: locks, and the other steps of the replay beside accesses.
    void push(Step step);
    // The thread's clock was moved, not by the thread's own instructions.
    void went_on(Time from, Time until);
    void went_on(Time from, Time until, Clocks::Cause by, bool ends_wait = true);
    // All that the other thread did before that time of its clock is before what this one does now.
    void observe_after(u32 serial, Time time);
    void leave_barrier(Address barrier);
    void follow_own_lock(const log::AccessUse& use, Address at, const log::WordChange& change,
                         const Place& place, Time now);
    void note_updates(const log::Record& record, const log::Shape& shape, Time now);
    void observe(const log::Record& record, const log::Shape& shape, u64 bit);
    void observe_words(const AccessPart& seen, SharedLine& shared);
    void store_to_word(const AccessPart& seen);
    void observe_line(const AccessPart& seen, SharedLine& shared, u64 bit);
    void add_own_lock(Address lock, bool holds);
    void use_own_lock(OwnLocks::LockAct found, Place place, Time now);
    void lock_call(const log::Record& record, log::LockEvent event, Time now);
    bool leaves_call(threads::CallPath path) const {
        return !lock_functions_.empty() && !threads::is_below(path, lock_functions_.back().path);
    }
    bool tell_wait(Time now);
    Time leave_call(Time now);
    void take_lock(Address lock, bool shared, bool perhaps, Time now, Place place);
    void give_lock(Address lock, Time now);
    bool keep_update(log::Record& record);
    void act_in_call(Time now);
    void count_updates(const log::Record& record);
    void push_token(Step::StepKind kind, Address semaphore, threads::CallPath path, Time now);
    void take_token(Time now);
    bool has_updated(Address semaphore) const;
    void count_tokens();
    bool is_in_wait() const;
    void hold(Address lock);
    void let_go(Address lock);
    void tell_held();
    bool has_locked(Address lock) const;
    void follow_givers(Address lock);

    bool next_access(Time horizon, Time* time);
    u32 consume_access();
    void tell_in_order();
    const log::Chunk::RecordRun* quiet_run();
    static u64* pass_until(Time horizon, u64* at, const u64* end);
    void fetch_lines();
    bool enter_record(Time horizon);
    enum class Interest : u8 { None, Settle, Merge };
    Interest interest_in(const log::Record& record, const log::Shape& shape) const;
    bool teaches_nothing(SharedLine& shared, const Touch& touch, Time time, Time until) const;
    void note_progress();
    void pass(const log::Record& record, const log::Shape& shape);
    void apply_alone(SharedLine& shared, const log::Record& record, const log::Shape& shape) const;
    Events apply_use(usize use);
    void take_time(const Events& events, ObjectId object);
    usize store_along() const;
    bool is_early(usize use) const;
    bool has_left(u64 line) const {
        return !left_.empty() && std::binary_search(left_.begin(), left_.end(), line, std::greater<u64>());
    }

    Thread thread_;
    bool gone_ = false, absent_ = false;
    u32 chunks_ = 0;
    u32 sequence_ = 0;    // number of the present or last first reading
    u32 lost_until_ = 0;  // number of a first reading, see lose()
    rt::Vector<u64> left_;

    // Steps found by the first reading that are not in the log. The second reading is at next_step_.
    rt::Vector<Step> steps_;
    usize next_step_ = 0;
    u32 waits_ahead_ = 0;   // number of steps not taken yet that may make the thread's delay less
    bool at_step_ = false;  // the current step of the replay is one of them
    Time ended_at_ = 0;     // the thread's clock at the end of the part that has been read
    Place last_place_{};    // of the last record that may be followed by a wait
    // Functions that work on locks and that the thread is in at the end of the part that has been read.
    struct LockFunction {
        threads::CallPath path;
        log::LockEvent event;
        Address lock;
        bool updated;  // its first atomic read-modify-write is behind it, or does not matter
        u32 updates;   // of a semaphore
        Time entered;  // by the thread's clock
    };
    rt::Vector<LockFunction> lock_functions_;
    rt::Vector<Address> semaphores_;  // that this reading met
    struct HeldLock {
        Address lock;
        u32 depth;
    };
    rt::Vector<HeldLock> held_;  // in the order of the first reading
    // The same for lives: with locks that it has perhaps got, and semaphores used as locks.
    LockSet lock_set_ = LockSet::None;
    Address tokens_[rules::kMostTokens] = {};  // semaphores that it took last
    u32 next_token_ = 0;
    // The lock of the program's own that the present record looks at while another thread has it.
    Address finds_held_ = 0;
    Time takes_jobs_until_ = 0;  // it has updated a shared word, of which others may do the same
    Address stuck_at_ = 0;       // the lock that it has found held, if it has only looked again since

    // Second reading: at the record at at_ of oldest_; if in_record_, at its use and that use's line.
    log::Chunk* oldest_ = nullptr;
    u64* at_ = nullptr;
    usize run_ = 0;  // of oldest_: the next run
    // Up to there in that chunk, what the records need has been fetched into the host's cache.
    const log::Chunk* fetched_in_ = nullptr;
    const u64 *records_fetched_ = nullptr, *orders_fetched_ = nullptr;
    bool in_record_ = false;
    usize use_ = 0;
    u64 line_ = 0;
    Time last_ = 0, time_ = 0;
    SharedLine* shared_ = nullptr;
    static constexpr u32 kMostEarly = 4;
    u16 early_[kMostEarly] = {};  // uses of the record that were applied with an earlier one
    u32 early_count_ = 0;
    // For consumers in the replay's order: records of oldest_ up to passed_ have been passed on. at_ <=
    // passed_.
    u64* passed_ = nullptr;
    bool passing_ = false;  // the current step is the record at passed_
    Time alone_until_ = 0, horizon_ = 0;

    // First reading: read up to newest_->end.
    log::Chunk* newest_ = nullptr;
    static constexpr u32 kReads = 64, kPolls = 4;
    const u64* reading_ = nullptr;   // in newest_: the record that is being read
    const u64* reads_[kReads] = {};  // in newest_: starts of the last readings, a ring
    const u64* polls_[kPolls] = {};  // starts of the last polls
    u32 next_read_ = 0, next_poll_ = 0;
    static constexpr u32 kEnds = 1024;
    rt::Vector<Time> ended_;        // ends of the last readings, by number modulo kEnds
    rt::Vector<u64> lines_passed_;  // until a wait (passing.h)
    u32 followed_ = 0;              // of its next slices or chunks, so many are logged whole
    u32 sleeps_followed_ = 0;
    // Of a sampled log: waits for which memory was watched.
    u32 watched_for_ = 0;
    u32 trip_ = 1;  // instructions from its last look at the words that it waits for to the one before
    bool polls_told_ = false;  // to the replay
    // Found since the last reading.
    rt::Vector<Address> spun_words_, spun_code_;
    bool waited_ = false;  // since it got its bit in quiet lines
    bool worked_ = false;  // it has stored to a shared line since it last yielded
};

Strand* strand_of(u32 serial);  // null if all that the thread did has been replayed

}  // namespace memspy::order
