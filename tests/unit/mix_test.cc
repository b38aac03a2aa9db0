// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the modelled branch predictor and the last cache of --mix do what plain models of them do: a
// predictor of whole counters and a history of bools, a cache of lists. Patterns that are known: branches in
// turns are learnt, lines in turn that are one too many for a set always miss.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <random>
#include <vector>

#include "analyses/mix/last_cache.h"
#include "instrument/mix/predictor.h"

namespace memspy::mix {
namespace {

using instrument::mispredicts;
using instrument::Predictor;
using instrument::predictor_bits;

class PlainPredictor {
public:
    PlainPredictor() : history_(instrument::kHistoryBits, false) {}
    bool mispredicts(Address branch, bool taken) {
        u32 history = 0;
        for (const bool direction : history_) history = 2 * history + direction;
        int& counter = counters_[history ^ predictor_bits(branch)];
        const bool predicted = counter >= 2;
        counter = std::clamp(counter + (taken ? 1 : -1), 0, 3);
        history_.pop_front();
        history_.push_back(taken);
        return predicted != taken;
    }

private:
    std::deque<bool> history_;
    std::map<u32, int> counters_;
};

TEST(Mix, PredictorIsThePlainOne) {
    std::mt19937 random(1);
    Predictor predictor{};
    PlainPredictor plain;
    for (int i = 0; i < 300'000; ++i) {
        const Address branch = 0x401000 + random() % 64 * 12;
        // Some branches have a direction of their own.
        const bool taken = branch % 5 == 0 ? (random() % 8 != 0) : (random() % 2 == 0);
        ASSERT_EQ(mispredicts(predictor, branch, taken), plain.mispredicts(branch, taken)) << "branch " << i;
    }
}

TEST(Mix, TurnsAreLearnt) {
    Predictor predictor{};
    int wrong = 0;
    for (int i = 0; i < 10'000; ++i) wrong += mispredicts(predictor, 0x401000, i % 3 == 0);
    EXPECT_LT(wrong, 40);
}

class PlainCache {
public:
    explicit PlainCache(u64 lines) : sets_(std::max<u64>(lines / LastCache::kWays, 1)) {}
    LastCache::Traffic access(u64 line, bool stores) {
        auto& set = sets_[line % sets_.size()];
        LastCache::Traffic traffic;
        auto at = std::find_if(set.begin(), set.end(), [&](const auto& way) { return way.first == line; });
        bool written = false;
        if (at != set.end()) {
            written = at->second;
            set.erase(at);
        } else {
            traffic.fetched = true;
            if (set.size() == LastCache::kWays) {
                traffic.written = set.back().second;
                set.pop_back();
            }
        }
        set.emplace_front(line, written || stores);
        return traffic;
    }

private:
    std::vector<std::list<std::pair<u64, bool>>> sets_;
};

TEST(Mix, CacheIsThePlainOne) {
    std::mt19937 random(2);
    for (const u64 bytes : {512u, 1024u, 4096u, 65536u}) {
        LastCache cache;
        cache.start(bytes, 64);
        PlainCache plain(bytes / 64);
        for (int i = 0; i < 100'000; ++i) {
            const u64 line = random() % 4 == 0 ? random() % 4096 : random() % 100;
            const bool stores = random() % 3 == 0;
            const LastCache::Traffic found = cache.access(line, stores), expected = plain.access(line, stores);
            ASSERT_EQ(found.fetched, expected.fetched) << bytes << " bytes, access " << i;
            ASSERT_EQ(found.written, expected.written) << bytes << " bytes, access " << i;
        }
        cache.stop();
    }
}

TEST(Mix, OneLineTooManyForASetAlwaysMisses) {
    LastCache cache;
    cache.start(64 * LastCache::kWays, 64);
    int fetched = 0;
    for (int turn = 0; turn < 10; ++turn)
        for (u64 line = 0; line <= LastCache::kWays; ++line) fetched += cache.access(line, false).fetched;
    EXPECT_EQ(fetched, 10 * (LastCache::kWays + 1));
    cache.stop();
}

}  // namespace
}  // namespace memspy::mix
