// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the walk for the latency of memory visits each line once before it begins anew, in no order that a
// prefetcher could know. A walk over one line of each page fitted in a cache.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <vector>

#include "machine/chase.h"

namespace memspy::machine {
namespace {

TEST(MachineChase, WalksOverEachLineOfTheMemory) {
    constexpr u64 kLines = 4096;
    std::vector<char> memory((kLines + 1) * 64);
    char* const begin = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    void* at = link_all_lines(begin, kLines * 64);
    std::set<long> seen;
    u64 neighbours = 0;
    for (u64 i = 0; i < kLines; ++i) {
        const long line = (static_cast<char*>(at) - begin) / 64;
        seen.insert(line);
        at = *static_cast<void**>(at);
        if (std::abs((static_cast<char*>(at) - begin) / 64 - line) == 1) ++neighbours;
    }
    EXPECT_EQ(seen.size(), kLines);
    EXPECT_LT(neighbours, kLines / 100);
}

// Else a busy machine's user would wait for memory that is not measured any more.
TEST(MachineChase, MakesNoWalkWhenNoTimeIsLeft) {
    const Deadline passed(-1), later(600);
    constexpr u64 kBytes = u64{64} << 20;
    EXPECT_FALSE(Mapping(kBytes, false, &passed).is_touched());
    const Mapping memory(kBytes, false, &later);
    EXPECT_TRUE(memory.is_touched());
    EXPECT_EQ(link_all_lines(memory.begin(), kBytes, &passed), nullptr);
    EXPECT_NE(link_all_lines(memory.begin(), kBytes, &later), nullptr);
}

}  // namespace
}  // namespace memspy::machine
