// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that bandwidth is that of reading each word: the sum of what was read is that of all words.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "machine/bandwidth.h"

namespace memspy::machine {
namespace {

TEST(MachineBandwidth, ReadsEachWord) {
    constexpr u64 kBytes = u64{1} << 20;
    const Mapping memory(kBytes, false);
    u64* const words = reinterpret_cast<u64*>(memory.begin());
    std::mt19937_64 random(5);
    for (u64 i = 0; i < kBytes / sizeof(u64); ++i) words[i] = random();
    for (const u64 bytes : {u64{512}, u64{4096}, kBytes})
        EXPECT_EQ(read_in_order(memory.begin(), bytes),
                  std::accumulate(words, words + bytes / sizeof(u64), u64{0}));
}

}  // namespace
}  // namespace memspy::machine
