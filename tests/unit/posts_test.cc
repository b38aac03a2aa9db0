// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose post a token of a program's own semaphore is from: the earliest that nobody has used.
#include "sync/posts.h"

#include <gtest/gtest.h>

namespace memspy::sync {
namespace {

TEST(PostTimes, TheEarliestIsTaken) {
    PostTimes posts;
    posts.post(300, 1);
    posts.post(100, 2);  // the thread that the core ran later was earlier
    posts.post(200, 1);
    u64 left = 4;
    for (const u64 time : {100, 100, 200, 300}) {
        EXPECT_EQ(posts.first(), time);
        posts.take(--left);
    }
    EXPECT_EQ(posts.first(), 0u);
}

// A semaphore has tokens before it is known as one: nobody waits for these.
TEST(PostTimes, TokensFromBefore) {
    PostTimes posts;
    posts.take(2);
    posts.post(100, 1);
    EXPECT_EQ(posts.first(), 0u);
    posts.take(2);
    EXPECT_EQ(posts.first(), 0u);
    posts.take(1);
    EXPECT_EQ(posts.first(), 100u);
    posts.take(0);
    EXPECT_EQ(posts.first(), 0u);
}

// What the word says holds: takes that were not seen have used the earliest.
TEST(PostTimes, TakesThatWereNotSeen) {
    PostTimes posts;
    for (const u64 time : {100, 200, 300, 400}) posts.post(time, 1);
    posts.take(1);
    EXPECT_EQ(posts.first(), 400u);
}

TEST(PostTimes, ManyTokens) {
    PostTimes posts;
    posts.post(100, u64{1} << 40);
    posts.take((u64{1} << 40) - 1);
    EXPECT_EQ(posts.first(), 0u);
}

}  // namespace
}  // namespace memspy::sync
