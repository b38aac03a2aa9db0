// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the clocks give each kind of synchronisation the time that it has on a machine with a core per
// thread. The scenarios are literal sequences of the accesses and calls of glibc, libgomp, libomp and
// libstdc++, in an order in which the core, which runs one thread at a time, could have run them.
#include "order/clocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <memory>
#include <vector>

#include "order/rules.h"

namespace memspy::order {
namespace {

constexpr u64 kAll = 0x7fffffff;

rt::Vector<Time> times(std::initializer_list<Time> all) {
    rt::Vector<Time> made;
    for (const Time time : all) made.push_back(time);
    return made;
}

class ClocksTest : public ::testing::Test {
protected:
    Thread start(Thread parent = {}) {
        u32 slot = 0;
        while (used_[slot]) ++slot;
        used_[slot] = true;
        Thread t{slot, ++serial_};
        clocks_.create(parent, t);
        return t;
    }
    void end(Thread t, Address cleared = 0) {
        clocks_.exit(t, cleared);
        used_[t.slot] = false;
    }
    // The core gives t a slice.
    void turn(Thread t) { clocks_.runs(t, blocks_ += rules::kSliceBlocks); }
    // A futex wait that sleeps, up to the call itself.
    void sleep(Thread t, Address word) { clocks_.wait(t, WaitFor::Word, word); }
    // It looks at `word`, sleeps for another one, and is woken.
    void look_and_sleep(Thread t, Address word) {
        constexpr Address kCondition = 0x8500;
        sleep(t, kCondition);
        clocks_.poll(t, &word, 1);
        clocks_.resume(t, true);
    }
    // `times` stores, each after so many instructions.
    void count(Thread t, Address word, u32 times, u64 instructions) {
        for (u32 i = 0; i < times; ++i) {
            clocks_.advance(t, instructions);
            clocks_.store(t, word, 4, false);
        }
    }
    // One turn of `while (load(word) != wanted) pause;`
    void spin(Thread t, Address word, u32 times = 1) {
        for (u32 i = 0; i < times; ++i) {
            clocks_.advance(t, 4);
            clocks_.load(t, word, 4, false);
            clocks_.poll(t, &word, 1);
        }
    }
    Time now(Thread t) { return clocks_.now(t); }

    std::map<u32, bool> used_;
    u32 serial_ = 0;
    u64 blocks_ = 0;
    std::unique_ptr<Clocks> holder_ = std::make_unique<Clocks>();
    Clocks& clocks_ = *holder_;
};

TEST_F(ClocksTest, ChildStartsAtItsParentsTimeAndTheHorizonIsTheEarliest) {
    EXPECT_EQ(clocks_.horizon(), kNever);
    Thread a = start();
    EXPECT_EQ(now(a), 0u);
    clocks_.advance(a, 100);
    Thread b = start(a);
    EXPECT_EQ(now(b), 100u);
    clocks_.advance(a, 50);
    EXPECT_EQ(clocks_.horizon(), 100u);
    clocks_.advance(b, 80);
    EXPECT_EQ(clocks_.horizon(), 150u);
    clocks_.lift(a, 120);
    EXPECT_EQ(now(a), 150u) << "a clock is never lowered";
    clocks_.lift(a, 170);
    EXPECT_EQ(clocks_.horizon(), 170u);
    end(a);
    EXPECT_EQ(clocks_.horizon(), 180u);
    end(b);
    EXPECT_EQ(clocks_.horizon(), kNever);
}

TEST_F(ClocksTest, PthreadBarrierLetsAllLeaveAtTheLastArrival) {
    // glibc: all but one sleep on cur_round; the last stores it and wakes all. It need not be the latest in
    // virtual time.
    constexpr Address round = 0x1008;
    Thread t[4];
    for (Thread& each : t) each = start();
    const Time work[4] = {1000, 5000, 3000, 2000};
    for (int i = 0; i < 3; ++i) {
        clocks_.advance(t[i], work[i]);
        sleep(t[i], round);
    }
    clocks_.advance(t[3], work[3]);
    clocks_.store(t[3], round, 4, true);
    clocks_.wake(t[3], round, kAll);
    EXPECT_EQ(now(t[3]), 5000u) << "the waker waits for the latest";
    clocks_.advance(t[3], 100'000);
    EXPECT_EQ(clocks_.horizon(), 5000u) << "who was woken holds the horizon before it runs";
    for (int i = 0; i < 3; ++i) {
        clocks_.resume(t[i], true);
        EXPECT_EQ(now(t[i]), 5000u) << i;
    }
}

TEST_F(ClocksTest, LastToComeWaitsForThoseWhoCountedInAndDoNotSleepYet) {
    // glibc's barrier: the core took the processor from a between its count and its wait.
    constexpr Address in = 0x1000, round = 0x1008;
    Thread a = start(), b = start();
    clocks_.advance(a, 7000);
    clocks_.count_in(a, in);
    clocks_.advance(b, 300);
    clocks_.count_in(b, in);
    EXPECT_EQ(now(b), 300u) << "to count takes no time";
    clocks_.count_in(b, round);
    clocks_.store(b, round, 4, true);
    clocks_.wake(b, round, kAll);
    EXPECT_EQ(now(b), 7000u);
}

TEST_F(ClocksTest, CountsInATreeAddUp) {
    // libstdc++'s barrier: pairs meet at leaves, and the second of each pair continues at the root.
    constexpr Address left = 0x1000, right = 0x2000, root = 0x3000, phase = 0x4000;
    Thread t[4];
    for (Thread& each : t) each = start();
    clocks_.advance(t[0], 900);
    clocks_.count_in(t[0], left);
    clocks_.advance(t[1], 20);
    clocks_.count_in(t[1], left);
    clocks_.count_in(t[1], root);
    clocks_.advance(t[2], 30);
    clocks_.count_in(t[2], right);
    clocks_.advance(t[3], 40);
    clocks_.count_in(t[3], right);
    clocks_.count_in(t[3], root);
    clocks_.wake(t[3], phase, kAll);
    EXPECT_EQ(now(t[3]), 900u);
    EXPECT_EQ(now(t[1]), 20u);
}

TEST_F(ClocksTest, SignalToOneDoesNotWaitForThoseWhoCounted) {
    constexpr Address counter = 0x1000, word = 0x2000;
    Thread a = start(), b = start();
    clocks_.advance(a, 7000);
    clocks_.count_in(a, counter);
    clocks_.count_in(b, counter);
    clocks_.wake(b, word, 1);
    EXPECT_EQ(now(b), 0u);
}

TEST_F(ClocksTest, FlagOfASpinningBarrierIsSetWhenAllHaveCountedIn) {
    constexpr Address counter = 0x1000, flag = 0x2000;
    for (const bool near : {true, false}) {
        Thread a = start(), b = start();
        clocks_.watch(flag);
        clocks_.advance(a, now(b) + 7000);
        clocks_.count_in(a, counter);
        const Time begin = now(b);
        clocks_.count_in(b, counter);
        clocks_.advance(b, near ? 9 : rules::kGate + 1);
        clocks_.store(b, flag, 4, false);
        if (near)
            EXPECT_EQ(now(b), now(a)) << "whoever counted in there has come, too";
        else
            EXPECT_EQ(now(b), begin + rules::kGate + 1) << "what it counted was something else";
    }
}

TEST_F(ClocksTest, WhoSeesThatASpinIsOverForGoodEndsTheProbation) {
    constexpr Address flag = 0x1000;
    Thread a = start(), b = start();
    spin(a, flag, 3);
    clocks_.advance(b, 5000);
    clocks_.store(b, flag, 4, false);
    ASSERT_TRUE(clocks_.is_on_probation(a));
    EXPECT_TRUE(clocks_.spins_for(a, flag));
    EXPECT_LT(now(a), 5000u);
    clocks_.end_probation(a);
    EXPECT_FALSE(clocks_.is_on_probation(a));
    EXPECT_EQ(now(a), 5000u) << "before it executes anything";
    clocks_.advance(a, 1);
    EXPECT_EQ(now(a), 5001u);
}

TEST_F(ClocksTest, SignalLiftsTheWaiterOnlyAndInOrderOfArrival) {
    constexpr Address word = 0x2000;
    Thread a = start(), b = start(), c = start();
    clocks_.advance(a, 100);
    sleep(a, word);
    clocks_.advance(b, 20);
    sleep(b, word);
    clocks_.advance(c, 50);
    clocks_.wake(c, word, 1);
    EXPECT_EQ(now(c), 50u) << "who signals does not wait";
    EXPECT_EQ(clocks_.horizon(), 50u);
    clocks_.advance(c, 1000);
    EXPECT_EQ(clocks_.horizon(), 100u) << "a is woken, b is not";
    clocks_.resume(a, true);
    EXPECT_EQ(now(a), 100u);
    clocks_.wake(c, word, 1);
    clocks_.resume(b, true);
    EXPECT_EQ(now(b), 1050u);
}

TEST_F(ClocksTest, WrongGuessOfWhoWasWokenIsPutRight) {
    constexpr Address word = 0x2000;
    Thread a = start(), b = start(), c = start();
    sleep(a, word);
    sleep(b, word);
    clocks_.advance(c, 500);
    clocks_.wake(c, word, 1);
    clocks_.advance(c, 500);
    EXPECT_EQ(clocks_.horizon(), 500u);
    clocks_.resume(b, true);  // b was woken instead
    EXPECT_EQ(now(b), 500u);
    clocks_.advance(b, 1000);
    EXPECT_EQ(clocks_.horizon(), 1000u) << "a sleeps on and holds nobody back";
    clocks_.wake(c, word, 1);
    clocks_.resume(a, true);
    EXPECT_EQ(now(a), 1000u);
}

TEST_F(ClocksTest, TimeOutHandsItsWakeOn) {
    constexpr Address word = 0x2000;
    Thread a = start(), b = start(), c = start();
    sleep(a, word);
    clocks_.advance(b, 600);
    sleep(b, word);
    clocks_.advance(c, 500);
    clocks_.wake(c, word, 1);
    clocks_.advance(c, 300);
    clocks_.resume(a, false);  // timed out at that time: the kernel woke b
    EXPECT_EQ(now(a), 600u) << "at the horizon, which b holds";
    clocks_.advance(a, 1000);
    EXPECT_EQ(clocks_.horizon(), 600u);
    clocks_.resume(b, true);
    EXPECT_EQ(now(b), 600u);
}

TEST_F(ClocksTest, TwoWakesOfOneWakeTwo) {
    constexpr Address word = 0x2000;
    Thread a = start(), b = start(), c = start();
    sleep(a, word);
    sleep(b, word);
    clocks_.advance(c, 500);
    clocks_.wake(c, word, 1);
    clocks_.advance(c, 200);
    clocks_.wake(c, word, 1);
    clocks_.advance(c, 200);
    clocks_.resume(a, true);
    EXPECT_EQ(now(a), 500u);
    clocks_.advance(a, 1000);
    EXPECT_EQ(clocks_.horizon(), 700u);
    clocks_.resume(b, true);
    EXPECT_EQ(now(b), 700u);
}

TEST_F(ClocksTest, AtomicStoresAddUpAndAPlainOneBeginsAnew) {
    constexpr Address counter = 0x2100;
    Thread a = start(), b = start(), c = start();
    clocks_.watch(counter);
    clocks_.advance(a, 1000);
    clocks_.store(a, counter, 4, true);
    clocks_.advance(b, 500);
    clocks_.store(b, counter, 4, true);  // later in the real order, earlier in virtual time
    clocks_.load(c, counter, 4, false);
    EXPECT_EQ(now(c), 1000u) << "the count is what both made it";
    clocks_.store(b, counter, 4, false);
    Thread d = start();
    clocks_.load(d, counter, 4, false);
    EXPECT_EQ(now(d), 500u);
}

TEST_F(ClocksTest, BarrierThatOnlySpins) {
    // fetch_sub on a count; the last one stores the sense, the others spin on it. From the second time on,
    // when the word is known not to be a lock, all leave at the latest arrival.
    constexpr Address sense = 0x2200, count = 0x2180;
    Thread t[3] = {start(), start(), start()};
    for (int phase = 0; phase < 4; ++phase) {
        Time begin = std::max({now(t[0]), now(t[1]), now(t[2])});
        for (Thread each : t) clocks_.lift(each, begin);
        clocks_.advance(t[0], 5000);
        clocks_.count_in(t[0], count);
        spin(t[0], sense, 100);
        clocks_.advance(t[1], 1000);
        clocks_.count_in(t[1], count);
        spin(t[1], sense, 100);
        clocks_.advance(t[2], 2000);
        clocks_.count_in(t[2], count);
        clocks_.store(t[2], sense, 4, false);
        for (Thread each : t) clocks_.advance(each, rules::kProbation + 1);
        if (phase == 0) continue;
        for (Thread each : t)
            EXPECT_NEAR(static_cast<double>(now(each)),
                        static_cast<double>(begin + 5000 + rules::kProbation), 10)
                << phase << ' ' << each.serial;
    }
}

TEST_F(ClocksTest, LoadThatGivesTimeEndsTheSpin) {
    constexpr Address flag = 0x2300, other = 0x2400;
    Thread a = start(), b = start();
    clocks_.watch(other);
    spin(b, flag, 10);
    clocks_.advance(a, 3000);
    clocks_.store(a, other, 4, false);
    clocks_.load(b, other, 4, false);
    clocks_.advance(b, 7);
    EXPECT_EQ(now(b), 3007u);
}

TEST_F(ClocksTest, TimeOutGoesOnAtTheHorizon) {
    Thread a = start(), b = start();
    sleep(a, 0x2000);
    clocks_.advance(b, 7000);
    clocks_.resume(a, false);
    EXPECT_EQ(now(a), 7000u);
}

// A barrier that is used again: a has not got to sleep in the kernel when all are woken, and finds the word changed when
// b already sleeps on it for the next meeting. The wake was meant for both.
TEST_F(ClocksTest, WaitThatFailsAfterAllWereWokenGoesOnAtTheWake) {
    constexpr Address round = 0x2000;
    Thread a = start(), b = start(), c = start();
    sleep(a, round);
    sleep(b, round);
    clocks_.advance(c, 5000);
    clocks_.wake(c, round, 100);
    clocks_.resume(b, true);
    clocks_.advance(b, 2000);
    sleep(b, round);
    clocks_.advance(c, 4000);
    EXPECT_EQ(clocks_.horizon(), 5000u) << "a is on its way";
    clocks_.resume(a, false);
    EXPECT_EQ(now(a), 5000u);
    EXPECT_TRUE(clocks_.is_asleep(b));
}

// The same with one token for two: the other one got it.
TEST_F(ClocksTest, WaitThatFailsAfterOneWasWokenLeavesTheWakeToAnother) {
    Thread a = start(), b = start(), c = start();
    sleep(a, 0x2000);
    sleep(b, 0x2000);
    clocks_.advance(c, 5000);
    clocks_.wake(c, 0x2000, 1);
    clocks_.resume(a, false);
    clocks_.resume(b, true);
    EXPECT_EQ(now(b), 5000u);
}

TEST_F(ClocksTest, MarkThatNobodyTakesUpIsGivenUp) {
    Thread a = start(), b = start(), c = start();
    sleep(a, 0x2000);
    clocks_.advance(b, 10);
    clocks_.wake(b, 0x2000, 1);  // but a was not in the kernel's queue
    for (Time time = 10; time < 10 + rules::kWakeTime; time = now(b)) {
        EXPECT_LE(clocks_.horizon(), 10u) << "it may still be on its way";
        turn(b);
        clocks_.advance(b, rules::kWakeTime / 10);
        turn(c);
        clocks_.advance(c, rules::kWakeTime / 10);
    }
    for (u32 i = 0; i < 4; ++i) {
        turn(b);
        turn(c);
    }
    EXPECT_EQ(clocks_.horizon(), now(c));
    clocks_.resume(a, true);
    EXPECT_EQ(now(a), now(c)) << "not behind the horizon that was given";
}

TEST_F(ClocksTest, SemaphoreCarriesTimeWithAndWithoutSleeping) {
    // glibc: sem_post is an atomic add on 8 bytes and a wake if there are waiters; sem_wait loads, then CAS.
    constexpr Address sem = 0x3000;
    Thread producer = start(), consumer = start();
    sleep(consumer, sem);
    clocks_.advance(producer, 1000);
    clocks_.store(producer, sem, 8, true);
    clocks_.wake(producer, sem, 1);
    clocks_.resume(consumer, true);
    EXPECT_EQ(now(consumer), 1000u);
    clocks_.load(consumer, sem, 8, false);
    clocks_.store(consumer, sem, 8, true);
    clocks_.advance(producer, 4000);
    clocks_.store(producer, sem, 8, true);  // no thread sleeps
    clocks_.advance(consumer, 10);
    clocks_.load(consumer, sem, 8, true);
    EXPECT_EQ(now(consumer), 1010u) << "the load of a read-modify-write takes no time";
    clocks_.load(consumer, sem, 8, false);
    EXPECT_EQ(now(consumer), 5000u);
}

TEST_F(ClocksTest, JoinWithAndWithoutSleeping) {
    constexpr Address tid_a = 0x70002d0, tid_b = 0x71002d0;
    Thread main = start();
    Thread a = start(main), b = start(main);
    sleep(main, tid_a);
    clocks_.advance(a, 8000);
    end(a, tid_a);
    clocks_.advance(b, 9000);
    EXPECT_EQ(clocks_.horizon(), 8000u) << "main is woken by the exit";
    clocks_.resume(main, true);
    EXPECT_EQ(now(main), 8000u);
    end(b, tid_b);
    EXPECT_TRUE(clocks_.words().any_carries_time(tid_b & ~Address{63}, 64));
    clocks_.load(main, tid_b, 4, false);  // pthread_join sees 0 and does not sleep
    EXPECT_EQ(now(main), 9000u);
}

TEST_F(ClocksTest, DetachedExitLeavesTheOthersAlone) {
    Thread main = start();
    Thread a = start(main);
    clocks_.advance(a, 8000);
    end(a, 0);
    EXPECT_EQ(clocks_.words().with_time(), 0u);
    EXPECT_EQ(clocks_.horizon(), 0u);
    clocks_.advance(main, 5);
    EXPECT_EQ(now(main), 5u);
}

TEST_F(ClocksTest, AStoreBetweenTheLoadAndTheYieldEndsTheWait) {
    constexpr Address flag = 0x4100;
    Thread writer = start(), reader = start();
    clocks_.watch(flag);
    spin(reader, flag, 100);
    // Its slice ends behind the load.
    clocks_.load(reader, flag, 4, false);
    clocks_.advance(writer, 1000);
    clocks_.store(writer, flag, 4, false);
    clocks_.advance(reader, 1);
    clocks_.poll(reader, &flag, 1);  // what it saw is older than the store
    clocks_.load(reader, flag, 4, false);
    clocks_.advance(reader, 20);
    clocks_.advance(reader, 30);
    EXPECT_FALSE(clocks_.is_spinning(reader)) << "it does not wait for another store";
    EXPECT_EQ(now(reader), 1000u + 1 + 50);
}

// A loop that waits for a phase also looks at the number of those who have arrived. Others have arrived for the next
// phase before it runs again.
TEST_F(ClocksTest, OfSeveralPolledWordsTheOneLookedAtLastDecides) {
    for (const bool phase_first : {true, false}) {
        const Address phase = phase_first ? 0x4100 : 0x5100, arrived = phase + 0x100, both[] = {phase, arrived};
        Thread reader = start(), others = start();
        clocks_.watch(phase);
        clocks_.watch(arrived);
        for (int look = 0; look < 3; ++look) {
            clocks_.poll(reader, both, 2);
            clocks_.load(reader, phase, 4, false);
            clocks_.load(reader, arrived, 4, false);
            clocks_.advance(reader, 4);
        }
        const Time begin = now(others);
        clocks_.advance(others, 100);
        clocks_.store(others, arrived, 4, true);
        clocks_.load(reader, phase, 4, false);
        clocks_.advance(reader, 2);
        clocks_.load(reader, arrived, 4, false);
        clocks_.advance(reader, 2);
        clocks_.poll(reader, both, 2);
        EXPECT_EQ(now(reader), begin + 104) << "it looked in vain, behind the arrival";
        clocks_.advance(others, 400);
        clocks_.store(others, phase, 4, false);
        clocks_.advance(others, 1000);
        clocks_.store(others, arrived, 4, true);
        EXPECT_EQ(now(reader), begin + 500) << "it may go on behind the first store";
        if (!phase_first) {
            clocks_.load(reader, arrived, 4, false);
            clocks_.advance(reader, 2);
        }
        clocks_.load(reader, phase, 4, false);
        clocks_.advance(reader, 2);
        clocks_.advance(reader, 10);
        EXPECT_FALSE(clocks_.is_spinning(reader));
        EXPECT_EQ(now(reader), begin + 500 + (phase_first ? 12 : 14)) << "the later arrival does not matter";
        end(reader);
        end(others);
    }
}

TEST_F(ClocksTest, LibgompBarrierThatSleepsAndThatSpins) {
    // libgomp: an atomic decrement of `awaited`; the last stores `generation` and wakes all; the others spin
    // on generation, and then sleep on it.
    constexpr Address generation = 0x4000, awaited = 0x4080;
    Thread a = start(), b = start(), c = start();
    for (int phase = 0; phase < 3; ++phase) {
        Time begin = now(a);
        clocks_.advance(a, 1000);
        clocks_.count_in(a, awaited);
        spin(a, generation, 1000);
        if (phase == 1) {
            sleep(a, generation);  // it has spun long enough
            EXPECT_EQ(now(a), begin + 1004) << "what it spun took no time";
        }
        clocks_.advance(b, 3000);
        clocks_.count_in(b, awaited);
        spin(b, generation, 100);
        clocks_.advance(c, 2000);
        EXPECT_EQ(clocks_.horizon(), begin + 2000) << "who waits does not hold the horizon back";
        clocks_.count_in(c, awaited);
        clocks_.store(c, generation, 4, false);
        clocks_.wake(c, generation, kAll);
        EXPECT_EQ(now(c), begin + 3004);
        clocks_.advance(c, 500);
        EXPECT_EQ(clocks_.horizon(), begin + 3004) << "released, they hold the horizon at the release";
        if (phase == 1) clocks_.resume(a, true);
        for (Thread t : {a, b}) {
            clocks_.advance(t, 2);
            clocks_.load(t, generation, 4, false);
            clocks_.advance(t, 498);
            EXPECT_EQ(now(t), begin + 3004 + 500) << phase << ' ' << t.serial;
        }
    }
}

TEST_F(ClocksTest, SpinFlagIsTakenAtTheTimeOfTheStore) {
    constexpr Address flag = 0x5000;
    Thread writer = start(), reader = start();
    spin(reader, flag, 100);
    EXPECT_EQ(now(reader), 4u);
    // A long serial part: the horizon moves with the writer, and the reader runs now and then.
    for (int i = 0; i < 10; ++i) {
        clocks_.advance(writer, 100'000);
        EXPECT_EQ(clocks_.horizon(), now(writer));
        spin(reader, flag, 100);
    }
    clocks_.store(writer, flag, 4, false);
    Time stored = now(writer);
    clocks_.advance(writer, 50'000);
    EXPECT_EQ(clocks_.horizon(), stored)
        << "the writer's slice goes on, but the reader is free from the store on";
    clocks_.advance(reader, 3);
    clocks_.load(reader, flag, 4, false);
    clocks_.advance(reader, 1000);
    EXPECT_EQ(now(reader), stored + 1003);
    // The other direction: the reader answers through another word, with the same effect on the writer.
    constexpr Address answer = 0x5004;
    spin(writer, answer, 10);
    clocks_.store(reader, answer, 4, false);
    Time answered = now(reader);
    clocks_.advance(writer, 100);
    EXPECT_EQ(now(writer), std::max(stored + 50'000 + 4, answered) + 100);
}

TEST_F(ClocksTest, YieldForWhatWasReadBeforeTheStoreDoesNotUndoTheRelease) {
    // The reader's slice ends between the load and the yield of its loop.
    constexpr Address flag = 0x5080;
    Thread writer = start(), reader = start();
    spin(reader, flag, 10);
    clocks_.advance(reader, 4);
    clocks_.load(reader, flag, 4, false);
    clocks_.advance(writer, 5000);
    clocks_.store(writer, flag, 4, false);
    spin(writer, 0x5084, 10);  // otherwise the reader would continue at its time
    clocks_.poll(reader, &flag, 1);
    clocks_.advance(reader, 3);
    clocks_.load(reader, flag, 4, false);
    clocks_.advance(reader, 1000);
    EXPECT_GE(now(reader), 6000u);
}

TEST_F(ClocksTest, StoreAfterTheFirstPollReleasesThoughTheWordWasNoSyncWordThen) {
    // Two threads wait for each other before they work: ready++; while (ready < 2) yield;
    for (const bool other_loads_it : {false, true}) {
        const Address ready = 0x5180 + (other_loads_it ? 0x100 : 0);
        Thread first = start(), second = start();
        clocks_.lift(first, 10'000);
        clocks_.lift(second, 10'000);
        clocks_.count_in(first, ready);
        spin(first, ready);
        clocks_.advance(second, 300);
        clocks_.count_in(second, ready);
        clocks_.store(second, ready, 4, true);
        if (other_loads_it) {
            clocks_.look(ready, 4, false);
            clocks_.stored(ready, first.serial, times({10'000}));
            clocks_.load(second, ready, 4, false);
        }
        clocks_.advance(second, 50'000);
        clocks_.look(ready, 4, false);
        clocks_.load(first, ready, 4, false);
        clocks_.advance(first, 1000);
        EXPECT_GE(now(first), 11'300u) << other_loads_it;
        EXPECT_LE(now(first), 11'310u) << other_loads_it;
        end(first);
        end(second);
    }
}

TEST_F(ClocksTest, UpdateOfAWordMattersToWhoPollsIt) {
    constexpr Address polled = 0x5280, count = 0x5380;
    Thread first = start();
    clocks_.look_at(&count, 1);
    spin(first, polled);
    EXPECT_FALSE(clocks_.look(count, 4, true)) << "nobody waits: it may be any counter";
    EXPECT_TRUE(clocks_.look(polled, 4, true));
    EXPECT_TRUE(clocks_.look(count, 4, false));
}

TEST_F(ClocksTest, OneSlotHandedToAndFroKeepsTheOrder) {
    // while (turn != me) pause; work; turn = other. The order of the handovers must be that of virtual time.
    constexpr Address turn_word = 0x5100;
    Thread t[2] = {start(), start()};
    Time last = 0;
    for (int i = 0; i < 100; ++i) {
        Thread me = t[i % 2], other = t[1 - i % 2];
        spin(other, turn_word, 30);
        clocks_.advance(me, 10);
        clocks_.load(me, turn_word, 4, false);
        clocks_.advance(me, 90);
        if (i > 2) {
            EXPECT_GE(now(me), last + 100) << i;
            EXPECT_LE(now(me), last + 110) << i;
        }
        clocks_.store(me, turn_word, 4, false);
        last = now(me);
    }
}

TEST_F(ClocksTest, SpinThatNobodyIsSeenToEndGoesOnAtTheHorizon) {
    Thread a = start(), b = start();
    spin(a, 0x5000, 10);
    clocks_.advance(b, 6000);
    clocks_.advance(a, rules::kSpin + 1);
    EXPECT_EQ(now(a), 6000 + rules::kSpin + 1);
}

TEST_F(ClocksTest, WordsOnlyReadBeforeOrBesideTheLoopCarryNoTime) {
    // The caller passes the words loaded in the last blocks: at the first poll, data of the code before the
    // loop; a pointer that the loop reads each time; and the flag.
    constexpr Address data = 0x8000, pointer = 0x8100, flag = 0x8200;
    Thread writer = start(), reader = start(), third = start();
    clocks_.advance(reader, 10);
    const Address first[] = {flag, pointer, data}, later[] = {flag, pointer};
    clocks_.poll(reader, first, 3);
    EXPECT_EQ(clocks_.words().with_time(), 0u) << "one poll is no loop yet";
    clocks_.advance(reader, 4);
    clocks_.poll(reader, first, 3);
    clocks_.advance(reader, 4);
    clocks_.poll(reader, later, 2);
    clocks_.advance(reader, 4);
    clocks_.poll(reader, first, 3);
    std::vector<Address> fresh;
    for (Address a; clocks_.words().take_new(&a);) fresh.push_back(a);
    std::sort(fresh.begin(), fresh.end());
    EXPECT_EQ(fresh, (std::vector<Address>{data, pointer, flag}));
    EXPECT_EQ(clocks_.words().with_time(), 2u);
    clocks_.advance(writer, 700);
    clocks_.store(writer, data, 4, false);
    clocks_.store(writer, flag, 4, false);
    clocks_.advance(reader, rules::kProbation + 1);
    EXPECT_EQ(now(reader), 700 + rules::kProbation + 1);
    EXPECT_EQ(clocks_.words().with_time(), 1u);
    EXPECT_TRUE(clocks_.words().any_carries_time(flag, 64));
    clocks_.load(third, data, 4, false);
    EXPECT_EQ(now(third), 0u);
    clocks_.load(third, flag, 4, false);
    EXPECT_EQ(now(third), 700u);
}

TEST_F(ClocksTest, WorkWithYieldsInItIsNoSpinning) {
    // A loop that adds to a shared counter, reads a flag and yields: its clock must run.
    constexpr Address stop = 0x8300;
    Thread a = start(), b = start();
    for (int i = 0; i < 100; ++i) {
        clocks_.advance(a, 20);
        clocks_.poll(a, &stop, 1, true);
    }
    EXPECT_EQ(now(a), 2000u);
    EXPECT_EQ(clocks_.horizon(), now(b));
    // Different words each time: a walk, not a wait.
    for (Address i = 0; i < 100; ++i) {
        Address at = 0x9000 + i * 8;
        clocks_.advance(a, 20);
        clocks_.poll(a, &at, 1);
    }
    clocks_.advance(a, rules::kSpin + 1);
    EXPECT_EQ(now(a), 4000 + rules::kSpin + 1);
    EXPECT_EQ(clocks_.words().with_time(), 0u);
}

TEST_F(ClocksTest, WhoYieldedOnlyOnceIsLetGoByTheLastToCountIn) {
    // A barrier with yields: a is released before it can be seen to spin, twice in a row by the same thread.
    constexpr Address counter = 0x8300, expected = 0x8308, phase = 0x8310;
    Thread a = start(), b = start();
    const Address seen[] = {phase, expected};
    for (int round = 0; round < 2; ++round) {
        clocks_.advance(a, 7000);
        clocks_.count_in(a, counter);
        clocks_.poll(a, seen, 2, true);
        for (const Address word : seen) clocks_.look(word, 4, false);
        clocks_.advance(b, 300);
        clocks_.count_in(b, counter);
        clocks_.advance(b, 9);
        clocks_.store(b, expected, 4, false);
        EXPECT_EQ(now(b), now(a)) << round;
        // Shortly after it counted in, although its clock advanced far.
        clocks_.advance(b, 10);
        clocks_.store(b, phase, 4, false);
        clocks_.load(a, phase, 4, false);
        EXPECT_EQ(now(a), now(b)) << round;
    }
}

TEST_F(ClocksTest, LockThatIsYieldedForOnceCarriesNoTime) {
    // A lock that is taken with an exchange and released with a store.
    constexpr Address lock = 0x8300;
    Thread a = start(), b = start();
    clocks_.advance(a, 7000);
    clocks_.count_in(a, lock);
    clocks_.poll(a, &lock, 1, true);
    clocks_.look(lock, 4, false);
    clocks_.count_in(b, lock);
    clocks_.store(b, lock, 4, true);
    clocks_.store(b, lock, 4, false);
    EXPECT_EQ(now(b), 0u);
}

TEST_F(ClocksTest, WhatSomebodyLookedAtBeforeAWaitCarriesASingleStoresTime) {
    // The condition behind a condition variable: b passes without a wait of its own.
    constexpr Address turn_word = 0x8400, condition = 0x8500;
    Thread a = start(), b = start();
    EXPECT_FALSE(clocks_.look(turn_word, 4, false)) << "nobody waited";
    clocks_.advance(a, 900);
    sleep(a, condition);
    clocks_.poll(a, &turn_word, 1);
    EXPECT_TRUE(clocks_.is_asleep(a));
    EXPECT_FALSE(clocks_.words().any_carries_time(turn_word, 64)) << "not before somebody else loads it";
    clocks_.advance(b, 10);
    EXPECT_TRUE(clocks_.look(turn_word, 4, false));
    clocks_.stored(turn_word, a.serial, times({800}));
    clocks_.load(b, turn_word, 4, false);
    EXPECT_EQ(now(b), 800u);
    // Alternating.
    clocks_.advance(b, 300);
    clocks_.store(b, turn_word, 4, false);
    clocks_.load(a, turn_word, 4, false);
    EXPECT_EQ(now(a), 1100u);
}

TEST_F(ClocksTest, AllLeaveABarrierAtTheLatestArrival) {
    // Whatever happens in between: nobody sleeps here, and the first one that leaves is not the last to arrive.
    constexpr Address barrier = 0x8700;
    Thread a = start(), b = start(), c = start();
    const auto meeting_of = [&](Thread t) {
        u64 meeting = 0;
        clocks_.take_causes(t, [&](Clocks::Cause cause) {
            EXPECT_EQ(meeting, 0u);
            EXPECT_EQ(cause.serial, 0u);  // with delays, any of them may come last
            meeting = cause.meeting;
        });
        return meeting;
    };
    clocks_.advance(a, 100);
    clocks_.advance(b, 300);
    clocks_.advance(c, 200);
    for (Thread t : {a, b, c}) clocks_.arrive(t, barrier);
    Clocks::Leaving left = clocks_.leave(a, barrier);
    EXPECT_TRUE(left.first && !left.last);
    std::map<u32, Time> arrivals;
    for (const auto& [serial, time] : left.meeting->arrivals) arrivals[serial] = time;
    EXPECT_EQ(arrivals, (std::map<u32, Time>{{a.serial, 100}, {b.serial, 300}, {c.serial, 200}}));
    EXPECT_EQ(now(a), 300u);
    const u64 meeting = meeting_of(a);
    EXPECT_NE(meeting, 0u);
    // a is at the next meeting before the others have left this one.
    clocks_.advance(a, 500);
    clocks_.arrive(a, barrier);
    left = clocks_.leave(c, barrier);
    EXPECT_TRUE(!left.first && !left.last);
    left = clocks_.leave(b, barrier);
    EXPECT_TRUE(!left.first && left.last);
    for (Thread t : {c, b}) {
        EXPECT_EQ(now(t), 300u);
        EXPECT_EQ(meeting_of(t), meeting);
    }
    for (Thread t : {c, b}) clocks_.arrive(t, barrier);
    for (Thread t : {b, a, c}) {
        EXPECT_EQ(clocks_.leave(t, barrier).first, t.serial == b.serial);
        EXPECT_EQ(now(t), 800u);
        EXPECT_GT(meeting_of(t), meeting);
    }
    EXPECT_EQ(clocks_.words().with_time(), 0u);
    // Memory that is freed is another barrier then.
    clocks_.arrive(b, barrier);
    clocks_.forget(barrier - 64, 128);
    clocks_.arrive(a, barrier);
    clocks_.leave(a, barrier);
    clocks_.take_causes(b, [](Clocks::Cause) {});
    EXPECT_EQ(now(a), 800u);
}

TEST_F(ClocksTest, WhoWaitsForATokenGoesOnAtTheHorizon) {
    constexpr Address semaphore = 0x8700;
    Thread a = start(), b = start();
    clocks_.advance(a, 100);
    EXPECT_EQ(clocks_.horizon(), 0u);
    clocks_.wait(b, WaitFor::Token, semaphore);
    EXPECT_EQ(clocks_.horizon(), 100u);
    clocks_.advance(a, 100);
    clocks_.wake(a, semaphore, 1);
    EXPECT_EQ(clocks_.horizon(), 100u);
    clocks_.resume(b, true);
    EXPECT_EQ(now(b), 100u);
    EXPECT_TRUE(clocks_.was_woken(b));
    EXPECT_EQ(clocks_.words().with_time(), 0u);
    clocks_.take_causes(b, [](Clocks::Cause) { ADD_FAILURE() << "the replay knows whose token it is"; });
}

TEST_F(ClocksTest, WhatSomebodyLookedAtOrdersThreadsEvenIfNoClockIsRaised) {
    // A thread whose own clock is past the store goes on after the thread that stored, which may have a delay.
    constexpr Address turn_word = 0x8400;
    Thread a = start(), b = start();
    look_and_sleep(a, turn_word);
    clocks_.advance(a, 800);
    clocks_.advance(b, 1000);
    EXPECT_TRUE(clocks_.look(turn_word, 4, false));
    clocks_.store(a, turn_word, 4, false);
    clocks_.load(b, turn_word, 4, false);
    EXPECT_EQ(now(b), 1000u);
    std::vector<Clocks::Cause> causes;
    clocks_.take_causes(b, [&](Clocks::Cause cause) { causes.push_back(cause); });
    ASSERT_EQ(causes.size(), 1u);
    EXPECT_EQ(causes[0].serial, a.serial);
    EXPECT_EQ(causes[0].time, 800u);
    // Not after two stores in a row.
    clocks_.store(a, turn_word, 4, false);
    clocks_.load(b, turn_word, 4, false);
    clocks_.take_causes(b, [&](Clocks::Cause cause) { causes.push_back(cause); });
    EXPECT_EQ(causes.size(), 1u);
}

TEST_F(ClocksTest, WhatIsStoredToTwiceInARowCarriesNoTime) {
    // The ends of a queue, or a lock: carrying their time would restore the serial order.
    constexpr Address head = 0x8400;
    Thread a = start(), b = start();
    look_and_sleep(a, head);
    clocks_.advance(a, 900);
    EXPECT_TRUE(clocks_.look(head, 4, false));
    clocks_.stored(head, a.serial, times({700, 800}));
    clocks_.load(b, head, 4, false);
    EXPECT_EQ(now(b), 0u);
    clocks_.store(b, head, 4, false);
    clocks_.store(b, head, 4, false);
    clocks_.advance(b, 2000);
    clocks_.store(b, head, 4, false);
    clocks_.load(a, head, 4, false);
    EXPECT_EQ(now(a), 900u);
}

TEST_F(ClocksTest, WhoWaitsForACountNeedsItsNextNumber) {
    // One thread finishes columns of a row, the other needs each of them. The core lets the first one run alone.
    constexpr Address done = 0x8600;
    Thread writer = start(), reader = start();
    clocks_.watch(done);
    count(writer, done, 100, 50);
    for (u32 i = 0; i < 100; ++i) {
        clocks_.load(reader, done, 4, false);
        EXPECT_EQ(now(reader), 50 * (i + 1) + 10 * (i != 0)) << i;
        clocks_.advance(reader, i == 0 ? 60 : 50);
    }
    clocks_.load(reader, done, 4, false);
    EXPECT_EQ(now(reader), 5060u) << "there is nothing new";
}

TEST_F(ClocksTest, CountIsBehindItsLastStoreForWhoLooksTooOften) {
    constexpr Address done = 0x8600;
    Thread writer = start(), reader = start();
    clocks_.watch(done);
    count(writer, done, 4, 50);
    for (u32 i = 0; i < 8; ++i) clocks_.load(reader, done, 4, false);
    EXPECT_EQ(now(reader), 200u);
    // What another thread stores to is no count any more.
    clocks_.advance(writer, 1000);
    clocks_.store(reader, done, 4, false);
    clocks_.store(writer, done, 4, false);
    clocks_.load(reader, done, 4, false);
    EXPECT_EQ(now(reader), 1200u);
}

TEST_F(ClocksTest, FirstNumberOfACountEndsTheSpinAndAVainLookTakesAll) {
    constexpr Address done = 0x8600;
    Thread writer = start(), reader = start();
    spin(reader, done, 3);
    count(writer, done, 4, 500);
    clocks_.load(reader, done, 4, false);
    clocks_.end_probation(reader);
    EXPECT_EQ(now(reader), 500u);
    // It polls on, so all four were not what it waits for.
    spin(reader, done, 2);
    count(writer, done, 2, 500);
    clocks_.load(reader, done, 4, false);
    EXPECT_EQ(now(reader), 2500u);
}

// The core lets the poster run alone, so each token is there when the taker looks: it goes on behind its post, not the
// last one. What it takes lets nobody go on.
TEST_F(ClocksTest, WhoTakesATokenIsBehindTheEarliestPostLeft) {
    constexpr Address tokens = 0x8600;
    Thread poster = start(), taker = start(), other = start();
    clocks_.watch(tokens);
    const auto post = [&] {
        clocks_.advance(poster, 50);
        clocks_.post(poster, tokens, 1);
        clocks_.store(poster, tokens, 4, true);
    };
    post();
    clocks_.load(taker, tokens, 4, false);
    EXPECT_EQ(now(taker), 50u);
    EXPECT_TRUE(clocks_.take(tokens, 0));
    for (u32 i = 0; i < 3; ++i) post();
    for (u32 i = 0; i < 3; ++i) {
        clocks_.load(taker, tokens, 4, false);
        EXPECT_EQ(now(taker), 100u + 50 * i);
        EXPECT_TRUE(clocks_.take(tokens, 2 - i));
    }
    clocks_.load(other, tokens, 4, false);
    EXPECT_EQ(now(other), 0u);
}

// A lock or a slot: nobody has added to it, so who lowers it by comparing stores to it as others do.
TEST_F(ClocksTest, WhoLowersAWordThatNobodyAddsToLetsOthersGoOn) {
    constexpr Address word = 0x8600;
    Thread holder = start(), waiter = start();
    clocks_.watch(word);
    clocks_.advance(holder, 100);
    EXPECT_FALSE(clocks_.take(word, 0));
    clocks_.store(holder, word, 4, true);
    clocks_.load(waiter, word, 4, false);
    EXPECT_EQ(now(waiter), 100u);
}

TEST_F(ClocksTest, WhatIsReadUnderALockHasItsOrder) {
    constexpr Address used = 0x8400;
    Thread a = start(), b = start();
    look_and_sleep(a, used);
    EXPECT_TRUE(clocks_.look(used, 4, false));
    clocks_.advance(a, 1000);
    clocks_.store(a, used, 4, false);
    clocks_.load(b, used, 4, false, true);
    EXPECT_EQ(now(b), 0u);
    clocks_.load(b, used, 4, false, false);
    EXPECT_EQ(now(b), 1000u) << "without a lock it may be a flag";
}

TEST_F(ClocksTest, WhoCountedInBeforeItWaitsForAConditionHoldsTheOthersBack) {
    constexpr Address condition = 0x8500, arrived = 0x8600, list = 0x8604;
    for (const Address changed : {arrived, list}) {
        Thread waiter = start(), waker = start();
        clocks_.begins_change(waiter);
        clocks_.advance(waiter, 3000);
        clocks_.changes(waiter, arrived);
        clocks_.waits_for_condition(waiter);
        sleep(waiter, condition);
        clocks_.begins_change(waker);
        clocks_.advance(waker, 1000);
        clocks_.changes(waker, changed);
        clocks_.wake(waker, condition, 64);
        EXPECT_EQ(now(waker), changed == arrived ? 3000u : 1000u);
        clocks_.resume(waiter, true);
        EXPECT_EQ(now(waiter), 3000u);
        end(waiter);
        end(waker);
    }
}

TEST_F(ClocksTest, WhoIsWokenForAConditionHasTheTimeOfTheWake) {
    constexpr Address condition = 0x8500;
    Thread waiter = start(), waker = start();
    clocks_.waits_for_condition(waiter);
    sleep(waiter, condition);
    clocks_.advance(waker, 1000);
    clocks_.store(waker, condition, 4, true);
    clocks_.wake(waker, condition, 1);
    clocks_.advance(waker, 5000);
    clocks_.store(waker, condition, 4, true);  // the next one, for nobody
    clocks_.resume(waiter, true);
    clocks_.load(waiter, condition, 4, false);
    EXPECT_EQ(now(waiter), 1000u);
    clocks_.ends_condition(waiter);
    clocks_.load(waiter, condition, 4, false);
    EXPECT_EQ(now(waiter), 6000u);
}

TEST_F(ClocksTest, WordsBesideBusyDataAreGivenUpUnlessSomebodyWaits) {
    constexpr Address line = 0x8400, word = line;
    constexpr u32 kAges = sync::rules::kIdle / rules::kAge;
    Thread a = start(), b = start();
    const auto age = [&](u32 times) {
        for (u32 i = 0; i < times; ++i) clocks_.age(line, 64);
    };
    look_and_sleep(a, word);
    EXPECT_TRUE(clocks_.look(word, 4, false));
    age(kAges - 1);
    EXPECT_TRUE(clocks_.words().any_carries_time(line, 64));
    clocks_.advance(b, 100);
    clocks_.store(b, word, 4, false);
    clocks_.load(a, word, 4, false);
    EXPECT_EQ(now(a), 100u) << "it waited";
    age(kAges - 1);
    EXPECT_TRUE(clocks_.words().any_carries_time(line, 64));
    age(1);
    EXPECT_FALSE(clocks_.words().any_carries_time(line, 64));
}

TEST_F(ClocksTest, TestAndTestAndSetLockCarriesNoTime) {
    constexpr Address lock = 0x6000;
    Thread a = start(), b = start();
    clocks_.advance(a, 5000);
    clocks_.store(a, lock, 4, true);  // a holds the lock when its slice ends
    clocks_.advance(b, 100);
    spin(b, lock, 50);
    clocks_.advance(a, 2000);
    clocks_.store(a, lock, 4, false);  // unlocks
    clocks_.advance(a, 10'000);
    clocks_.advance(b, 3);
    clocks_.load(b, lock, 4, false);
    clocks_.advance(b, 4);
    clocks_.load(b, lock, 4, true);
    clocks_.store(b, lock, 4, true);
    EXPECT_LE(now(b), 120u) << "b does not inherit a's time";
    EXPECT_FALSE(clocks_.words().any_carries_time(lock, 64));
    // Nor at any later time, because the lock is known now.
    clocks_.store(b, lock, 4, false);
    Time before = now(b);
    spin(b, lock, 50);
    EXPECT_EQ(now(b), before + 200);
    EXPECT_EQ(clocks_.horizon(), now(b)) << "who waits for a lock counts as running";
    EXPECT_FALSE(clocks_.words().any_carries_time(lock, 64));
}

TEST_F(ClocksTest, ContendedMutexCarriesNoTimeAndHoldsTheHorizon) {
    constexpr Address mutex = 0x6100;
    Thread a = start(), b = start();
    clocks_.advance(b, 100);
    clocks_.wait(b, WaitFor::Mutex, mutex);
    clocks_.advance(a, 9000);
    EXPECT_EQ(clocks_.horizon(), 100u);
    clocks_.store(a, mutex, 4, true);
    clocks_.wake(a, mutex, 1);
    clocks_.resume(b, true);
    EXPECT_EQ(now(b), 100u);
    EXPECT_FALSE(clocks_.words().any_carries_time(mutex & ~Address{63}, 64));
}

// The kernel wakes whoever got to sleep first there, and that may be another one than the clocks think.
TEST_F(ClocksTest, WhoIsWokenInsteadOfTheOneCalledTakesItsPlace) {
    Thread a = start(), b = start(), c = start();
    constexpr Address mutex = 0x6100;
    clocks_.wait(b, WaitFor::Mutex, mutex);
    clocks_.wait(c, WaitFor::Mutex, mutex);
    clocks_.wake(a, mutex, 1);
    EXPECT_NE(clocks_.time_to_run(b), kNever);
    clocks_.resume(c, true);
    EXPECT_EQ(clocks_.time_to_run(b), kNever);
    EXPECT_NE(clocks_.time_to_run(c), kNever);
}

TEST_F(ClocksTest, WhoFindsAMutexChangedLeavesItsCallToTheNext) {
    Thread a = start(), b = start(), c = start();
    constexpr Address mutex = 0x6100;
    clocks_.wait(b, WaitFor::Mutex, mutex);
    clocks_.wait(c, WaitFor::Mutex, mutex);
    clocks_.wake(a, mutex, 1);
    clocks_.resume(b, false);
    EXPECT_NE(clocks_.time_to_run(c), kNever);
}

TEST_F(ClocksTest, AWakeThatFindsNobodyAsleepCallsNobody) {
    Thread a = start(), b = start();
    constexpr Address mutex = 0x6100;
    clocks_.wait(b, WaitFor::Mutex, mutex);
    clocks_.wake(a, mutex, 1);
    clocks_.woke_nobody(mutex);
    EXPECT_EQ(clocks_.time_to_run(b), kNever);
}

TEST_F(ClocksTest, WhoIsWokenForAMutexCanRun) {
    constexpr Address mutex = 0x6100;
    Thread a = start(), b = start(), c = start();
    clocks_.advance(b, 100);
    clocks_.wait(c, WaitFor::Mutex, mutex);
    clocks_.wait(b, WaitFor::Mutex, mutex);
    EXPECT_EQ(clocks_.time_to_run(c), kNever);
    clocks_.wake(a, mutex, 1);
    EXPECT_EQ(clocks_.time_to_run(c), 0u) << "it went to sleep first";
    EXPECT_EQ(clocks_.time_to_run(b), kNever);
    clocks_.resume(c, true);
    clocks_.wake(c, mutex, 1);
    EXPECT_EQ(clocks_.time_to_run(b), 100u);
    clocks_.resume(b, true);
    clocks_.wait(b, WaitFor::Mutex, mutex);
    EXPECT_EQ(clocks_.time_to_run(b), kNever) << "it came too late, and sleeps again";
}

TEST_F(ClocksTest, AtomicWaitOfLibstdcxx) {
    // std::atomic::wait: spins with pause, then yields, then sleeps on the word; notify wakes the requested
    // number.
    constexpr Address word = 0x6200;
    Thread a = start(), b = start();
    clocks_.advance(a, 50);
    spin(a, word, 12);
    sleep(a, word);
    EXPECT_EQ(now(a), 54u);
    clocks_.advance(b, 4000);
    clocks_.store(b, word, 4, true);  // a seq_cst store is an exchange
    clocks_.wake(b, word, 1);
    clocks_.advance(b, 100);
    clocks_.resume(a, true);
    EXPECT_EQ(now(a), 4000u);
    // A word that a thread slept on keeps carrying time, although the poller writes it atomically.
    spin(a, word, 3);
    clocks_.store(a, word, 4, true);
    EXPECT_TRUE(clocks_.words().any_carries_time(word & ~Address{63}, 64));
}

TEST_F(ClocksTest, RequeuedWaitersAreWokenThroughTheirNewWord) {
    constexpr Address cond = 0x6300, mutex = 0x6400;
    Thread a = start(), b = start(), c = start(), d = start();
    for (Thread t : {a, b, c}) {
        clocks_.advance(t, 10);
        sleep(t, cond);
    }
    clocks_.advance(d, 1000);
    clocks_.wake(d, cond, 1, mutex, kAll);
    EXPECT_FALSE(clocks_.words().any_carries_time(mutex, 64)) << "a mutex does not become a sync word by it";
    clocks_.resume(a, true);
    EXPECT_EQ(now(a), 1000u);
    clocks_.wake(d, cond, 1);
    clocks_.advance(d, 2000);
    clocks_.advance(a, 5000);
    EXPECT_EQ(clocks_.horizon(), 3000u) << "b and c sleep: nobody waits on the old word";
    clocks_.wake(d, mutex, 1);
    clocks_.resume(b, true);
    EXPECT_EQ(now(b), 3000u);
    clocks_.advance(d, 10);
    clocks_.wake(a, mutex, 1);
    clocks_.resume(c, true);
    EXPECT_EQ(now(c), 6000u);
}

TEST_F(ClocksTest, CallThatDoesNotBlockTakesNoTime) {
    // Two threads read and compute in turn; the core lets one compute while the other is in its call.
    Thread t[2] = {start(), start()};
    turn(t[0]);
    clocks_.wait(t[0], WaitFor::Other, 0);
    turn(t[1]);
    clocks_.wait(t[1], WaitFor::Other, 0);
    for (int i = 0; i < 10; ++i)
        for (Thread each : t) {
            turn(each);
            clocks_.resume(each, false);
            EXPECT_EQ(now(each), static_cast<Time>(i) * 10'000) << "as if both ran at the same time";
            clocks_.advance(each, 10'000);
            EXPECT_LE(clocks_.horizon(), static_cast<Time>(i + 1) * 10'000);
            clocks_.wait(each, WaitFor::Other, 0);
        }
}

TEST_F(ClocksTest, CallThatBlocksDoesNotHoldTheHorizonBack) {
    Thread a = start(), b = start();
    turn(a);
    clocks_.wait(a, WaitFor::Other, 0);
    for (int i = 0; i < 4; ++i) {
        turn(b);
        clocks_.advance(b, 1000);
    }
    EXPECT_EQ(clocks_.horizon(), 4000u);
    clocks_.resume(a, false);
    EXPECT_EQ(now(a), 4000u);
}

TEST_F(ClocksTest, WhenAllSleepTheNextGoesOnBehindWhatMayHaveBeenMerged) {
    Thread a = start(), b = start();
    clocks_.advance(a, 1000);
    sleep(a, 0x1000);
    sleep(b, 0x2000);
    EXPECT_EQ(clocks_.horizon(), kNever);
    clocks_.resume(b, false);
    EXPECT_EQ(now(b), 1000u);
}

TEST_F(ClocksTest, ForcedHorizonLiftsWhoIsBehind) {
    Thread a = start(), b = start(), c = start(), d = start();
    clocks_.advance(a, 5000);
    clocks_.advance(b, 10);
    clocks_.wait(c, WaitFor::Mutex, 0x1000);
    sleep(d, 0x2000);
    EXPECT_EQ(clocks_.force_horizon(4000), 2u);
    EXPECT_EQ(clocks_.horizon(), 4000u);
    EXPECT_EQ(now(a), 5000u);
    EXPECT_EQ(now(b), 4000u);
    clocks_.resume(c, true);
    EXPECT_EQ(now(c), 4000u);
    clocks_.wake(b, 0x2000, 1);
    clocks_.resume(d, true);
    EXPECT_EQ(now(d), 4000u);
    EXPECT_EQ(clocks_.force_horizon(3000), 0u);
    sleep(d, 0x2000);
    for (Thread t : {a, b, c}) end(t);
    clocks_.force_horizon(9000);
    clocks_.resume(d, false);
    EXPECT_EQ(now(d), 9000u);
}

TEST_F(ClocksTest, ForkLeavesOneThread) {
    Thread a = start(), b = start(), c = start();
    sleep(b, 0x1000);
    clocks_.advance(a, 500);
    clocks_.forget_others(a);
    EXPECT_EQ(clocks_.horizon(), 500u);
    clocks_.wake(a, 0x1000, kAll);
    EXPECT_EQ(clocks_.horizon(), 500u) << "b is not woken: it is gone";
    used_[b.slot] = used_[c.slot] = false;
    Thread again = start(a);
    EXPECT_EQ(again.slot, b.slot);
    EXPECT_EQ(now(again), 500u);
}

TEST_F(ClocksTest, SlotsAreUsedAgainAndAnExitFromAQueueLeavesIt) {
    Thread main = start();
    for (int i = 0; i < 1000; ++i) {
        Thread t = start(main);
        EXPECT_EQ(t.slot, 1u);
        EXPECT_EQ(now(t), now(main));
        clocks_.advance(t, 5);
        if (i % 3 == 0) sleep(t, 0x1000);
        if (i % 3 == 1) spin(t, 0x1100);
        if (i % 3 == 2) clocks_.wait(t, WaitFor::Other, 0);
        end(t);
        clocks_.advance(main, 1);
        clocks_.wake(main, 0x1000, kAll);
        clocks_.store(main, 0x1100, 4, false);
        EXPECT_EQ(clocks_.horizon(), now(main));
    }
}

TEST_F(ClocksTest, SyncWordsAreFoundByLineAndForgotten) {
    Thread t = start();
    for (usize line : {16u, 32u, 64u, 128u, 256u}) {
        Address word = 0x100000 + line * 0x1000 + line - 4;
        sleep(t, word);
        clocks_.resume(t, false);
        Address begin = word & ~(line - 1);
        EXPECT_TRUE(clocks_.words().any_carries_time(begin, line)) << line;
        EXPECT_FALSE(clocks_.words().any_carries_time(begin + line, line)) << line;
        EXPECT_FALSE(clocks_.words().any_carries_time(begin - line, line)) << line;
        clocks_.forget(begin, line);
        EXPECT_FALSE(clocks_.words().any_carries_time(begin, line)) << line;
    }
    for (Address a = 0; a < 100; ++a) clocks_.watch(0x200000 + a * 8);
    EXPECT_EQ(clocks_.words().with_time(), 100u);
    sleep(t, 0x200008);
    clocks_.forget(0x200000, usize{1} << 30);
    EXPECT_EQ(clocks_.words().with_time(), 1u) << "a word with a sleeper is still in use";
}

TEST_F(ClocksTest, TwoHundredThreadsAgainstAPlainModel) {
    // The horizon is the minimum, and no clock ever falls behind a horizon that was given out.
    std::srand(7);
    std::vector<Thread> threads;
    std::vector<int> asleep;  // per thread: 0 runs, 1 on a word, 2 mutex
    for (int i = 0; i < 200; ++i) {
        threads.push_back(start());
        asleep.push_back(0);
    }
    Time given = 0;
    for (int step = 0; step < 100'000; ++step) {
        auto i = static_cast<usize>(std::rand()) % threads.size();
        Thread t = threads[i];
        if (asleep[i] == 1) {
            clocks_.resume(t, false);
            asleep[i] = 0;
            EXPECT_GE(now(t), given);
        } else if (asleep[i] == 2) {
            clocks_.resume(t, true);
            asleep[i] = 0;
        }
        clocks_.advance(t, static_cast<u64>(std::rand()) % 100);
        switch (std::rand() % 20) {
            case 0: sleep(t, 0x1000 + i * 4), asleep[i] = 1; break;
            case 1: clocks_.wait(t, WaitFor::Mutex, 0x1000), asleep[i] = 2; break;
            case 2:
                end(t);
                threads[i] = start();
                break;
            case 3: clocks_.lift(t, given + 500); break;
        }
        Time least = kNever;
        for (usize j = 0; j < threads.size(); ++j)
            if (asleep[j] != 1) least = std::min(least, now(threads[j]));
        Time horizon = clocks_.horizon();
        ASSERT_EQ(horizon, least) << step;
        ASSERT_GE(horizon, given) << step;
        given = horizon;
    }
}

// Not a check: the cost of the calls on this machine (with sanitizers a multiple of that in the tool).
TEST_F(ClocksTest, Speed) {
    std::vector<Thread> threads;
    for (int i = 0; i < 200; ++i) threads.push_back(start());
    auto time = [&](const char* what, auto&& f) {
        auto begin = std::chrono::steady_clock::now();
        constexpr u32 kTimes = 1'000'000;
        for (u32 i = 0; i < kTimes; ++i) f(i);
        std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
        std::printf("    %-46s %6.1f ns\n", what, spent.count() / kTimes);
    };
    clocks_.watch(0x12345678);
    u64 sum = 0;
    time("advance", [&](u32) { clocks_.advance(threads[7], 5); });
    time("advance and horizon, the same thread", [&](u32) {
        clocks_.advance(threads[7], 5);
        sum += clocks_.horizon();
    });
    time("advance and horizon, another thread each time", [&](u32 i) {
        clocks_.advance(threads[i % 200], 5);
        sum += clocks_.horizon();
    });
    time("has_sync_word, no", [&](u32 i) { sum += clocks_.words().any_carries_time(0x40000000 + Address{i} * 64, 64); });
    time("has_sync_word, yes", [&](u32) { sum += clocks_.words().any_carries_time(0x12345640, 64); });
    time("load of a sync word", [&](u32) { clocks_.load(threads[7], 0x12345678, 4, false); });
    time("store to a sync word", [&](u32) { clocks_.store(threads[7], 0x12345678, 4, false); });
    time("wait, wake and resume", [&](u32) {
        clocks_.wait(threads[7], WaitFor::Word, 0x12345678);
        clocks_.wake(threads[8], 0x12345678, 1);
        clocks_.resume(threads[7], true);
    });
    EXPECT_NE(sum, 1u);
}

}  // namespace
}  // namespace memspy::order
