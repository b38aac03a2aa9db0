// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread that asks for a part of shared work waits as long as another one will come to ask, and goes on if none will:
// the one that had least goes first, and nobody waits for good.
#include "analyses/races/dealing.h"

#include <gtest/gtest.h>

namespace memspy::races {
namespace {

constexpr u32 kNobody = 0, kOne = 1, kMost = 1'000'000;

TEST(WorkDealing, WhoHadLeastGoesOn) {
    WorkDealing dealing;
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "it does not ask";
    dealing.asks(1, 1);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "nobody else is there";
    EXPECT_TRUE(dealing.must_wait(1, 0, kOne)) << "another one may ask soon";
    dealing.asks(2, 1);
    EXPECT_TRUE(dealing.must_wait(1, 0, kNobody));
    EXPECT_FALSE(dealing.must_wait(2, 0, kNobody)) << "of two that had as much the last one";
    dealing.starts(2);
    dealing.asks(2, 2);
    EXPECT_TRUE(dealing.must_wait(2, 0, kNobody));
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "it had less";
    dealing.asks(1, 0);
    dealing.asks(2, 0);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "at the begin the first one";
    EXPECT_TRUE(dealing.must_wait(2, 0, kNobody));
}

TEST(WorkDealing, WaitsForWhoIsCalled) {
    WorkDealing dealing;
    dealing.sleeps(2, 0x100);
    dealing.asks(1, 1);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "nobody calls it";
    dealing.wakes(0x200, 1);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "another word";
    dealing.wakes(0x100, 1);
    EXPECT_TRUE(dealing.must_wait(1, 0, kNobody)) << "the system has not let it run yet";
    dealing.returns(2, true);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody));
    dealing.is_made(3, 1);
    EXPECT_TRUE(dealing.must_wait(1, 0, kNobody)) << "a thread that has not begun";
    dealing.starts(3);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody));
}

// A call for one of two wakes either.
TEST(WorkDealing, AnotherOneIsWoken) {
    WorkDealing dealing;
    dealing.asks(1, 1);
    dealing.sleeps(2, 0x100);
    dealing.sleeps(3, 0x100);
    dealing.wakes(0x100, 1);
    dealing.returns(3, true);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody));
    dealing.wakes(0x100, 1000);
    EXPECT_TRUE(dealing.must_wait(1, 0, kNobody));
    dealing.returns(2, false);  // its time was up before
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody));
}

TEST(WorkDealing, OthersCutSlices) {
    WorkDealing dealing;
    constexpr u32 kCut = 3;
    EXPECT_EQ(dealing.slice_of(1, kCut), kCut);
    dealing.slice_ends(1);
    EXPECT_TRUE(dealing.must_wait(1, 0, kOne)) << "a short one is asking, however short";
    for (u32 blocks = 0; blocks < WorkDealing::kSlice; blocks += kCut) {
        ASSERT_TRUE(dealing.must_wait(1, 0, kOne)) << blocks;
        dealing.slice_of(2, kCut);
        dealing.slice_ends(2);
        dealing.starts(2);
    }
    EXPECT_FALSE(dealing.must_wait(1, 0, kOne)) << "only what has run counts";
}

// What nobody sees as asking is dealt out by short slices.
TEST(WorkDealing, FirstSlicesAreShort) {
    WorkDealing dealing;
    u32 shorter = 0, longer = 0;
    for (u32 i = 0; i < WorkDealing::kShortSlices; ++i) {
        const u32 slice = dealing.slice_of(1, kMost);
        ASSERT_LT(slice, 1000u);
        ++(slice < 64 ? shorter : longer);
        dealing.slice_ends(1);
        EXPECT_TRUE(dealing.must_wait(1, 0, kOne)) << "another one has not come to the end of its slice";
        EXPECT_FALSE(dealing.must_wait(1, 0, kNobody));
        dealing.starts(1);
    }
    EXPECT_GT(shorter, 10u);
    EXPECT_GT(longer, 10u);
    EXPECT_EQ(dealing.slice_of(1, kMost), WorkDealing::kSlice);
    dealing.slice_ends(1);
    EXPECT_FALSE(dealing.must_wait(1, 0, kOne));
    dealing.sleeps(1, 0x100);
    dealing.returns(1, true);
    EXPECT_LT(dealing.slice_of(1, kMost), 1000u) << "it was woken";
    dealing.slice_ends(1);
    dealing.is_dealt_by_runtime();
    EXPECT_EQ(dealing.slice_of(1, kMost), WorkDealing::kSlice);
}

TEST(WorkDealing, MakesAllThreadsBeforeTheyRun) {
    WorkDealing dealing;
    dealing.is_made(2, 1);
    dealing.starts(2);
    EXPECT_EQ(dealing.slice_of(2, kMost), 1u);
    dealing.slice_ends(2);
    EXPECT_TRUE(dealing.must_wait(2, 0, kNobody)) << "the maker may make another one";
    dealing.slice_of(1, kMost);
    dealing.slice_ends(1);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "the maker goes first";
    dealing.starts(1);
    dealing.calls(1, false);
    EXPECT_TRUE(dealing.must_wait(2, 0, kNobody)) << "it comes back at once";
    dealing.has_called(1);
    dealing.calls(1, true);
    EXPECT_FALSE(dealing.must_wait(2, 0, kNobody)) << "the maker waits for something";
}

TEST(WorkDealing, NobodyWaitsForGood) {
    WorkDealing dealing;
    const auto run_slice = [&dealing](u32 thread) {
        dealing.starts(thread);
        const u32 slice = dealing.slice_of(thread, kMost);
        dealing.slice_ends(thread);
        return slice;
    };
    for (u32 i = 0; i < WorkDealing::kShortSlices; ++i) run_slice(2);
    dealing.asks(1, 1);
    u64 blocks = 0;
    while (dealing.must_wait(1, 0, kOne)) blocks += run_slice(2);
    EXPECT_EQ(blocks, WorkDealing::kMostBlocks) << "the other one runs and runs: it may wait for this one";
    dealing.is_made(3, 1);
    dealing.asks(1, 1);
    EXPECT_TRUE(dealing.must_wait(1, WorkDealing::kLongest - 1, kNobody));
    EXPECT_FALSE(dealing.must_wait(1, WorkDealing::kLongest, kNobody)) << "it does not come";
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "and is not waited for again";
}

}  // namespace
}  // namespace memspy::races
