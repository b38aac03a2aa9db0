// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the log of stays keeps of a line: who stored, who used which bytes; and that it keeps whole windows, the same for all
// lines, in bounded memory.
#include "sharing/stays.h"

#include <gtest/gtest.h>

#include <set>

#include "contention_source.h"

namespace memspy::sharing {

using namespace lines;
namespace {

const Thread A = thread(0), B = thread(1), C = thread(2);

u64 used_by(const Stay& stay, Thread t) {
    for (u32 i = 0; i < stay.users; ++i)
        if (stay.user(i) == t.serial) return stay.used(i)[0];
    return 0;
}

TEST(Stays, AStayHasWhatEachThreadUsedSinceTheStoreThatTookTheLine) {
    TestLine line;
    StayLog log;
    line({store(C, 40), store(A, 0), store(A, 16), load(B, 8), load(B, 0)});
    log.note(7, line.state());
    line({store(B, 8), load(A, 8)});
    log.note(7, line.state());
    rt::Vector<Stay> stays;
    log.collect(stays);
    ASSERT_EQ(stays.size(), 2u);
    EXPECT_EQ(stays[0].line, 7u);
    EXPECT_EQ(stays[0].storer, A.serial);
    EXPECT_EQ(stays[0].written()[0] & 0x0001'0101'0101u, 0x0001'0001u) << "C's byte 40 was before";
    EXPECT_EQ(used_by(stays[0], B) & 0x0101'0101u, 0x0101u);
    EXPECT_EQ(used_by(stays[0], C), 0u);
    EXPECT_EQ(stays[1].storer, B.serial);
    EXPECT_EQ(stays[1].written()[0] & 0x0101'0101u, 0x0100u);
    EXPECT_EQ(used_by(stays[1], A) & 0x0101'0101u, 0x0100u) << "of the stay before nothing is left";
}

TEST(Stays, LinesComeInOrderAndTheirStaysInTheOrderOfTheRun) {
    TestLine one, other;
    StayLog log;
    one({store(A, 0)});
    other({store(C, 0)});
    log.note(9, one.state());
    log.note(3, other.state());
    one({store(B, 0)});
    log.note(9, one.state());
    rt::Vector<Stay> stays;
    log.collect(stays);
    ASSERT_EQ(stays.size(), 3u);
    EXPECT_EQ(stays[0].line, 3u);
    EXPECT_EQ(stays[1].storer, A.serial);
    EXPECT_EQ(stays[2].storer, B.serial);
}

// The line's number is that of the stay here. When the log is full every other window goes.
TEST(Stays, WindowsAreKeptWholeAndSpreadOverTheRun) {
    TestLine line;
    StayLog log;
    line({store(A, 0), load(B, 0)});
    constexpr u64 kStays = 500'000;
    for (u64 i = 0; i < kStays; ++i) log.note(i, line.state());
    rt::Vector<Stay> stays;
    log.collect(stays);
    const u64 words = stays.size() * (3 + 2 * Stay::each());
    EXPECT_LE(words, StayLog::kMostWords + StayLog::kWindow * (3 + 2 * Stay::each()));
    EXPECT_GE(words, StayLog::kMostWords / 3);
    std::set<u64> windows;
    for (const Stay& stay : stays) windows.insert(stay.line / StayLog::kWindow);
    u64 last = 0;
    for (const u64 window : windows) {
        const bool is_whole = (window + 1) * StayLog::kWindow <= kStays;
        u64 kept = 0;
        for (const Stay& stay : stays) kept += stay.line / StayLog::kWindow == window;
        EXPECT_EQ(kept, is_whole ? StayLog::kWindow : kStays % StayLog::kWindow) << window;
        last = window;
    }
    const u64 spacing = *std::next(windows.begin());
    EXPECT_EQ(*windows.begin(), 0u);
    EXPECT_EQ(windows.size(), last / spacing + 1) << "at the same distance";
}

}  // namespace
}  // namespace memspy::sharing
