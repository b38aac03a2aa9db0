// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who takes a token of a semaphore goes on after who gave this one; the first ones nobody gave.
#include "analyses/races/tokens.h"

#include <gtest/gtest.h>

namespace memspy::races {
namespace {

constexpr Address kOne = 0x1000, kOther = 0x2000;

TEST(SemaphoreTokens, InTheOrderInWhichTheyCame) {
    SemaphoreTokens tokens;
    Address word = 1;
    EXPECT_FALSE(tokens.take(kOne, &word)) << "its count is not known";
    EXPECT_EQ(tokens.give(kOne), 0u);
    tokens.make(kOne, 2);
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(tokens.take(kOne, &word));
        EXPECT_EQ(word, 0u);
    }
    const Address first = tokens.give(kOne), second = tokens.give(kOne);
    EXPECT_NE(first, second);
    EXPECT_TRUE(tokens.take(kOne, &word));
    EXPECT_EQ(word, first);
    EXPECT_TRUE(tokens.take(kOne, &word));
    EXPECT_EQ(word, second);
    tokens.make(kOne, 1);
    EXPECT_TRUE(tokens.take(kOne, &word));
    EXPECT_EQ(word, 0u) << "another semaphore in its place";
}

TEST(SemaphoreTokens, WhatIsNotUnderstoodIsNotKnown) {
    SemaphoreTokens tokens;
    Address word = 0;
    tokens.make(kOne, 0);
    EXPECT_FALSE(tokens.take(kOne, &word)) << "more than there were";
    tokens.make(kOther, 5);
    tokens.may_be_taken(kOther);
    EXPECT_FALSE(tokens.take(kOther, &word));
    tokens.make(kOne, 0);
    Address given = 1;
    for (int i = 0; i < 2000 && given != 0; ++i) given = tokens.give(kOne);
    EXPECT_EQ(given, 0u) << "nobody takes them";
}

}  // namespace
}  // namespace memspy::races
