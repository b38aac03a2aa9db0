// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tokens of semaphores as they are really posted and taken: in order, those from before the first post that was told
// first; and a semaphore in memory that was freed is another one, whose tokens the replay forgets when it has passed
// the last use.
#include "sync/semaphores.h"

#include <gtest/gtest.h>

#include <vector>

namespace memspy::sync {
namespace {

constexpr Address kSemaphore = 0x8700;

TEST(Semaphores, TokensAreTakenInTheOrderOfTheirPosts) {
    Semaphores semaphores;
    for (const u32 serial : {5u, 6u, 7u}) semaphores.post(kSemaphore, serial);
    EXPECT_EQ(semaphores.set_tokens(kSemaphore, 5), 2);
    EXPECT_EQ(semaphores.set_tokens(kSemaphore, 5), 0);
    std::vector<u32> taken;
    for (u32 i = 0; i < 6; ++i) taken.push_back(semaphores.take(kSemaphore));
    EXPECT_EQ(taken, (std::vector<u32>{0, 0, 5, 6, 7, 0}));
    // That one was there, too.
    EXPECT_EQ(semaphores.set_tokens(kSemaphore, 0), 1);
    EXPECT_EQ(semaphores.set_tokens(kSemaphore, 0), 0);
    // Another process has taken one.
    semaphores.post(kSemaphore, 8);
    semaphores.post(kSemaphore, 9);
    EXPECT_EQ(semaphores.set_tokens(kSemaphore, 1), -1);
    EXPECT_EQ(semaphores.take(kSemaphore), 9u);
}

TEST(Semaphores, ManyTokens) {
    Semaphores semaphores;
    u32 next = 1;
    for (u32 serial = 1; serial <= 10'000; ++serial) {
        semaphores.post(kSemaphore, serial);
        if (serial % 3 == 0) {
            EXPECT_EQ(semaphores.take(kSemaphore), next++);
            EXPECT_EQ(semaphores.take(kSemaphore), next++);
        }
    }
    EXPECT_EQ(semaphores.set_tokens(kSemaphore, 10'001 - next), 0);
}

TEST(Semaphores, FreedMemory) {
    Semaphores semaphores;
    std::vector<u64> forgotten;
    const auto note = [&](u64 number) { forgotten.push_back(number); };
    for (Address a = kSemaphore; a < kSemaphore + 32 * 32; a += 32) semaphores.post(a, 1);
    const u64 number = semaphores.number_of(kSemaphore + 32);
    semaphores.forget(kSemaphore + 16, 32, 100);  // few bytes
    EXPECT_NE(semaphores.number_of(kSemaphore + 32), number);
    EXPECT_EQ(semaphores.number_of(kSemaphore), number - 1);
    EXPECT_EQ(semaphores.take(kSemaphore + 32), 0u);
    semaphores.take_forgotten(100, note);
    EXPECT_TRUE(forgotten.empty());
    semaphores.take_forgotten(101, note);
    EXPECT_EQ(forgotten, (std::vector<u64>{number}));
    semaphores.take_forgotten(101, note);
    EXPECT_EQ(forgotten.size(), 1u);
    semaphores.forget(0, 0x100000, 200);  // many
    semaphores.take_forgotten(201, note);
    EXPECT_EQ(forgotten.size(), 33u);
}

}  // namespace
}  // namespace memspy::sync
