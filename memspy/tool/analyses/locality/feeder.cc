// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/feeder.h"

namespace memspy::locality {
namespace {

void add(Reuses& reuses, u32 bucket, u64 count) {
    if (bucket < kBuckets) [[likely]]
        reuses.buckets[bucket] += count;
    else
        reuses.far += count;
}

// What a stride adds to the score.
struct StrideValues {
    double values[kCutOff + 1] = {};
    constexpr StrideValues() {
        for (u32 i = 1; i < kCutOff; ++i) values[i] = 1.0 / i;
    }
};
constexpr StrideValues kStrides;

}  // namespace

void Feeder::feed(AccessBatch& batch, const rt::Vector<StreamSet*>& sets, const Feeding& how) {
    if (batch.size() == 0) return;
    batch.number_words();
    find_shares(batch, sets);
    gather(batch, sets);
    for (u32 i = 0; i < shares_.size(); ++i)
        if (shares_[i].leader == i) feed_group(batch, shares_[i], how);
    for (const Share& share : shares_) share.stream->share = 0;
    for (StreamSet* set : sets_) set->in_batch = 0;
    batch.clear();
}

void Feeder::find_shares(const AccessBatch& batch, const rt::Vector<StreamSet*>& sets) {
    sets_.resize(0);
    shares_.resize(0);
    for (u32 i = 0; i < batch.size(); ++i) {
        StreamSet* set = sets[batch.set_of(i)];
        if (set->in_batch++ == 0) sets_.push_back(set);
    }
    for (const StreamSet* set : sets_)
        for (u32 kind = 0; kind < kKinds; ++kind) {
            Stream* stream = set->streams[kind];
            if (stream->twin != nullptr || stream->follower == nullptr) continue;
            if (stream->share == 0) {
                shares_.push_back(Share{});
                shares_.back().stream = stream;
                shares_.back().first = set;
                stream->share = static_cast<u32>(shares_.size());
            }
            Share& share = shares_[stream->share - 1];
            share.count += set->in_batch;
            for (u32 other = 0; other < kind; ++other)
                if (set->streams[other] == share.first->streams[other]) share.common[other] += set->in_batch;
        }
    // A stream of an earlier kind has its share first.
    for (u32 i = 0; i < shares_.size(); ++i) {
        Share& share = shares_[i];
        share.leader = i;
        for (u32 kind = 0; kind < static_cast<u32>(share.stream->kind); ++kind) {
            const Stream* other = share.first->streams[kind];
            if (share.common[kind] != share.count || other->share == 0) continue;
            const Share& its = shares_[other->share - 1];
            if (its.count != share.count) continue;
            share.leader = its.leader;
            share.next = shares_[its.leader].next;
            shares_[its.leader].next = i;
            break;
        }
    }
}

void Feeder::gather(const AccessBatch& batch, const rt::Vector<StreamSet*>& sets) {
    WordNumber* end = gathered_;
    bool any = false;
    for (u32 i = 0; i < shares_.size(); ++i) {
        Share& share = shares_[i];
        if (share.leader != i) continue;
        share.words = batch.numbers();
        if (share.count == batch.size()) continue;
        any = true;
        share.words = share.end = end;
        end += share.count;
    }
    if (!any) return;
    for (StreamSet* set : sets_) {
        set->targets = 0;
        for (const Stream* stream : set->streams)
            if (stream->share != 0 && shares_[stream->share - 1].end != nullptr)
                set->target[set->targets++] = stream->share - 1;
    }
    for (u32 i = 0; i < batch.size(); ++i) {
        const StreamSet& set = *sets[batch.set_of(i)];
        for (u32 target = 0; target < set.targets; ++target)
            *shares_[set.target[target]].end++ = batch.numbers()[i];
    }
}

void Feeder::feed_group(const AccessBatch& batch, const Share& leader, const Feeding& how) {
    const u32 count = leader.count;
    passage_.read(leader.words, count, !how.is_burst);
    if (how.is_burst) {
        for (u32 i = 0; i < count; ++i) words_[kWindow + i] = low_of(batch.word(leader.words[i]));
        count_strides(count, how.word_stage != 0);
    }
    for (const Share* share = &leader;; share = &shares_[share->next]) {
        Follower& follower = *share->stream->follower;
        // If threads get to a burst one after the other, streams of several of them are seen only as long as
        // all of them are there.
        const bool is_late = how.is_burst && how.burst < follower.burst;
        if (how.is_burst && !is_late) {
            if (follower.burst != how.burst) {
                follower.burst = how.burst;
                follower.history.forget();
                follower.burst_words.forget();
                follower.near.end_burst();
                follower.reused.end_burst();
                follower.unseen.end_burst();
            }
            feed_strides(follower, count, how);
        }
        if (!is_late) feed_words(batch, follower, how);
        if (share->next == kNone) return;
    }
}

// Those that do not depend on what came before the batch. Two counters for each stride: mostly it is the one
// before, whose counter is still being written.
void Feeder::count_strides(u32 count, bool with_score) {
    __builtin_memset(near_, 0, sizeof near_);
    near_score_ = 0;
    if (count <= kWindow) return;
    find_strides(words_ + 2 * kWindow, count - kWindow, strides_ + kWindow);
    if (with_score)
        for (u32 i = kWindow; i < count; ++i) near_score_ += kStrides.values[strides_[i]];
    u32 other[kCutOff + 1] = {};
    u32 i = kWindow;
    for (; i + 1 < count; i += 2) {
        ++near_[strides_[i]];
        ++other[strides_[i + 1]];
    }
    if (i < count) ++near_[strides_[i]];
    for (i = 0; i < kCutOff; ++i) near_[i] += other[i];
}

void Feeder::feed_strides(Follower& follower, u32 count, const Feeding& how) {
    const u32 head = count < kWindow ? count : kWindow;
    // All that comes before the first burst is known: nothing.
    const u32 known = how.burst == 0 ? kWindow : follower.history.known();
    const u32 early = kWindow - known < head ? kWindow - known : head;
    follower.history.give(words_[kWindow], words_);
    find_strides(words_ + kWindow, head, strides_);
    follower.history.take(words_ + count, count);
    BurstStrides& strides = follower.strides;
    const auto weight = static_cast<double>(how.weight);
    double of_early = 0, of_whole = near_score_;
    // The first access of a burst has a stride that is not known.
    const u32 from = known == 0 ? 1 : 0;
    for (u32 i = from; i < early; ++i) of_early += kStrides.values[strides_[i]];
    for (u32 i = early; i < head; ++i) {
        if (strides_[i] < kCutOff) strides.whole.near[strides_[i]] += how.weight;
        of_whole += kStrides.values[strides_[i]];
    }
    if (early > from) strides.early_accesses += (early - from) * weight;
    strides.early += of_early * weight;
    strides.whole.accesses += (count - early) * how.weight;
    if (count > kWindow)
        for (u32 i = 0; i < kCutOff; ++i) strides.whole.near[i] += near_[i] * how.weight;
    if (how.word_stage == 0) return;
    follower.near.add((of_early + of_whole) * weight, (count - from) * weight);
    follower.late += of_whole * weight;
    follower.late_accesses += (count - early) * weight;
}

void Feeder::feed_words(const AccessBatch& batch, Follower& follower, const Feeding& how) {
    if (!how.is_burst) {
        // A followed word stands for others: a distance of d words is one of (d - 1) * 2^k + 1.
        const u64 before = follower.words.uses_on_border();
        use_words(batch, follower.words, Recency::kScattered, [&](u32 bucket, u32 uses, u32) {
            add(follower.long_reuses, bucket == 0 ? 0 : bucket + how.word_stage, u64{uses} << how.word_stage);
        });
        const u64 on_border = passage_.uses_on_border() + follower.words.uses_on_border() - before;
        follower.on_border += on_border << how.word_stage;
    } else if (how.word_stage == 0) {
        use_words(batch, follower.words, Recency::kBlockBits,
                  [&](u32 bucket, u32 uses, u32) { add(follower.reuses, bucket, uses * how.weight); });
    } else {
        SeenReuses& reuses = follower.burst_reuses;
        use_words(batch, follower.burst_words, Recency::kBlockBits, [&](u32 bucket, u32 uses, u32 others) {
            const u64 all = uses * how.weight;
            if (bucket < Recency::kFar)
                reuses.see(bucket, all);
            else
                reuses.miss(others, all);
            const auto whole = static_cast<double>(all);
            follower.reused.add(bucket < Recency::kFar ? Reuses::value(bucket) * whole : 0, whole);
            follower.unseen.add(bucket < Recency::kFar ? 0 : whole, whole);
        });
    }
}

// Calls count(bucket, uses, others) for the group's accesses to words of the batch. Of a first use, in the
// bucket kFar, `others` words are known.
template <typename F>
void Feeder::use_words(const AccessBatch& batch, Recency& words, u32 block_bits, F count) {
    using HashedWord = Recency::HashedWord;
    for (u32 bucket = 0; bucket < kBuckets; ++bucket)
        if (const u32 uses = passage_.reuses()[bucket]; uses != 0)
            count(bucket <= words.depth() ? bucket : Recency::kFar, uses, words.limit());
    const u32 taken = passage_.words();
    words.begin_batch(taken);
    u32 known = words.size();
    const auto hashed = [&](u32 i) { return HashedWord(batch.word(passage_.first_use(i)), block_bits); };
    constexpr u32 kToEntry = 40, kToTime = 24, kToUse = 8;
    const bool is_large = words.is_large();
    for (u32 i = 0; i < taken; ++i) {
        if (is_large) {
            if (i + kToEntry < taken) words.approach_entry(hashed(i + kToEntry));
            if (i + kToTime < taken) words.approach_time(hashed(i + kToTime));
            if (i + kToUse < taken) words.approach_use(hashed(i + kToUse));
        }
        const u32 place = words.place_of(hashed(i));
        places_[passage_.first_use(i)] = place;
        const u32 bucket = words.take(place, i);
        count(bucket, 1, known);
        if (bucket == Recency::kFar) ++known;
    }
    for (u32 i = 0; i < taken; ++i) words.put(places_[passage_.last_use(i)]);
}

}  // namespace memspy::locality
