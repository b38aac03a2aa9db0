// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns say that no other thread's accesses come in between only where that is so: they may know too little, but never
// too much. Compared with a list of all accesses, in random orders of reading and merging.
#include "lines/turns.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace memspy::lines {
namespace {


constexpr u64 kLine = 7;

// A thread's accesses before and after its place in the merge, with a delay that does not get less.
TEST(Turns, OtherThreadsAccesses) {
    Progress progress;
    const LineProgress merged(progress, kLine);
    progress.set(0, 0);
    progress.set(1, 0);
    Turns turns;
    turns.add(1, 100, true, merged);
    EXPECT_FALSE(turns.any_stores_of_others(1, 1000, merged)) << "its own";
    EXPECT_TRUE(turns.any_stores_of_others(0, 100, merged));
    EXPECT_FALSE(turns.any_stores_of_others(0, 99, merged));
    progress.set(1, 50, 550, 500);
    EXPECT_FALSE(turns.any_stores_of_others(0, 599, merged)) << "it is delayed";
    EXPECT_TRUE(turns.any_stores_of_others(0, 600, merged));
    progress.forget_delay(1);
    EXPECT_TRUE(turns.any_stores_of_others(0, 551, merged)) << "a wait may use the delay up, but no more";
    EXPECT_FALSE(turns.any_stores_of_others(0, 549, merged));
    progress.set(1, 100, 70, 0);
    EXPECT_TRUE(turns.any_stores_of_others(0, 100, merged)) << "the next record is behind a wait";
    progress.set(1, 100);
    EXPECT_TRUE(turns.any_stores(merged));
    progress.set(1, 101);
    EXPECT_FALSE(turns.any_stores(merged)) << "merged";
    turns.add(1, 200, false, merged);
    EXPECT_FALSE(turns.any_stores_of_others(0, 1000, merged)) << "a load";
    EXPECT_TRUE(turns.any_of_others(0, 1000, merged));
}

// The clock of a thread that spins may step back: a record at an earlier time is merged later.
TEST(Turns, ClockStepsBack) {
    Progress progress;
    const LineProgress merged(progress, kLine);
    progress.set(0, 0);
    progress.set(1, 0);
    Turns turns;
    progress.step_back(1, 300);
    turns.add(1, 100, true, merged);
    progress.set(1, 300, 300, 0);
    EXPECT_TRUE(turns.any_stores_of_others(0, 1000, merged));
    progress.set(1, 301, 301, 0);
    EXPECT_FALSE(turns.any_stores_of_others(0, 1000, merged));
}

// A thread that sleeps may leave the end of its log unmerged for long. That does not hold up the turns of two others at lines
// that it used before.
TEST(Turns, SleeperLeavesOthersAlone) {
    Progress progress;
    const LineProgress merged(progress, kLine);
    for (u32 slot = 0; slot < 3; ++slot) progress.set(slot, 0);
    Turns turns;
    turns.add(0, 100, true, merged);
    for (lines::Time time = 10'000; time < 100'000; time += 10'000) {
        turns.add(1, time, true, merged);
        turns.add(2, time + 5'000, true, merged);
        progress.set(0, 150, 150, 0);  // and no further
        EXPECT_TRUE(turns.any_stores_of_others(2, lines::kNever, merged)) << "the other one's";
        progress.set(1, time + 1, time + 1, 0);
        EXPECT_FALSE(turns.any_stores_of_others(2, lines::kNever, merged)) << time;
        progress.set(2, time + 5'001, time + 5'001, 0);
    }
    EXPECT_FALSE(turns.any_stores(merged));
}

// Of a thread whose log has nothing left but accesses to one line, other lines need to know no more, whoever had them.
TEST(Turns, TheRestIsAboutAnotherLine) {
    Progress progress;
    const LineProgress merged(progress, kLine);
    for (u32 slot = 0; slot < 3; ++slot) progress.set(slot, 0);
    Turns turns;
    turns.begin(Progress::kAnyone, 500, true);
    for (u32 slot = 1; slot < 3; ++slot) progress.set(slot, 501);
    progress.set(0, 100, 100, 0);
    EXPECT_TRUE(turns.any_stores(merged));
    progress.set_left(0, kLine);
    EXPECT_TRUE(turns.any_stores(merged));
    progress.set_left(0, kLine + 1);
    EXPECT_FALSE(turns.any_stores(merged));
    progress.set_left(0, Progress::kNoLine);
    EXPECT_FALSE(turns.any_stores(merged));
    progress.set_left(0, kLine + 1);
    progress.set(0, 200, 200, 0);
    EXPECT_TRUE(turns.any_stores(merged)) << "the merge has gone on, and the rest is to be looked at again";
}

TEST(Turns, NeverKnowTooMuch) {
    std::mt19937 random(1);
    struct Access {
        u32 slot;
        Time time;
        bool stores;
    };
    u64 sure = 0, asked = 0;
    for (u32 round = 0; round < 300; ++round) {
        constexpr u32 kThreads = 8;  // more than a line has turns
        Progress progress;
        const LineProgress merged(progress, kLine);
        Turns turns;
        std::vector<Access> all;
        Time read[kThreads] = {}, at[kThreads] = {}, delay[kThreads] = {};
        for (u32 slot = 0; slot < kThreads; ++slot) {
            delay[slot] = random() % 3 * 1000;
            progress.set(slot, 0);
            progress.set(slot, 0, delay[slot], delay[slot]);
        }
        const u32 gap = round % 2 == 0 ? 100 : 6000, run = static_cast<u32>(1 + random() % 8);
        for (u32 step = 0; step < 200; ++step) {
            const u32 slot = random() % kThreads;
            for (u32 i = static_cast<u32>(random()) % (run + 1); i > 0; --i) {
                read[slot] += 1 + static_cast<u32>(random()) % gap;
                const bool stores = random() % 4 == 0;
                turns.add(slot, read[slot], stores, merged);
                all.push_back({slot, read[slot], stores});
            }
            const u32 other = random() % kThreads;
            if (at[other] < read[other]) at[other] += (read[other] - at[other]) * (random() % 5) / 4;
            // In some rounds the merge keeps up with the threads.
            for (u32 each = 0; each < kThreads; ++each) {
                if (round % 3 == 0 && random() % 4 != 0) at[each] = read[each] + 1;
                progress.set(each, at[each], at[each] + delay[each], delay[each]);
            }
            const u32 mine = random() % kThreads;
            const Time until = at[mine] + random() % (2 * gap);
            bool any = false, stored = false;
            for (const Access& access : all) {
                if (access.slot == mine || access.time < at[access.slot] ||
                    access.time + delay[access.slot] > until)
                    continue;
                any = true;
                stored = stored || access.stores;
            }
            EXPECT_TRUE(!any || turns.any_of_others(mine, until, merged));
            EXPECT_TRUE(!stored || turns.any_stores_of_others(mine, until, merged));
            ++asked;
            sure += !turns.any_of_others(mine, until, merged);
        }
    }
    EXPECT_GT(sure, asked / 50) << "they know enough to be of use";
}

}  // namespace
}  // namespace memspy::lines
