// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/streams.h"

#include <new>

namespace memspy::locality {
namespace {

// Accesses between two checks of memory. They add at most a few MB of words.
constexpr u64 kBetweenLooks = 1 << 13;
// A stream with less than this part of all accesses may lose its follower.
constexpr u64 kLight = 1000;
// The search for light streams is slow.
constexpr u64 kBetweenDrops = 1 << 12;
// Streams without a follower may have become heavy: they are looked at whenever there are this part more
// accesses.
constexpr u64 kReviews = 8;

u64 key_of(u32 first, u32 second) { return u64{first} << 32 | second; }

// A block belongs to one object.
u64 what_of(const WordAccess& access) {
    return key_of(access.thread, access.block != 0 ? access.block : access.object);
}

// Accesses of none, or of no thread, are no stream that anybody asks for.
bool may_follow(const Stream& stream) {
    const bool may_be_none = stream.kind == StreamKind::Variables || stream.kind == StreamKind::Block ||
                             stream.kind == StreamKind::BlockThread;
    return !(may_be_none && stream.first == 0) && stream.twin == nullptr;
}

}  // namespace

void Streams::configure(const StreamOptions& options) {
    options_ = options;
    prepare_counting();
    prepare_strides();
    if (options.exact) return;
    stage_left_ = options.first_stage;
}

Streams::~Streams() {
    for (Stream* stream : streams_) {
        if (stream->follower != nullptr) {
            stream->follower->~Follower();
            rt::release(stream->follower);
        }
        rt::release(stream);
    }
    for (StreamSet* set : sets_) rt::release(set);
}

// Streams and their followers

void Streams::follow(Stream& stream) {
    if (followers_ >= options_.followers && accesses() - dropped_ > kBetweenDrops) drop_light();
    if (followers_ >= options_.followers || Recency::bytes_of_all() > options_.bytes) {
        lacking_ = true;
        return;
    }
    ++followers_;
    stream.follower = new (rt::allocate(sizeof(Follower), "memspy.follower")) Follower;
    stream.follower->words.limit(stream.kind == StreamKind::All || !options_.exact ? options_.depth : kSteps);
    stream.follower->burst = burst_;
    if (word_stage_ != 0) stream.follower->words.scatter();
}

void Streams::stop_following(Stream& stream) {
    lacking_ = true;
    --followers_;
    stream.follower->~Follower();
    rt::release(stream.follower);
    stream.follower = nullptr;
    stream.followed = 0;
}

// Light streams lose their followers.
void Streams::drop_light() {
    settle();
    dropped_ = accesses();
    const u64 light = dropped_ / kLight;
    for (Stream* stream : streams_)
        if (stream->follower != nullptr && stream->accesses() < light) stop_following(*stream);
}

Stream* Streams::find(StreamKind kind, u32 first, u32 second) {
    Stream*& known = by_key_[static_cast<u32>(kind)][key_of(first, second)];
    if (known != nullptr) return known;
    auto* stream = new (rt::allocate(sizeof(Stream), "memspy.stream")) Stream;
    known = stream;
    stream->kind = kind;
    stream->first = first;
    stream->second = second;
    streams_.push_back(stream);
    if (!several_threads_) {
        if (kind == StreamKind::Thread) stream->twin = find(StreamKind::All, 0, 0);
        if (kind == StreamKind::ObjectThread) stream->twin = find(StreamKind::Object, first, 0);
        if (kind == StreamKind::BlockThread) stream->twin = find(StreamKind::Block, first, 0);
        if (kind == StreamKind::FunctionThread) stream->twin = find(StreamKind::Function, first, 0);
    }
    if (may_follow(*stream)) follow(*stream);
    return stream;
}

StreamSet& Streams::set_of(const WordAccess& access) {
    if (!several_threads_ && access.thread != first_thread_) [[unlikely]] {
        if (first_thread_ != 0) part_threads();
        first_thread_ = access.thread;
    }
    const u64 what = what_of(access), where = key_of(access.function, access.line);
    const u64 hash = (what * 0x9E3779B97F4A7C15u ^ where) * 0x9E3779B97F4A7C15u;
    StreamSet*& recent = recent_[hash >> (64 - kSetBits)];
    if (recent == nullptr || recent->what != what || recent->where != where) recent = find_set(access);
    return *recent;
}

StreamSet* Streams::find_set(const WordAccess& access) {
    const auto number = [](rt::HashMap<u32>& numbers, u64 key) {
        u32& known = numbers[key];
        if (known == 0) known = static_cast<u32>(numbers.size());
        return known;
    };
    const u64 what = what_of(access), where = key_of(access.function, access.line);
    StreamSet*& known = by_numbers_[key_of(number(what_, what), number(where_, where))];
    if (known != nullptr) return known;
    auto* set = new (rt::allocate(sizeof(StreamSet), "memspy.stream_set")) StreamSet;
    known = set;
    set->what = what;
    set->where = where;
    set->number = static_cast<u32>(sets_.size());
    sets_.push_back(set);
    const auto put = [&](StreamKind kind, u32 first, u32 second) {
        set->streams[static_cast<u32>(kind)] = find(kind, first, second);
    };
    put(StreamKind::All, 0, 0);  // the first of all streams
    put(StreamKind::Variables, access.of_variable ? 1 : 0, 0);
    put(StreamKind::Object, access.object, 0);
    put(StreamKind::Block, access.block, 0);
    put(StreamKind::Function, access.function, 0);
    put(StreamKind::Line, access.line, 0);
    if (u32& within = set->streams[static_cast<u32>(StreamKind::Line)]->within; within == 0)
        within = access.function;
    put(StreamKind::ObjectFunction, access.object, access.function);
    put(StreamKind::Thread, access.thread, 0);
    put(StreamKind::ObjectThread, access.object, access.thread);
    put(StreamKind::BlockThread, access.block, access.block == 0 ? 0 : access.thread);
    put(StreamKind::FunctionThread, access.function, access.thread);
    return set;
}

// A second thread has started: the accesses so far belong to the first one.
void Streams::part_threads() {
    settle();
    several_threads_ = true;
    for (Stream* stream : streams_) {
        const Stream* twin = stream->twin;
        stream->twin = nullptr;
        if (twin == nullptr) continue;
        stream->loads = twin->loads;
        stream->stores = twin->stores;
        stream->seen = twin->seen;
        stream->squares = twin->squares;
        if (twin->follower == nullptr) continue;
        follow(*stream);  // light streams may go for it, and the twin may be one
        if (stream->follower == nullptr) continue;
        if (twin->follower == nullptr) {
            stop_following(*stream);
            continue;
        }
        stream->followed = twin->followed;
        Follower& mine = *stream->follower;
        const Follower& its = *twin->follower;
        static_cast<FollowedFigures&>(mine) = its;
        mine.words.copy(its.words);
        mine.burst_words.copy(its.burst_words);
    }
}

// Accesses

void Streams::access(StreamSet& set, Word word, bool stores) {
    const u64 counted = stage_ == 0 ? 1 : stands_for_;
    stands_for_ = 0;
    if (set.seen++ == 0) counted_.push_back(&set);
    (stores ? set.stores : set.loads) += counted;
    if (stage_ != 0) set.squares += counted * counted;
    if (in_burst_) burst_batch_.add(word, set.number);
    if (word_stage_ != 0 && is_followed(word)) followed_batch_.add(word, set.number);
    if (burst_batch_.is_full() || followed_batch_.is_full()) [[unlikely]]
        end_batch();
    if (!options_.exact && --stage_left_ == 0) next_stage();
}

void Streams::end_batch() {
    settle();
    if (looked_ < kBetweenLooks) return;
    looked_ = 0;
    look_at_memory();
}

void Streams::feed_burst() {
    looked_ += burst_batch_.size();
    feeder_.feed(burst_batch_, sets_, {.burst = burst_, .weight = weight_, .word_stage = word_stage_});
}

// Gives their accesses to all streams.
void Streams::settle() {
    for (StreamSet* set : counted_) {
        for (Stream* stream : set->streams) {
            if (stream->twin != nullptr) continue;
            stream->loads += set->loads;
            stream->stores += set->stores;
            stream->seen += set->seen;
            stream->squares += set->squares;
            if (stream->follower != nullptr) stream->followed += set->loads + set->stores;
        }
        set->loads = set->stores = set->seen = set->squares = 0;
    }
    counted_.resize(0);
    feed_burst();
    looked_ += followed_batch_.size();
    feeder_.feed(followed_batch_, sets_, {.is_burst = false, .word_stage = word_stage_});
}

// Sampling

void Streams::next_event() {
    begun_ += interval_;
    to_turn_ -= interval_;
    to_count_ -= interval_;
    if (to_turn_ == 0) turn();
    if (to_count_ == 0) choose_counted();
    interval_ = left_ = to_turn_ < to_count_ ? to_turn_ : to_count_;
}

// The next access is counted for its gap; and which one in the next gap.
void Streams::choose_counted() {
    if (by_time_) {
        stands_for_ += counted_for_;
        counted_for_ = 0;
        to_count_ = kNever;
        return;
    }
    stands_for_ += gaps_.gap();
    to_count_ = gaps_.choose(accesses() / kGapPart, chance_.next());
}

void Streams::go_by_time() {
    settle();
    begun_ = told();
    interval_ = left_ = to_turn_ = to_count_ = kNever;
    by_time_ = true;
    first_burst_ = burst_ + 1;
    weight_ = u64{1} << stage_;
    in_burst_ = stage_ == 0;
}

void Streams::count_access(u32 access, u64 stands_for) {
    if (access == 0) {
        stands_for_ += stands_for;
        return;
    }
    begun_ = told();
    to_turn_ = kNever;
    counted_for_ = stands_for;
    to_count_ = interval_ = left_ = access;
}

void Streams::end_record() {
    if (stands_for_ + counted_for_ == 0) return;
    begun_ = told();
    interval_ = left_ = to_turn_ = to_count_ = kNever;
    stands_for_ = counted_for_ = 0;
}

// The end of a burst or a gap. From the first stage on time is divided into periods, each with a burst at a
// random position. So a loop of the program does not always have the same part of it in the burst.
void Streams::turn() {
    do {
        switch (now_) {
            case BurstPhase::Before:
                now_ = BurstPhase::Burst;
                to_turn_ = options_.burst;
                ++burst_;
                break;
            case BurstPhase::Burst:
                feed_burst();
                now_ = BurstPhase::Behind;
                to_turn_ = behind_;
                break;
            case BurstPhase::Behind: {
                weight_ = u64{1} << stage_;
                const u64 gaps = (weight_ - 1) * options_.burst;
                now_ = BurstPhase::Before;
                to_turn_ = chance(gaps + 1);
                behind_ = gaps - to_turn_;
                break;
            }
        }
    } while (to_turn_ == 0);
    in_burst_ = now_ == BurstPhase::Burst;
}

void Streams::next_stage() {
    settle();
    stage_left_ = options_.stage;
    if (stage_ == options_.most_stages) return;
    if (by_time_) {
        looked_at_ = kNever;
        weight_ *= 2;
    } else if (stage_ == 0) {
        // The first stage is one long burst, which ends with this access. From the next one on accesses are
        // counted by gaps.
        begun_ += interval_ - left_;
        now_ = BurstPhase::Behind;
        to_turn_ = to_count_ = interval_ = left_ = 1;
    }
    ++stage_;
    if (word_stage_ < stage_ && word_stage_ < options_.most_word_stages) follow_fewer_words();
}

// From now on half as many words are followed, or less if there are still too many.
void Streams::follow_fewer_words() {
    settle();
    u32 steps = 1;
    if (const Follower* of_all = streams_[0]->follower; stage_ != 0 && of_all != nullptr)
        while (of_all->words.size() >> steps > options_.words && word_stage_ + steps < kMostWordStages)
            ++steps;
    word_stage_ += steps;
    mask_ = log::WordSample::mask(word_stage_);
    for (Stream* stream : streams_) {
        if (stream->follower == nullptr) continue;
        stream->follower->words.sift([this](Word word) { return is_followed(word); });
        // The list needs no more memory than for the words left. Its limit is for words that stand for
        // others.
        stream->follower->words.limit(options_.depth > word_stage_ ? options_.depth - word_stage_ : 1);
    }
}

void Streams::look_at_memory() {
    settle();
    const Follower* of_all = streams_[0]->follower;
    const bool too_many = stage_ != 0 && of_all != nullptr && of_all->words.size() > options_.words;
    if (!options_.exact && (too_many || Recency::bytes_of_all() > options_.bytes) &&
        word_stage_ < kMostWordStages)
        follow_fewer_words();
    const bool is_due = lacking_ && accesses() >= next_review_;
    if (!is_due && Recency::bytes_of_all() <= options_.bytes) return;
    next_review_ = accesses() + accesses() / kReviews;
    drop_light();
    // Still too much memory: streams with the fewest accesses lose their followers.
    while (Recency::bytes_of_all() > options_.bytes) {
        Stream* least = nullptr;
        for (Stream* stream : streams_)
            if (stream->follower != nullptr && stream->kind != StreamKind::All &&
                (least == nullptr || stream->accesses() < least->accesses()))
                least = stream;
        if (least == nullptr) break;
        stop_following(*least);
    }
    for (Stream* stream : streams_)
        if (stream->follower == nullptr && may_follow(*stream) && stream->accesses() >= dropped_ / kLight)
            follow(*stream);
}

// Results

StreamFigures Streams::figures(const Stream& given) const {
    const Stream& stream = given.twin != nullptr ? *given.twin : given;
    StreamFigures figures;
    figures.accesses = stream.accesses();
    if (figures.accesses < stream.seen) figures.accesses = stream.seen;
    figures.variance = stream.squares;
    const Follower* follower = stream.follower;
    if (follower == nullptr || stream.followed == 0) return figures;
    figures.followed = static_cast<double>(stream.followed) / static_cast<double>(figures.accesses);
    figures.spatial = follower->strides.score();
    figures.reuses = follower->reuses;
    if (word_stage_ != 0) add_sampled(figures, *follower, stream.followed, stream.squares);
    figures.temporal = figures.reuses.score();
    // The last period may not be over, or its burst may not have come.
    if (stage_ != 0)
        figures.accesses =
            static_cast<u64>(static_cast<double>(figures.accesses) * static_cast<double>(accesses()) /
                             static_cast<double>(streams_[0]->accesses()));
    return figures;
}

// What was sampled since the first stage of a stream with so many accesses, and the errors that come of it.
void Streams::add_sampled(StreamFigures& figures, const Follower& follower, u64 followed,
                          u64 count_variance) const {
    const u64 exact = figures.reuses.accesses();
    // Of a stream that has not been counted since there may be as many accesses as between two that are.
    const auto gap = static_cast<double>(accesses() / kGapPart + 1);
    const double uncounted = BurstRatio::kUnlike * gap / (static_cast<double>(followed) + gap);
    figures.spatial_variance = figures.temporal_variance = uncounted * uncounted;
    if (followed <= exact) return;
    const auto wanted = static_cast<double>(followed - exact);
    const double of_exact = figures.reuses.sum();
    add_shares(figures.reuses, follower, wanted);
    // What a use that bursts do not show adds on average.
    const double unseen = follower.unseen.ratio();
    const double of_unseen =
        ((figures.reuses.sum() - of_exact) / wanted - follower.reused.ratio()) / (unseen > 0 ? unseen : 1);
    // A use on a border is in the wrong bucket as likely as not.
    const double on_border = static_cast<double>(follower.on_border) / wanted / kSteps;
    const double sampled = wanted / static_cast<double>(followed), squared = sampled * sampled;
    const double early =
        follower.late_accesses > 0 ? follower.late / follower.late_accesses - follower.near.ratio() : 0;
    const double apart = difference_of_samples(follower);
    const double of_bursts = follower.reused.variance() + of_unseen * of_unseen * follower.unseen.variance();
    // Bursts have fewer or more accesses than were counted: they have missed a part of the program, or met a rare one.
    const double shown = follower.near.whole + follower.near.wholes, lacking = (wanted - shown) / wanted;
    const double by_chance = static_cast<double>(count_variance) / (wanted * wanted);
    const double missed = lacking * lacking > by_chance ? lacking * lacking - by_chance : 0;
    const double of_missed = BurstRatio::kUnlike * BurstRatio::kUnlike * (missed < 1 ? missed : 1);
    // A score is at most 1, and so is its error.
    const auto add = [&](double& variance, double of_sampled) {
        variance += squared * (of_sampled + of_missed);
        if (variance > 1) variance = 1;
    };
    add(figures.spatial_variance, follower.near.variance() + early * early);
    add(figures.temporal_variance, of_bursts + on_border * on_border / 2 + apart * apart);
}

// Distances that bursts and followed words both show: what the score would be less if the words are right.
// Bursts are wrong about accesses that come in clumps, of which they see the beginning or the end.
double Streams::difference_of_samples(const Follower& follower) const {
    const SeenReuses::Shares near = follower.burst_reuses.shares();
    const auto all = static_cast<double>(follower.long_reuses.accesses());
    if (all == 0 || near.unknown == 1) return 0;
    double difference = 0;
    for (u32 i = word_stage_ + 1; i < near.known; ++i)
        difference += Reuses::value(i) * (near.buckets[i] / (1 - near.unknown) -
                                          static_cast<double>(follower.long_reuses.buckets[i]) / all);
    return difference;
}

// The shares of distances since the first stage, of `wanted` accesses. Short ones are from bursts, the others
// from followed words.
void Streams::add_shares(Reuses& reuses, const Follower& follower, double wanted) const {
    const Reuses& distant = follower.long_reuses;
    const auto add = [&](u64& to, double share) { to += static_cast<u64>(wanted * share + 0.5); };
    // A share of distances from the bucket `first` on. Those between two followed words that are used one
    // after the other are not told apart.
    const auto add_distant = [&](double share, u32 first) {
        const u32 resolved = first > word_stage_ ? first : word_stage_ + 1;
        auto all = static_cast<double>(distant.far);
        for (u32 i = resolved; i < kBuckets; ++i) all += static_cast<double>(distant.buckets[i]);
        const double part = all > share * wanted ? share : all / wanted;
        // The correction: there are more accesses than those of followed words stand for.
        add(reuses.buckets[first], share - part);
        if (part == 0) return;
        for (u32 i = resolved; i < kBuckets; ++i)
            add(reuses.buckets[i], part * static_cast<double>(distant.buckets[i]) / all);
        add(reuses.far, part * static_cast<double>(distant.far) / all);
    };
    const SeenReuses::Shares near = follower.burst_reuses.shares();
    for (u32 i = 0; i < near.known; ++i) add(reuses.buckets[i], near.buckets[i]);
    add_distant(near.longer, near.known);
    add_distant(near.unknown, 0);
}

}  // namespace memspy::locality
