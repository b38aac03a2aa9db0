// SPDX-License-Identifier: GPL-2.0-or-later
//
// The ends of a run without some of its events are those of a plain computation that keeps one clock for each
// thread, lock and set of free events: 5,000 random runs; and a suspect that takes another's place has saved
// nothing before.
#include "replay/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace memspy::replay {
namespace {

constexpr u64 kCost = 100;
constexpr u32 kSuspects = 3;

// One time of all threads: `is_free` says which events cost nothing.
struct Plain {
    std::vector<Time> clock, cost;  // by serial
    std::map<std::pair<Address, bool>, Time> released;
    Time end = 0;

    Time at(u32 t) const { return clock[t] + cost[t]; }
    void raise(u32 t, Time least) {
        if (at(t) < least) cost[t] = least - clock[t];
    }
};

TEST(WhatIf, RandomRuns) {
    for (u32 seed = 0; seed < 5'000; ++seed) {
        std::mt19937 random(seed);
        auto pick = [&](u32 below) { return static_cast<u32>(random() % below); };
        const u32 threads = 1 + pick(5);
        std::vector<Plain> plain(kSuspects + 2);  // full, without all, without each
        for (Plain& each : plain) {
            each.clock.resize(threads + 1);
            each.cost.resize(threads + 1);
        }
        WhatIf what_if;
        what_if.start(kCost);
        for (u32 n = 0; n < 200; ++n) {
            const u32 t = 1 + pick(threads);
            const Time now = plain[0].clock[t] += pick(50);
            for (Plain& each : plain) each.clock[t] = now;
            switch (pick(4)) {
                case 0: {
                    const u32 events = 1 + pick(3), free = pick(events + 1);
                    const u32 suspect = pick(2) == 0 ? pick(kSuspects) : WhatIf::kNoSuspect;
                    what_if.events(t, events, free, suspect);
                    for (u32 i = 0; i < plain.size(); ++i)
                        plain[i].cost[t] += kCost * (events - (i == 1 || i == suspect + 2 ? free : 0));
                    break;
                }
                case 1: {
                    const u32 other = pick(threads + 1);
                    const Time when = other == 0 ? 0 : plain[0].clock[other];
                    const Time until = std::max(now, when) + (other == 0 ? pick(30) : 0);
                    if (other == t) break;
                    what_if.went_on(t, now, until, other, when);
                    for (Plain& each : plain) {
                        const Time at = std::max({each.at(t), until, other == 0 ? 0 : each.at(other)});
                        each.clock[t] = until;
                        each.cost[t] = at - until;
                    }
                    break;
                }
                case 2: {
                    const Address lock = 1 + pick(2);
                    const bool shared = pick(2) == 0;
                    what_if.acquired(t, now, lock, shared);
                    for (Plain& each : plain) {
                        each.raise(t, each.released[{lock, false}]);
                        if (!shared) each.raise(t, each.released[{lock, true}]);
                    }
                    break;
                }
                default: {
                    const Address lock = 1 + pick(2);
                    const bool shared = pick(2) == 0;
                    what_if.released(t, now, lock, shared);
                    for (Plain& each : plain)
                        each.released[{lock, shared}] = std::max(each.released[{lock, shared}], each.at(t));
                }
            }
        }
        // Some threads have ended before the run does.
        rt::Vector<WhatIf::Living> living;
        for (u32 t = 1; t <= threads; ++t) {
            if (t % 2 == 0)
                what_if.ended(t, plain[0].clock[t]);
            else
                living.push_back({t, plain[0].clock[t]});
            for (Plain& each : plain) each.end = std::max(each.end, each.at(t));
        }
        const WhatIf::EndTimes end = what_if.end(living);
        ASSERT_EQ(end.full, plain[0].end) << "seed " << seed;
        ASSERT_EQ(end.without_all, plain[1].end) << "seed " << seed;
        for (u32 i = 0; i < kSuspects; ++i) ASSERT_EQ(end.without[i], plain[i + 2].end) << "seed " << seed;
    }
}

TEST(WhatIf, PlacesChangeHands) {
    WhatIf what_if;
    what_if.start(kCost);
    what_if.events(1, 8, 5, 0);
    what_if.events(1, 4, 2, 1);
    rt::Vector<WhatIf::Living> living;
    living.push_back({1, 10});
    WhatIf::EndTimes end = what_if.end(living);
    EXPECT_EQ(end.full, 1210u);
    EXPECT_EQ(end.without[0], 710u);
    what_if.join(0, 1);
    EXPECT_EQ(what_if.end(living).without[0], 510u);
    EXPECT_EQ(what_if.end(living).without[1], 1210u);
    what_if.renew(0);
    end = what_if.end(living);
    EXPECT_EQ(end.without[0], 1210u);
    EXPECT_EQ(end.without_all, 510u);
}

}  // namespace
}  // namespace memspy::replay
