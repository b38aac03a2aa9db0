// SPDX-License-Identifier: GPL-2.0-or-later
//
// The streams of a run's accesses, and the locality of each.
//
// An access belongs to eight streams: that of all accesses, of its thread, its object, its function, its
// source line, and of three pairs of these. A stream is identified by its kind and the numbers of its
// subjects. The caller chooses the numbers; 0 is "not known". Accesses come in the order in which they
// happened.
//
// Exact: each stream has a *follower*, which sees all its accesses. If there are more streams than followers,
// or not enough memory, streams with less than a thousandth of the accesses lose their follower and are only
// counted.
//
// Sampled: exact up to the first stage. From then on
//   - *bursts*: all accesses for a while, then none for longer and longer times. Strides and the short
//     distances (up to 2^kShort words), which need every access, come from bursts.
//   - *counts*: one access of each kFewestGap to kMostGap, at a random place among them, stands for all of them. Bursts
//     are too few for that: in a program whose parts take turns some part would have two, and another none.
//   - *words*: words with a hash below a threshold are followed all the time, each standing for 2^k others
//     (SHARDS: Waldspurger, Park, Garthwaite, Ahmad, FAST 2015). Long distances come from these: a distance
//     of d words is one of d / 2^k followed words. The threshold is halved after a fixed number of followed
//     accesses, and when memory is full. The choice of words is random, so a busy word that is or is not
//     followed makes the number of followed accesses differ from the expected one. The difference is added to
//     the shortest distances (that paper's correction).
// How far a stream's distances are known from bursts depends on how many of its words a burst has (scores.h).
//
// If the log of several threads is a sample as well, a burst is not a number of accesses but a slot of all
// threads' time (burst_slots.h), and the caller knows which accesses are counted (thread_samples.h).
//
// Followers are fed some thousand accesses at a time (feeder.h).
#pragma once

#include "analyses/locality/burst_slots.h"
#include "analyses/locality/feeder.h"
#include "analyses/locality/thread_samples.h"
#include "log/word_sample.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::locality {

// The result for a stream.
struct StreamFigures {
    u64 accesses = 0;
    double spatial = 0, temporal = 0;
    u64 variance = 0;     // of `accesses`; 0: counted one by one
    double followed = 0;  // share of its accesses that the scores are from; 0: no scores
    // The squares of the scores' standard errors, as far as they come from the choice of bursts and, for
    // distances, from the borders of buckets.
    double spatial_variance = 0, temporal_variance = 0;
    Reuses reuses;  // in accesses
};

struct StreamOptions {
    bool exact = true;
    u32 followers = 8000;
    u64 bytes = 120'000'000;  // memory for followed words
    u32 depth = 21;           // of the stream of all accesses, a power of two; others: kSteps
    // Sampled: the accesses of a burst, and the followed accesses of a stage. The defaults keep the cost of
    // following below that of writing and reading the log.
    // The first stage is longer: walks through large objects (walks.h) are longer than a burst.
    u32 burst = 1 << 13;
    u64 first_stage = 1 << 20, stage = 1 << 17;
    u32 most_stages = 8, most_word_stages = 7;
    u32 words = 1 << 12;  // to be followed from the first stage on: with more of them, half as many are
};

// An access to one word, with the caller's numbers.
struct WordAccess {
    Word word = 0;
    u32 thread = 0, object = 0, function = 0, line = 0;
    u32 block = 0;             // the object of one block of `object`, if that has streams of its own
    bool of_variable = false;  // a property of `object`
    bool stores = false;
};

class Streams {
public:
    Streams() = default;
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    ~Streams();

    void configure(const StreamOptions& options);
    // For each access, in order: whether `access` has to be called for it (always if exact), and then
    // advance(1).
    bool wants(Word word) const { return in_burst_ || stands_for_ != 0 || is_followed(word); }
    void advance(u64 accesses) {
        while (accesses >= left_) [[unlikely]] {
                accesses -= left_;
                next_event();
            }
        left_ -= accesses;
    }
    // Instead of as many calls of wants() and advance(): whether only words that are followed are wanted of
    // the next `accesses`.
    bool may_pass(u64 accesses) const { return !in_burst_ && stands_for_ == 0 && accesses < left_; }
    void pass(u64 accesses) { left_ -= accesses; }
    // From now on bursts are slots of the threads' time. Then advance() only counts, and for each record of
    // accesses, in the replay's order: its thread's time, whether all of the thread's accesses around it are
    // there, and which of its accesses stands for how many others. If that one does not come, because it was
    // a poll or a condition did not hold, nothing stands for them: as often one that comes stands for some
    // that do not.
    void go_by_time();
    bool is_by_time() const { return by_time_; }
    void begin_record(u64 time, bool has_all) {
        if (stage_ == 0) return;
        const bool in_burst = has_all && is_burst_at(time);
        if (in_burst) enter_slot(time);
        in_burst_ = in_burst;
    }
    void count_access(u32 access, u64 stands_for);
    void end_record();
    // For how many the next access is counted. An access that goes on in another word is counted there, too.
    u64 stands_for() const { return stands_for_; }
    void let_stand_for(u64 accesses) { stands_for_ = accesses; }
    // All accesses told by advance() and pass().
    u64 told() const { return begun_ + interval_ - left_; }
    // Accesses beside those, told or less than told.
    void correct(i64 accesses) { more_ += accesses; }
    // As many accesses come before a burst begins or ends, and before the next that is counted.
    u64 before_turn() const { return to_turn_ - (interval_ - left_); }
    u64 before_count() const { return stands_for_ != 0 ? 0 : to_count_ - (interval_ - left_); }
    // As many accesses come before the next burst; in one, none.
    u64 before_burst() const { return in_burst_ ? 0 : before_turn(); }
    bool is_followed(Word word) const { return (log::WordSample::hash_of(word) & mask_) == 0; }
    u64 mask() const { return mask_; }  // of the words that are followed
    void access(const WordAccess& access) { this->access(set_of(access), access.word, access.stores); }
    // Instead of wants(), advance() and access(): whether each of the next `accesses` is followed and counts
    // for itself. There may be half of them, for they may cross borders. Then take() each, and pass() their
    // number.
    bool may_take(u64 accesses) const {
        return in_burst_ && stage_ == 0 && accesses < left_ && 2 * accesses < stage_left_;
    }
    void take(StreamSet& set, Word word, bool stores) {
        if (set.seen++ == 0) counted_.push_back(&set);
        ++(stores ? set.stores : set.loads);
        burst_batch_.add(word, set.number);
        --stage_left_;
        if (burst_batch_.is_full()) [[unlikely]]
            end_batch();
    }
    // The same for an access of which the set of streams is known; it remains where it is.
    StreamSet& set_of(const WordAccess& access);
    void access(StreamSet& set, Word word, bool stores);
    // Of how many accesses this one is a sample: one for all of a burst, more for words that are always
    // followed.
    u32 weight(Word word) const { return is_followed(word) ? static_cast<u32>(weight_) : 1; }

    // Whether all accesses are followed now, and since when: bursts have different numbers.
    bool in_burst() const { return in_burst_; }
    u32 burst() const { return burst_; }
    u64 burst_weight() const { return weight_; }  // of an access in it

    // Within for_each().
    StreamFigures figures(const Stream& stream) const;
    u32 burst_stage() const { return stage_; }
    u32 word_stage() const { return word_stage_; }
    u64 accesses() const { return told() + static_cast<u64>(more_); }
    bool exact() const { return options_.exact; }

    // Calls f(stream) in the order of their first accesses.
    template <typename F>
    void for_each(F f) {
        settle();
        for (Stream* stream : streams_) f(*stream);
    }

private:
    static constexpr u32 kMostWordStages = 16;
    // Gaps are a part of the accesses so far, so that short runs have enough of them.
    static constexpr u64 kGapPart = 1 << 13;
    static constexpr u64 kNever = ~u64{0};

    void next_event();
    void turn();
    void choose_counted();
    u64 chance(u64 below) { return chance_.next() % below; }
    bool is_burst_at(u64 time) {
        if (const u64 slot = BurstSlots::slot_of(time); slot != looked_at_) {
            looked_at_ = slot;
            is_chosen_ = BurstSlots::is_chosen(slot, stage_);
        }
        return is_chosen_;
    }
    void enter_slot(u64 time) {
        const u32 burst = first_burst_ + static_cast<u32>(BurstSlots::slot_of(time));
        if (burst == burst_) return;
        feed_burst();
        burst_ = burst;
    }
    Stream* find(StreamKind kind, u32 first, u32 second);
    void follow(Stream& stream);
    void stop_following(Stream& stream);
    void drop_light();
    void part_threads();
    StreamSet* find_set(const WordAccess& access);
    void settle();
    void end_batch();
    void feed_burst();
    void next_stage();
    void follow_fewer_words();
    void add_sampled(StreamFigures& figures, const Follower& follower, u64 followed,
                     u64 count_variance) const;
    double difference_of_samples(const Follower& follower) const;
    void add_shares(Reuses& reuses, const Follower& follower, double wanted) const;
    void look_at_memory();

    StreamOptions options_;
    rt::Vector<Stream*> streams_;
    rt::HashMap<Stream*> by_key_[kKinds];
    rt::Vector<StreamSet*> sets_;
    rt::HashMap<u32> what_, where_;       // two numbers of a set's four: their own number
    rt::HashMap<StreamSet*> by_numbers_;  // by these two
    static constexpr u32 kSetBits = 10;
    StreamSet* recent_[1 << kSetBits] = {};  // by a hash of all
    rt::Vector<StreamSet*> counted_;         // with counts that their streams do not have yet
    AccessBatch burst_batch_, followed_batch_;
    Feeder feeder_;
    u32 followers_ = 0;
    bool lacking_ = false;  // some stream has no follower
    bool several_threads_ = false;
    u32 first_thread_ = 0;
    u64 next_review_ = 0;
    u64 looked_ = 0;   // when memory was last checked, in followed accesses
    u64 dropped_ = 0;  // when light streams were last dropped, in accesses
    // Accesses from one event (the end of a part of a period, an access that is counted) to the next one:
    // those before them, their number, and how many are left.
    u64 begun_ = 0, interval_ = kNever, left_ = kNever;
    u64 to_turn_ = kNever, to_count_ = kNever;  // from the last event on
    i64 more_ = 0;
    enum class BurstPhase : u8 { Before, Burst, Behind } now_ = BurstPhase::Burst;
    bool in_burst_ = true;
    u64 stands_for_ = 0;  // the next access is counted, for so many
    CountGaps gaps_;
    // Sampled.
    u64 behind_ = 0;  // accesses of the period behind the burst
    u32 burst_ = 0;
    u32 stage_ = 0, word_stage_ = 0;
    u64 weight_ = 1;
    u64 mask_ = 0;
    u64 stage_left_ = kNever;
    RandomNumbers chance_{1};
    // By time.
    bool by_time_ = false;
    u32 first_burst_ = 0;     // the number of the burst of the first slot
    u64 looked_at_ = kNever;  // a slot
    bool is_chosen_ = false;  // it is a burst
    u64 counted_for_ = 0;     // of the access that is to be counted
};

}  // namespace memspy::locality
