// SPDX-License-Identifier: GPL-2.0-or-later
//
// Takes of locks that lead in a circle are found once, with all of them; not where one thread is alone, one more lock
// lets only one thread come there at a time, or all only read.
#include "analyses/races/lock_orders.h"

#include <gtest/gtest.h>

namespace memspy::races {
namespace {

constexpr Address kA = 0x1000, kB = 0x2000, kC = 0x3000, kGate = 0x4000;

class LockOrdersTest : public testing::Test {
protected:
    // The thread takes the lock while it holds those before.
    u32 take(u32 thread, std::initializer_list<Address> held, Address lock, bool reads = false) {
        LockSet set{}, read{};
        for (const Address one : held) {
            set = sets.with(set, one);
            if (reads) read = sets.with(read, one);
        }
        u32 found = 0;
        for (const Address before : held)
            if (orders.add({.before = before,
                            .lock = lock,
                            .before_shared = reads,
                            .shared = reads,
                            .place = {},
                            .thread = thread,
                            .held = set,
                            .read = read},
                           sets, &circle))
                found = circle.locks;
        return found;
    }

    lines::LockSets sets;
    LockOrders orders;
    LockCircle circle;
};

TEST_F(LockOrdersTest, TwoLocks) {
    EXPECT_EQ(take(1, {kA}, kB), 0u);
    EXPECT_EQ(take(1, {kB}, kA), 0u) << "one thread alone";
    EXPECT_EQ(take(2, {kA}, kB), 2u) << "another one takes them in the first order, too";
    EXPECT_EQ(circle.takes[0].thread, 2u);
    EXPECT_EQ(circle.takes[1].before, kB);
    EXPECT_EQ(circle.takes[1].thread, 1u);
    EXPECT_EQ(take(3, {kB}, kA), 0u) << "it is known";
}

TEST_F(LockOrdersTest, ThreeLocks) {
    EXPECT_EQ(take(1, {kA}, kB), 0u);
    EXPECT_EQ(take(2, {kB}, kC), 0u);
    EXPECT_EQ(take(3, {kA}, kC), 0u);
    EXPECT_EQ(take(3, {kC}, kA), 3u);
    EXPECT_EQ(circle.takes[1].thread, 1u);
    EXPECT_EQ(circle.takes[2].thread, 2u);
}

TEST_F(LockOrdersTest, AGateAtOneOfThemOnly) {
    EXPECT_EQ(take(1, {kGate, kA}, kB), 0u);
    EXPECT_EQ(take(2, {kGate, kB}, kA), 0u);
    EXPECT_EQ(take(3, {kB}, kA), 2u) << "without the gate";
}

// A gate at two of three takes keeps the circle open, whichever came last.
TEST_F(LockOrdersTest, AGateInALongerCircle) {
    EXPECT_EQ(take(1, {kGate, kA}, kB), 0u);
    EXPECT_EQ(take(2, {kGate, kB}, kC), 0u);
    EXPECT_EQ(take(3, {kC}, kA), 0u);
}

TEST_F(LockOrdersTest, Readers) {
    EXPECT_EQ(take(1, {kA}, kB, true), 0u);
    EXPECT_EQ(take(2, {kB}, kA, true), 0u);
    EXPECT_EQ(take(2, {kB}, kA), 2u) << "a writer";
}

TEST_F(LockOrdersTest, AnotherLockThere) {
    EXPECT_EQ(take(1, {kA}, kB), 0u);
    orders.forget(kB, 8);
    EXPECT_EQ(take(2, {kB}, kA), 0u);
    EXPECT_EQ(take(1, {kA}, kB), 2u);
}

}  // namespace
}  // namespace memspy::races
