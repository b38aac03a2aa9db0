// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much a number of events would vary in other runs: as runs really do where events come by chance, and not at all where
// they come regularly, whether always, in phases or in turns.
#include "replay/event_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace memspy::replay {
namespace {

constexpr Time kLong = 6'000'000, kStep = 100;

// Pieces of work, each with a random number of events.
EventParts by_chance(u32 seed, u64* sum) {
    std::mt19937 random(seed);
    EventParts parts{};
    for (Time t = 0; t < kLong; t += 50 * kStep) {
        const u32 events = static_cast<u32>(random() % 100);
        parts.add(t, events);
        *sum += events;
    }
    return parts;
}

TEST(EventParts, AreAsFarApartAsRuns) {
    constexpr u32 kRuns = 400;
    double told = 0, sums = 0, squares = 0;
    for (u32 seed = 1; seed <= kRuns; ++seed) {
        u64 sum = 0;
        told += static_cast<double>(by_chance(seed, &sum).varies_by()) / kRuns;
        sums += static_cast<double>(sum);
        squares += static_cast<double>(sum) * static_cast<double>(sum);
    }
    const double mean = sums / kRuns, deviation = std::sqrt(squares / kRuns - mean * mean);
    EXPECT_GT(told, 0.4 * 2000 * deviation / mean);
    EXPECT_LT(told, 1.5 * 2000 * deviation / mean);
}

template <typename F>
u64 varies(F events_at) {
    EventParts parts{};
    for (Time t = 0; t < kLong; t += kStep) parts.add(t, events_at(t));
    return parts.varies_by();
}

TEST(EventParts, OfWhatIsRegularDoNotVary) {
    EXPECT_EQ(varies([](Time) { return 3u; }), 0u);
    EXPECT_LT(varies([](Time t) { return t < kLong / 3 ? 9u : 0u; }), 5u);
    EXPECT_LT(varies([](Time t) { return static_cast<u32>(t / 60'000); }), 20u);
    for (const Time period : {10'000u, 60'000u, 93'000u, 130'000u})
        EXPECT_LT(varies([=](Time t) { return t % period < period / 2 ? 5u : 0u; }), 50u) << period;
}

TEST(EventParts, AreAddedWhateverTheirLength) {
    EventParts few{}, many{}, both{};
    for (Time t = 0; t < kLong; t += kStep) {
        if (t < kLong / 50) few.add(t, 2);
        many.add(t, static_cast<u32>(t / 777 % 7));
        both.add(t, static_cast<u32>(t / 777 % 7) + (t < kLong / 50 ? 2 : 0));
    }
    EventParts added = few;
    added.add(many);
    EXPECT_EQ(added.varies_by(), both.varies_by());
    many.add(few);
    EXPECT_EQ(many.varies_by(), both.varies_by());
    EXPECT_EQ(EventParts{}.varies_by(), 0u);
}

}  // namespace
}  // namespace memspy::replay
