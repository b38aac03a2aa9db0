// SPDX-License-Identifier: GPL-2.0-or-later
//
// Locality against the definitions, computed in the slow way: every stride by comparing with the last 32
// accesses, every reuse distance by counting the distinct words since. Exact mode must agree in every count,
// so scores agree to the last digit; sampled mode within 0.02. Also the published scores of the matrix
// product.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "locality_streams.h"

namespace memspy::locality {
namespace {

// One stream by the definitions.
class Oracle {
public:
    void access(Word word) {
        u64 nearest = kCutOff;
        for (const Word other : window_) {
            const u64 apart = word > other ? word - other : other - word;
            nearest = std::min(nearest, apart);
        }
        window_.push_back(word);
        if (window_.size() > kWindow) window_.pop_front();
        ++strides_[nearest];
        const auto at = std::find(stack_.begin(), stack_.end(), word);
        if (at == stack_.end()) {
            ++distances_[~u64{0}];
        } else {
            ++distances_[static_cast<u64>(at - stack_.begin()) + 1];
            stack_.erase(at);
        }
        stack_.push_front(word);
        ++accesses_;
    }
    u64 accesses() const { return accesses_; }
    double spatial() const {
        double sum = 0;
        for (u32 i = 1; i < kCutOff; ++i)
            if (const auto found = strides_.find(i); found != strides_.end())
                sum += static_cast<double>(found->second) / i;
        return sum / static_cast<double>(accesses_);
    }
    u64 at_most(u64 distance) const {
        u64 sum = 0;
        for (const auto& [d, count] : distances_)
            if (d <= distance) sum += count;
        return sum;
    }
    double temporal() const {
        double sum = 0;
        for (u32 i = 0; i < 16; ++i)
            sum += static_cast<double>(at_most(u64{2} << i) - at_most(u64{1} << i)) * (16 - i) / 16;
        return sum / static_cast<double>(accesses_);
    }

private:
    std::deque<Word> window_, stack_;
    std::map<u64, u64> strides_, distances_;
    u64 accesses_ = 0;
};

using Key = std::tuple<StreamKind, u32, u32>;
std::vector<Key> keys_of(const WordAccess& a) {
    return {{StreamKind::All, 0, 0},
            {StreamKind::Variables, a.of_variable ? 1 : 0, 0},
            {StreamKind::Block, a.block, 0},
            {StreamKind::BlockThread, a.block, a.block == 0 ? 0 : a.thread},
            {StreamKind::Thread, a.thread, 0},
            {StreamKind::Object, a.object, 0},
            {StreamKind::Function, a.function, 0},
            {StreamKind::Line, a.line, 0},
            {StreamKind::ObjectThread, a.object, a.thread},
            {StreamKind::ObjectFunction, a.object, a.function},
            {StreamKind::FunctionThread, a.function, a.thread}};
}

// Walks, hot words, jumps, several objects far apart.
std::vector<WordAccess> random_trace(u32 seed, usize length, u32 threads, Word words) {
    std::mt19937 engine(seed);
    const auto random = [&] { return static_cast<u32>(engine()); };
    std::vector<WordAccess> trace;
    Word walk = 0;
    while (trace.size() < length) {
        WordAccess a;
        a.thread = 1 + static_cast<u32>(trace.size() < length / 3 ? 0 : random() % threads);
        a.object = 1 + random() % 3;
        a.function = 1 + random() % 4;
        a.line = a.function * 10 + random() % 3;
        a.of_variable = a.object != 3;
        a.block = a.object == 2 ? 100 + random() % 3 : 0;
        a.stores = random() % 3 == 0;
        switch (random() % 4) {
            case 0: walk = (walk + 1 + random() % 3) % words; break;
            case 1: walk = random() % words; break;
            case 2: walk = random() % 8; break;
            case 3: break;
        }
        a.word = walk + Word{a.object} * 0x1234567;
        trace.push_back(a);
    }
    return trace;
}

TEST(Locality, ExactStreamsAgreeWithTheDefinitionsInEveryDigit) {
    for (const u32 seed : {1u, 2u, 3u, 4u}) {
        const auto streams = make({});
        std::map<Key, Oracle> oracles;
        for (const WordAccess& a : random_trace(seed, 6'000, seed % 3 + 1, seed % 2 == 0 ? 3000 : 90)) {
            tell(*streams, a);
            for (const Key& key : keys_of(a)) oracles[key].access(a.word);
        }
        usize seen = 0;
        streams->for_each([&](Stream& stream) {
            const Oracle& oracle = oracles.at({stream.kind, stream.first, stream.second});
            const StreamFigures figures = streams->figures(stream);
            ++seen;
            EXPECT_EQ(figures.accesses, oracle.accesses());
            const bool is_none = stream.first == 0 && (stream.kind == StreamKind::Variables || stream.kind == StreamKind::Block);
            if (is_none || stream.kind == StreamKind::BlockThread) return;  // only counted
            EXPECT_EQ(figures.followed, 1);
            EXPECT_EQ(figures.spatial, oracle.spatial());
            EXPECT_EQ(figures.temporal, oracle.temporal());
            for (u32 size = 0; size <= 16; ++size)
                EXPECT_DOUBLE_EQ(figures.reuses.miss_ratio(size),
                                 static_cast<double>(oracle.accesses() - oracle.at_most(u64{1} << size)) /
                                     static_cast<double>(oracle.accesses()));
        });
        EXPECT_EQ(seen, oracles.size());
    }
}

// One use, as a batch of its own: the bucket of its distance.
u32 use(Recency& recency, Word word) {
    recency.begin_batch(1);
    const u32 place = recency.place_of(Recency::HashedWord(word, recency.block_bits()));
    const u32 bucket = recency.take(place, 0);
    recency.put(place);
    return bucket;
}

// The order, when words are forgotten and when all but some are removed.
TEST(Locality, RecencyKeepsItsOrderWithALimitAndWhenSifted) {
    std::mt19937 engine(7);
    const auto random = [&] { return static_cast<u32>(engine()); };
    for (const u32 depth : {1u, 2u, 3u, 5u, 7u}) {
        Recency recency;
        recency.limit(depth);
        std::deque<Word> stack;
        for (u32 i = 0; i < 8'000; ++i) {
            const Word word = random() % (random() % 2 == 0 ? 200 : 3u << depth >> 1);
            const auto at = std::find(stack.begin(), stack.end(), word);
            u32 bucket = Recency::kFar;
            if (at != stack.end()) {
                const u64 distance = static_cast<u64>(at - stack.begin()) + 1;
                for (bucket = 0; u64{1} << bucket < distance; ++bucket) {
                }
                // Of words that stand for others, an estimate on the border is in the lower bucket.
                if (recency.block_bits() == Recency::kScattered && distance > 2 && std::has_single_bit(distance - 1)) --bucket;
                stack.erase(at);
            }
            ASSERT_EQ(use(recency, word), bucket) << depth << ' ' << i;
            stack.push_front(word);
            if (stack.size() > recency.limit()) stack.pop_back();
            if (random() % 1000 == 0) {
                const u32 rest = random() % 3;
                const auto keep = [&](Word w) { return w % 3 == rest; };
                recency.sift(keep);
                std::erase_if(stack, [&](Word w) { return !keep(w); });
            }
            if (i == 4'000) recency.scatter();
            ASSERT_EQ(recency.size(), stack.size());
        }
        u32 position = 0;
        recency.for_each([&](Word word) { EXPECT_EQ(word, stack[position++]); });
        EXPECT_EQ(position, stack.size());
    }
}

// As when fewer words are followed: more may be left than the new limit.
TEST(Locality, RecencyKeepsItsOrderWhenTheLimitSinks) {
    Recency recency;
    recency.limit(6);
    for (Word word = 1; word <= 64; ++word) use(recency, word);
    recency.sift([](Word word) { return word % 8 != 0; });
    recency.limit(5);
    for (Word word = 100; word <= 300; ++word) EXPECT_EQ(use(recency, word), Recency::kFar);
    EXPECT_EQ(recency.size(), 32u);
    Word expected = 300;
    recency.for_each([&](Word word) { EXPECT_EQ(word, expected--); });
    EXPECT_EQ(expected, 268u);
    EXPECT_EQ(use(recency, 299), 1u);
}

// Distances up to the number of words, far more than uses fit into the groups of the lower levels: against a sum over all
// last uses.
TEST(Locality, RecencyCountsLongDistances) {
    constexpr u32 kWords = 70'000, kUses = 1'200'000;
    std::mt19937 engine(11);
    std::vector<u32> sums(kUses + 1), last(kWords);
    const auto add = [&](u32 time, u32 by) {
        for (; time <= kUses; time += time & -time) sums[time] += by;
    };
    const auto until = [&](u32 time) {
        u32 sum = 0;
        for (; time != 0; time &= time - 1) sum += sums[time];
        return sum;
    };
    Recency recency;
    recency.limit(16);
    for (u32 now = 1; now <= kUses; ++now) {
        const u32 word = static_cast<u32>(engine()) % (now % 3 == 0 ? 100 : now % 3 == 1 ? 5'000 : kWords);
        u32 bucket = Recency::kFar;
        if (last[word] != 0) {
            const u32 distance = until(now - 1) - until(last[word] - 1);
            for (bucket = 0; u32{1} << bucket < distance; ++bucket) {
            }
            if (bucket > 16) bucket = Recency::kFar;
            add(last[word], ~u32{0});
        }
        add(now, 1);
        last[word] = now;
        ASSERT_EQ(use(recency, word), bucket) << now;
    }
}

// Memory is bounded: streams that matter keep their followers, the others are only counted.
TEST(Locality, LightStreamsAreOnlyCountedWhenThereAreTooMany) {
    const auto streams = make({.followers = 40});
    std::mt19937 engine(3);
    const auto random = [&] { return static_cast<u32>(engine()); };
    for (u32 i = 0; i < 400'000; ++i)
        tell(*streams, {.word = random() % 1000,
                        .thread = 1,
                        .object = i % 2 == 0 ? 7u : 8 + random() % 5000,
                        .function = 1,
                        .line = 1});
    const StreamFigures heavy = figures_of(*streams, StreamKind::Object, 7);
    EXPECT_EQ(heavy.followed, 1);
    EXPECT_EQ(heavy.accesses, 200'000u);
    u32 followed = 0, counted = 0;
    u64 sum = 0;
    streams->for_each([&](Stream& stream) {
        if (stream.kind != StreamKind::Object) return;
        ++(streams->figures(stream).followed < 1 ? counted : followed);
        sum += stream.accesses();
    });
    EXPECT_GT(counted, 4000u);
    EXPECT_LE(followed, 40u);
    EXPECT_EQ(sum, 400'000u);
}

// A stream that lost its follower while it was light, or never got one, is followed once it is heavy, though no other
// stream has to go for it.
TEST(Locality, StreamsThatBecomeHeavyAreFollowed) {
    const auto streams = make({.followers = 40});
    const auto access = [&](u32 object, u32 times) {
        for (u32 i = 0; i < times; ++i)
            tell(*streams, {.word = i % 1000, .thread = 1, .object = object, .function = 1, .line = 1});
    };
    access(7, 1);
    access(1, 10'000);
    for (u32 object = 100; object < 145; ++object) access(object, 1);
    access(7, 1'000'000);
    const StreamFigures late = figures_of(*streams, StreamKind::Object, 7);
    EXPECT_EQ(late.accesses, 1'000'001u);
    EXPECT_GT(late.followed, .9);
    EXPECT_NEAR(late.spatial, 1, .01);
}

// When a second thread starts, each of the first one's streams gets a follower of its own; where there is room only
// if light ones go, among these may be the stream whose past it was to have.
TEST(Locality, StreamsPartAlthoughFollowersRunOut) {
    const auto streams = make({.followers = 30});
    const auto access = [&](u32 thread, u32 object, u32 times) {
        for (u32 i = 0; i < times; ++i)
            tell(*streams, {.word = i % 1000, .thread = thread, .object = object, .function = 1, .line = 1});
    };
    for (u32 object = 100; object < 110; ++object) access(1, object, 1);
    access(1, 7, 100'000);
    access(2, 7, 50'000);
    EXPECT_EQ(figures_of(*streams, StreamKind::ObjectThread, 7, 1).accesses, 100'000u);
    EXPECT_EQ(figures_of(*streams, StreamKind::ObjectThread, 7, 2).accesses, 50'000u);
    for (u32 object = 100; object < 110; ++object) {
        const StreamFigures light = figures_of(*streams, StreamKind::ObjectThread, object, 1);
        EXPECT_EQ(light.accesses, 1u);
        EXPECT_EQ(light.followed, 0);
    }
}

}  // namespace
}  // namespace memspy::locality
