// SPDX-License-Identifier: GPL-2.0-or-later
//
// Streams and their followers, and the feeder, which shares out a batch of accesses to them.
//
// In a batch many streams have the same accesses: an object and its use by the only function that runs, a
// thread and the functions that it alone is in. Such streams form a group, and what the batch has in itself
// (strides, and distances between two uses in it; passage in batch.h) is found once for all of it. To each
// stream alone remain the words' first uses in the batch, the strides of its first accesses, and the new
// order of the words.
#pragma once

#include "analyses/locality/batch.h"
#include "analyses/locality/recency.h"
#include "analyses/locality/strides.h"
#include "rt/vector.h"

namespace memspy::locality {

enum class StreamKind : u8 {
    All,
    Variables,  // of the program's own; numbered 1, the other accesses 0
    Thread,
    Object,
    Block,  // one block of an allocation, which is the object; 0: accesses of none
    Function,
    Line,
    ObjectThread,
    BlockThread,
    ObjectFunction,
    FunctionThread
};
inline constexpr u32 kKinds = 11;

// What a follower keeps, but for the order of words.
struct FollowedFigures {
    StrideHistory history;
    BurstStrides strides;
    Reuses reuses;  // of words; sampled: before the first stage
    // Sampled, from the first stage on.
    Reuses long_reuses;               // of followed words; each counts for all words that it stands for
    u64 on_border = 0;                // of these: they may belong to the next bucket
    SeenReuses burst_reuses;          // of the words of bursts
    BurstRatio near, reused, unseen;  // for the errors of scores
    // Of `near`, what comes from accesses whose last kWindow words are known.
    double late = 0, late_accesses = 0;
    u32 burst = 0;
};

struct Follower : FollowedFigures {
    Recency words;        // exact: all words; sampled: words followed by their hash
    Recency burst_words;  // sampled, from the first stage on: of this burst
};

struct Stream {
    StreamKind kind{};
    u32 first = 0, second = 0;     // its subjects
    u64 loads = 0, stores = 0;     // an atomic update is both, and counts as two accesses
    u64 followed = 0;              // those of them that came while it had a follower
    u64 seen = 0;                  // accesses that its scores may come from
    u64 squares = 0;               // sum of squares of what each counted access stands for, if for others
    Follower* follower = nullptr;  // null: the stream is only counted
    u32 within = 0;                // of a line: the function of its first access
    u32 share = 0;                 // for the feeder: 0, or its share of the batch + 1
    Stream* twin = nullptr;        // while there is one thread: the stream without it, which has the follower

    u64 accesses() const { return loads + stores; }
};

// The streams of an access, looked up once.
struct StreamSet {
    u64 what = 0, where = 0;  // thread and object, function and line
    u32 number = 0;
    Stream* streams[kKinds] = {};
    // Accesses that their streams do not have yet.
    u64 loads = 0, stores = 0, seen = 0, squares = 0;
    // For the feeder.
    u32 in_batch = 0, targets = 0;
    u32 target[kKinds] = {};
};

// How a batch is to be understood. All accesses of a burst are in batches of their own; others are of words
// that are followed, and of which each stands for 2^word_stage.
struct Feeding {
    bool is_burst = true;
    u32 burst = 0;
    u64 weight = 1;      // of an access in a burst
    u32 word_stage = 0;  // 0: there are no other words than those of bursts
};

class Feeder {
public:
    // The batch's numbers of sets are indices into `sets`. It is empty afterwards.
    void feed(AccessBatch& batch, const rt::Vector<StreamSet*>& sets, const Feeding& how);

private:
    static constexpr u32 kNone = ~u32{0};
    // The accesses of a stream in the batch.
    struct Share {
        Stream* stream = nullptr;
        const StreamSet* first = nullptr;  // its first set
        u32 count = 0;
        u32 common[kKinds] = {};  // with the first set's stream of each kind before its own
        // The share with the same accesses that stands for this one, and the next one of those that it stands
        // for.
        u32 leader = 0, next = kNone;
        const WordNumber* words = nullptr;
        WordNumber* end = nullptr;  // while they are gathered
    };

    void find_shares(const AccessBatch& batch, const rt::Vector<StreamSet*>& sets);
    void gather(const AccessBatch& batch, const rt::Vector<StreamSet*>& sets);
    void feed_group(const AccessBatch& batch, const Share& leader, const Feeding& how);
    void count_strides(u32 count, bool with_score);
    void feed_strides(Follower& follower, u32 count, const Feeding& how);
    void feed_words(const AccessBatch& batch, Follower& follower, const Feeding& how);
    template <typename F>
    void use_words(const AccessBatch& batch, Recency& words, u32 block_bits, F count);

    rt::Vector<Share> shares_;
    rt::Vector<StreamSet*> sets_;  // of the batch
    WordNumber gathered_[kKinds * AccessBatch::kMost];
    // Of a group.
    Passage passage_;
    u32 words_[kWindow + AccessBatch::kMost + kStrideRoom];  // behind those that came before
    u32 strides_[AccessBatch::kMost + kStrideRoom];
    u64 near_[kCutOff + 1];  // by stride, of those that do not depend on what came before
    double near_score_ = 0;  // of these, the sum
    u32 places_[AccessBatch::kMost];
};

}  // namespace memspy::locality
