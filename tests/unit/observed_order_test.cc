// SPDX-License-Identifier: GPL-2.0-or-later
//
// The order that synchronisation gave: who acquires a word goes on after who released it, however many words there are.
#include "lines/observed_order.h"

#include <gtest/gtest.h>

namespace memspy::lines {
namespace {

constexpr u32 kGiver = 0, kTaker = 1, kOther = 2;
constexpr Address kLock = 0x1000;

TEST(ObservedOrder, AcquireGoesOnAfterRelease) {
    ObservedOrder order;
    const u32 part = order.part(kGiver);
    order.release(kGiver, kLock, 1);
    EXPECT_FALSE(order.is_before(kGiver, part, kTaker));
    order.acquire(kTaker, kLock);
    EXPECT_TRUE(order.is_before(kGiver, part, kTaker));
    EXPECT_FALSE(order.is_before(kGiver, part + 1, kTaker));
    EXPECT_FALSE(order.is_before(kGiver, part, kOther));
}

TEST(ObservedOrder, MoreWordsThanTheTableHas) {
    ObservedOrder order;
    const u32 part = order.part(kGiver);
    order.release(kGiver, kLock, 1);
    for (Address word = 1; word <= ObservedOrder::kMostWords; ++word) order.release(kOther, kLock + 8 * word, 2);
    order.acquire(kTaker, kLock);
    EXPECT_TRUE(order.is_before(kGiver, part, kTaker));
    // What is released since then is known by its word again.
    const u32 later = order.part(kGiver);
    order.release(kGiver, kLock, 3);
    EXPECT_FALSE(order.is_before(kGiver, later, kTaker));
    order.acquire(kTaker, kLock);
    EXPECT_TRUE(order.is_before(kGiver, later, kTaker));
}

}  // namespace
}  // namespace memspy::lines
