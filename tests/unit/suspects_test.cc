// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which objects are one suspect: those that explain most of each other's events.
#include "sharing/suspects.h"

#include <gtest/gtest.h>

#include <vector>

namespace memspy::sharing {

using namespace replay;
namespace {

constexpr ObjectId kLarge{1}, kSmall{2};

struct Lines {
    Suspects suspects;
    replay::WhatIf what_if;
    u8 blamed[64] = {};
    Lines() { what_if.start(100); }
    void event(ObjectId object, u32 line, u32 number = 1) {
        suspects.blame(what_if, object, number, blamed[line]);
    }
    bool are_one(ObjectId a, ObjectId b) { return suspects.suspect_of(a) == suspects.suspect_of(b); }
};

// The small one shares the first line, and has some of its own, with as many events each.
TEST(Suspects, WhatMeetsALargeOneHereAndThereHasItsOwn) {
    for (const u32 own_lines : {0u, 1u, 2u, 4u, 8u}) {
        Lines lines;
        for (u32 round = 0; round < 10'000; ++round) {
            for (u32 line = 0; line < 20; ++line) lines.event(kLarge, line);
            for (u32 line = 0; line < own_lines; ++line) lines.event(kSmall, 32 + line);
            lines.event(kSmall, 0);
        }
        EXPECT_EQ(lines.are_one(kLarge, kSmall), own_lines < 4) << own_lines;
    }
}

// Many neighbours of one line: each follows each other one seldom.
TEST(Suspects, NeighboursAreOne) {
    Lines lines;
    constexpr u32 kCount = 16;
    u32 state = 1;
    for (u32 n = 0; n < 100'000; ++n) {
        state = state * 1'664'525 + 1'013'904'223;
        lines.event(ObjectId{1 + (state >> 16) % kCount}, 0);
    }
    for (u32 i = 2; i <= kCount; ++i) EXPECT_TRUE(lines.are_one(ObjectId{1}, ObjectId{i})) << i;
}

// Whatever the numbers of events that come at once.
TEST(Suspects, ThoseThatMeetAreOneByAnyNumbers) {
    for (const u32 number : {1u, 2u, 3u, 4u, 7u}) {
        Lines lines;
        lines.event(kLarge, 0);
        lines.event(kSmall, 0);
        lines.event(kLarge, 0);
        for (u32 n = 0; n < 10'000; ++n) lines.event(n % 2 == 0 ? kSmall : kLarge, 0, number);
        EXPECT_TRUE(lines.are_one(kLarge, kSmall)) << number;
    }
}

// Objects of lines of their own are never one.
TEST(Suspects, ThoseThatDoNotMeetAreTheirOwn) {
    Lines lines;
    for (u32 n = 0; n < 10'000; ++n)
        for (u32 i = 1; i <= 10; ++i) lines.event(ObjectId{i}, i);
    for (u32 i = 2; i <= 10; ++i) EXPECT_FALSE(lines.are_one(ObjectId{1}, ObjectId{i}));
}

}  // namespace
}  // namespace memspy::sharing
