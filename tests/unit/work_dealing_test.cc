// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread that asks for a part of shared work waits as long as another one will come to ask, and goes on if none will:
// the one that had least goes first, and nobody waits for good.
#include "analyses/races/dealing.h"

#include <gtest/gtest.h>

namespace memspy::races {
namespace {

constexpr u32 kNobody = 0, kOne = 1;

TEST(WorkDealing, WhoHadLeastGoesOn) {
    WorkDealing dealing;
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "it does not ask";
    dealing.asks(1, 1);
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "nobody else is there";
    EXPECT_TRUE(dealing.must_wait(1, 0, kOne)) << "another one may ask soon";
    dealing.asks(2, 1);
    EXPECT_TRUE(dealing.must_wait(1, 0, kNobody));
    EXPECT_FALSE(dealing.must_wait(2, 0, kNobody)) << "of two that had as much the last one";
    dealing.starts(2, 10);
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
    dealing.is_made(3);
    EXPECT_TRUE(dealing.must_wait(1, 0, kNobody)) << "a thread that has not begun";
    dealing.starts(3, 10);
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

TEST(WorkDealing, NobodyWaitsForGood) {
    WorkDealing dealing;
    dealing.asks(1, 1);
    dealing.starts(2, WorkDealing::kMostBlocks - 1);
    EXPECT_TRUE(dealing.must_wait(1, 0, kOne));
    dealing.starts(2, WorkDealing::kMostBlocks);
    EXPECT_FALSE(dealing.must_wait(1, 0, kOne)) << "the other one runs and runs: it may wait for this one";
    dealing.is_made(3);
    EXPECT_TRUE(dealing.must_wait(1, WorkDealing::kLongest - 1, kNobody));
    EXPECT_FALSE(dealing.must_wait(1, WorkDealing::kLongest, kNobody)) << "it does not come";
    EXPECT_FALSE(dealing.must_wait(1, 0, kNobody)) << "and is not waited for again";
}

}  // namespace
}  // namespace memspy::races
