// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread's waits are kept in a bounded number of spans. However many there were, spans are in order and do not meet,
// their waits add up to all waits, and what they show wrongly is little where the waits have a shape: long waits
// keep their ends beside short ones.
#include "replay/thread_times.h"

#include <gtest/gtest.h>

#include <random>

namespace memspy::replay {
namespace {

constexpr u32 kThread = 3;

void check(const rt::Vector<WaitSpan>& spans, Time waited, u64 times) {
    Time before = 0;
    for (const WaitSpan& span : spans) {
        EXPECT_LE(before, span.from);
        EXPECT_LE(span.waited, span.until - span.from);
        EXPECT_LE(span.named, span.waited);
        before = span.until;
        waited -= span.waited;
        times -= span.times;
    }
    EXPECT_EQ(waited, 0u);
    EXPECT_EQ(times, 0u);
}

TEST(ThreadTimes, FewAreKeptAsTheyAre) {
    ThreadTimes times;
    times.began(kThread, 50);
    times.add(kThread, 7, 2, 100, 200);
    times.add(kThread, 8, 4, 200, 350);
    times.ended(kThread, 900);
    const ThreadTimes::ThreadTime& thread = *times.find(kThread);
    EXPECT_EQ(thread.begin, 50u);
    EXPECT_EQ(thread.end, 900u);
    ASSERT_EQ(thread.spans.size(), 2u);
    EXPECT_EQ(thread.spans[1].row, 8u);
    EXPECT_EQ(thread.spans[1].whom, 4u);
    EXPECT_EQ(times.find(ThreadTimes::kNamedThreads + 1), nullptr);
    times.add(ThreadTimes::kNamedThreads + 1, 7, 2, 100, 200);
    times.clear();
    EXPECT_TRUE(times.find(kThread)->spans.empty());
}

TEST(ThreadTimes, MillionsBecomeHundreds) {
    std::mt19937_64 random(1);
    for (const u32 rows : {1u, 3u, 1000u}) {
        ThreadTimes times;
        Time now = 0, waited = 0;
        constexpr u64 kWaits = 300'000;
        for (u64 i = 0; i < kWaits; ++i) {
            now += random() % 100;
            const Time until = now + 1 + random() % 1000;
            times.add(kThread, static_cast<u32>(random() % rows), 2, now, until);
            waited += until - now;
            now = until;
        }
        const rt::Vector<WaitSpan>& spans = times.find(kThread)->spans;
        EXPECT_LE(spans.size(), ThreadTimes::kMostSpans);
        EXPECT_GE(spans.size(), ThreadTimes::kMostSpans / 8);
        check(spans, waited, kWaits);
    }
}

// A hundred turns of 10,000 units of work and a long wait, each with a thousand short waits within its work.
TEST(ThreadTimes, LongWaitsKeepTheirEnds) {
    ThreadTimes times;
    Time now = 0;
    std::vector<std::pair<Time, Time>> longs;
    for (u32 turn = 0; turn < 100; ++turn) {
        for (u32 i = 0; i < 1000; ++i, now += 10) times.add(kThread, 1, 2, now, now + 1);
        longs.emplace_back(now, now + 50'000);
        times.add(kThread, 2, 4, now, now + 50'000);
        now += 50'000;
    }
    times.ended(kThread, now);
    times.settle();
    const rt::Vector<WaitSpan>& spans = times.find(kThread)->spans;
    usize found = 0;
    for (const WaitSpan& span : spans) {
        if (span.row != 2) continue;
        ASSERT_LT(found, longs.size());
        EXPECT_NEAR(static_cast<double>(span.from), static_cast<double>(longs[found].first), 500);
        EXPECT_NEAR(static_cast<double>(span.until), static_cast<double>(longs[found].second), 500);
        EXPECT_EQ(span.whom, 4u);
        ++found;
    }
    EXPECT_EQ(found, longs.size());
}

// What a picture cannot show is joined: a run's last digits.
TEST(ThreadTimes, SettledSpansAreWhatAPictureShows) {
    ThreadTimes times;
    for (Time at = 0; at < 1000; at += 10) times.add(kThread, 1, 2, at, at + 5);
    times.ended(kThread, 1000 * ThreadTimes::kLeastPart);
    times.settle();
    ASSERT_EQ(times.find(kThread)->spans.size(), 1u);
    EXPECT_EQ(times.find(kThread)->spans[0].waited, 500u);
    EXPECT_EQ(times.find(kThread)->spans[0].times, 100u);
}

}  // namespace
}  // namespace memspy::replay
