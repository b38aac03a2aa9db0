// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that one burst begins in each period, at a place by chance, and is as long as asked for; that one as long as a period
// is the whole run; and that the error told of a share is that of a thousand samples drawn anew.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analyses/waste/bursts.h"

using namespace memspy;
using namespace memspy::waste;

namespace {

TEST(Bursts, OneInEachPeriod) {
    constexpr u64 kLength = 100, kPeriod = 1000, kPeriods = 500;
    Bursts bursts;
    bursts.start(kLength, kPeriod);
    u64 begins = 0, places = 0, ends = 0, began = 0;
    for (u64 now = 0; now < kPeriods * kPeriod; ++now) {
        if (!bursts.turns(now)) continue;
        if (bursts.is_on()) {
            EXPECT_EQ(now / kPeriod, begins) << "one in each period";
            ++begins;
            places += now % kPeriod;
            began = now;
        } else {
            EXPECT_EQ(now - began, kLength);
            ++ends;
        }
    }
    EXPECT_EQ(begins, kPeriods);
    EXPECT_GE(ends + 1, begins);
    EXPECT_NEAR(static_cast<double>(places) / kPeriods, (kPeriod - kLength) / 2.0, 40);
    // In a burst each superblock runs with its twin.
    EXPECT_NEAR(bursts.rate(), .05 / .95, .001);
}

TEST(Bursts, AsLongAsThePeriod) {
    Bursts bursts;
    bursts.start(1'000'000, 1'000'000);
    EXPECT_TRUE(bursts.turns(0));
    EXPECT_TRUE(bursts.is_on());
    EXPECT_FALSE(bursts.turns(999'999));
}

TEST(Bursts, ErrorOfShares) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> part(0, 1);
    constexpr int kRuns = 1000, kBursts = 40;
    double squares = 0, told = 0;
    for (int run = 0; run < kRuns; ++run) {
        ShareOfBursts share;
        u64 parts = 0, wholes = 0;
        for (int i = 0; i < kBursts; ++i) {
            const u64 whole = 1000 + random() % 1000;
            const u64 wasted = static_cast<u64>(static_cast<double>(whole) * part(random));
            share.add(wasted, whole);
            parts += wasted;
            wholes += whole;
        }
        const double off = static_cast<double>(parts) / static_cast<double>(wholes) - .5;
        squares += off * off;
        told += share.error();
    }
    const double real = std::sqrt(squares / kRuns);
    EXPECT_NEAR(told / kRuns / real, 1, .1);
}

TEST(Bursts, NothingIsKnownOfOne) {
    ShareOfBursts share;
    share.add(1, 2);
    EXPECT_EQ(share.error(), 1);
}

}  // namespace
