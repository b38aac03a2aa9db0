// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves: over any run, histories in few slots have all that was loaded; slots are joined as time passes; the time from which on
// an object is redundant is found to a slot, where there is one.
#include "analyses/zeros/history.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace memspy;
using namespace memspy::zeros;

// Loads of 100 bytes at each time from 0 to `length`, redundant with the given share before and behind `when`.
struct TestRun {
    Timeline timeline;
    LoadHistory history;
    TestRun(u64 length, u64 when, u32 before, u32 behind) {
        const u64 step = length / 1000;
        for (u64 now = 0; now < length; now += step) {
            history.slots[timeline.slot()].add({100, now < when ? before : behind});
            for (u32 joins = timeline.advance(now + step); joins > 0; --joins) history.join_slots();
        }
    }
};

TEST(History, NothingIsLost) {
    std::mt19937_64 random(5);
    for (u32 i = 0; i < 200; ++i) {
        const u64 length = Timeline::kShortest * (1 + random() % 3000);
        const TestRun run(length, length / 2, 10, 90);
        EXPECT_EQ(run.history.all().loaded, 100'000u);
        EXPECT_NEAR(static_cast<double>(run.history.all().redundant), 50'000, 100);
        EXPECT_LT(run.timeline.slot(), LoadHistory::kSlots);
    }
}

TEST(History, FindsTheChange) {
    std::mt19937_64 random(6);
    for (u32 i = 0; i < 200; ++i) {
        const u64 length = Timeline::kShortest * (16 + random() % 3000);
        const u64 when = length / 10 + random() % (length * 8 / 10);
        const TestRun run(length, when, 10, 90);
        const u32 change = run.history.change();
        ASSERT_NE(change, 0u);
        // To a slot: at most an eighth of the run, because half of the slots may be empty.
        EXPECT_NEAR(run.timeline.thousandths_before(change), static_cast<double>(when) * 1000 / static_cast<double>(length), 130);
    }
}

// Loads are counted once in a slot's time, as of the time when they were counted before; the run ends between two counts.
TEST(History, CountedSeldom) {
    std::mt19937_64 random(7);
    constexpr u64 kSlice = 100'000;
    for (u32 i = 0; i < 200; ++i) {
        const u64 length = Timeline::kShortest * (16 + random() % 300) + kSlice * (random() % 10);
        const u64 when = length / 10 + random() % (length * 8 / 10);
        Timeline timeline;
        LoadHistory history;
        LoadShare uncounted;
        u64 counted = 0;
        for (u64 now = 0; now < length; now += kSlice) {
            timeline.reach(now);
            if (now >= counted + timeline.length()) {
                history.slots[timeline.slot()].add(uncounted);
                uncounted = {};
                counted = now;
                for (u32 joins = timeline.advance(now); joins > 0; --joins) history.join_slots();
            }
            uncounted.add({100, now < when ? u64{10} : u64{90}});
        }
        history.slots[timeline.slot()].add(uncounted);
        const u32 change = history.change();
        ASSERT_NE(change, 0u);
        const u64 last = (length - 1) / kSlice * kSlice;
        EXPECT_EQ(timeline.thousandths_before(change), u64{change} * timeline.length() * 1000 / last);
    }
}

TEST(History, NoChange) {
    const u64 length = Timeline::kShortest * 100;
    EXPECT_EQ(TestRun(length, length / 2, 90, 90).history.change(), 0u) << "the same all the time";
    EXPECT_EQ(TestRun(length, length / 2, 90, 10).history.change(), 0u) << "less redundant later";
    EXPECT_EQ(TestRun(length, length / 2, 10, 40).history.change(), 0u) << "not even half later";
    EXPECT_EQ(TestRun(length, length / 2, 60, 70).history.change(), 0u) << "hardly more later";
    EXPECT_EQ(LoadHistory().change(), 0u) << "nothing was loaded";
}

}  // namespace
