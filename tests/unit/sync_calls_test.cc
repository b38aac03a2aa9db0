// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that system calls give the clock edges that they have in Linux: each test makes the calls of a
// library with their real numbers and arguments, and checks the clocks.
#include "order/sync_calls.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "order/rules.h"

namespace memspy::order {
namespace {

constexpr u64 kPrivate = 128, kRealTime = 256, kAny = 0xFFFFFFFF, kMany = 0x7FFFFFFF;
constexpr u64 kWait = 0, kWake = 1, kRequeue = 3, kCompareRequeue = 4, kWakeOperation = 5, kLockPi = 6,
              kUnlockPi = 7, kWaitBitset = 9, kWakeBitset = 10, kLockPi2 = 13;
constexpr i64 kAgain = -11, kInterrupted = -4, kTimedOut = -110;

struct Numbers {
    u32 read, write, futex, sched_yield, set_tid_address, clone, clone3, futex_waitv, fcntl, nanosleep,
        getpid;
};
constexpr Numbers kAmd64{0, 1, 202, 24, 218, 56, 435, 449, 72, 35, 39};
constexpr Numbers kArm64{63, 64, 98, 124, 96, 220, 435, 449, 25, 101, 172};

std::map<Address, u32> memory;
FutexUse futex_use = FutexUse::Other;
std::vector<Thread> yielded;

bool read_memory(Address from, void* to, usize bytes) {
    for (usize i = 0; i < bytes; i += 4) {
        auto word = memory.find(from + i);
        if (word == memory.end()) return false;
        std::memcpy(static_cast<char*>(to) + i, &word->second, 4);
    }
    return true;
}

class SyncCallsTest : public ::testing::TestWithParam<Architecture> {
protected:
    void SetUp() override {
        memory.clear();
        yielded.clear();
        futex_use = FutexUse::Other;
        SyncCalls::Host host;
        host.read = read_memory;
        host.futex_use = [](Thread) { return futex_use; };
        host.yields = [](Thread t) { yielded.push_back(t); };
        calls_.configure(&clocks_, host, GetParam());
    }
    const Numbers& numbers() const { return GetParam() == Architecture::Amd64 ? kAmd64 : kArm64; }

    using Arguments = std::vector<u64>;
    void before(Thread t, u32 number, Arguments arguments = {}) {
        arguments.resize(6);
        calls_.before_call(t, number, arguments.data());
    }
    void after(Thread t, u32 number, i64 result, Arguments arguments = {}) {
        arguments.resize(6);
        calls_.after_call(t, number, arguments.data(), result);
    }
    void futex(Thread t, Arguments arguments) { before(t, numbers().futex, arguments); }
    void woken(Thread t, i64 result = 0) { after(t, numbers().futex, result); }

    Thread first() {
        Thread t{0, ++serial_};
        calls_.created({}, t);
        return t;
    }
    // Like glibc's pthread_create; `tid` is the word that the kernel clears.
    Thread thread(Thread parent, Address tid = 0) {
        constexpr u64 kFlags = 0x3d0f00;  // CLONE_VM … CLONE_CHILD_CLEARTID
        Arguments arguments = GetParam() == Architecture::Amd64 ? Arguments{kFlags, 0, tid, tid, 0x7000}
                                                                : Arguments{kFlags, 0, tid, 0x7000, tid};
        before(parent, numbers().clone, arguments);
        Thread t{serial_, serial_ + 1};
        ++serial_;
        calls_.created(parent, t);
        after(parent, numbers().clone, 4711);
        return t;
    }
    void run(Thread t, u64 instructions) { clocks_.advance(t, instructions); }
    Time now(Thread t) const { return clocks_.now(t); }
    void store(Thread t, Address word, u32 value) {
        memory[word] = value;
        clocks_.store(t, word, 4, true);
    }

    u32 serial_ = 0;
    std::unique_ptr<Clocks> clocks_holder_ = std::make_unique<Clocks>();
    Clocks& clocks_ = *clocks_holder_;
    SyncCalls calls_;
};

TEST_P(SyncCallsTest, BarrierOfGlibc) {
    Thread main = first();
    Thread a = thread(main), b = thread(main);
    constexpr Address round = 0x1008;
    memory[round] = 0;
    run(a, 700);
    futex(a, {round, kWait | kPrivate, 0});
    run(b, 900);
    futex(b, {round, kWaitBitset | kPrivate | kRealTime, 0, 0, 0, kAny});
    run(main, 100);
    store(main, round, 3);
    futex(main, {round, kWake | kPrivate, kMany});
    after(main, numbers().futex, 2);
    EXPECT_EQ(now(main), 900u);
    run(main, 50'000);
    EXPECT_EQ(clocks_.horizon(), 900u);
    woken(b);
    woken(a);
    EXPECT_EQ(now(a), 900u);
    EXPECT_EQ(now(b), 900u);
}

TEST_P(SyncCallsTest, ConditionVariableOfGlibc) {
    // pthread_cond_wait sleeps with a bitset on __g_signals; signal wakes one, broadcast all.
    Thread main = first();
    Thread a = thread(main), b = thread(main), c = thread(main);
    constexpr Address signals = 0x2028;
    memory[signals] = 0;
    for (Thread t : {a, b, c}) {
        run(t, 10);
        futex(t, {signals, kWaitBitset | kPrivate, 0, 0, 0, kAny});
    }
    run(main, 400);
    store(main, signals, 2);
    futex(main, {signals, kWake | kPrivate, 1});
    woken(a);
    EXPECT_EQ(now(a), 400u);
    EXPECT_EQ(now(main), 400u);
    run(a, 1000);
    run(main, 1000);
    EXPECT_EQ(clocks_.horizon(), 1400u) << "b and c sleep";
    futex(main, {signals, kWakeBitset | kPrivate, kMany, 0, 0, kAny});
    woken(c);
    woken(b);
    EXPECT_EQ(now(b), 1400u);
    EXPECT_EQ(now(c), 1400u);
}

TEST_P(SyncCallsTest, WaitForAnotherValueDoesNotWait) {
    Thread main = first();
    Thread a = thread(main);
    memory[0x1000] = 5;
    run(a, 10);
    futex(a, {0x1000, kWait, 4});
    run(main, 30'000);  // the core still lets another thread run
    EXPECT_EQ(clocks_.horizon(), 10u);
    woken(a, kAgain);
    EXPECT_EQ(now(a), 10u);
}

TEST_P(SyncCallsTest, TimeOutAndSignalAreNoWake) {
    Thread main = first();
    Thread a = thread(main);
    memory[0x1000] = 0;
    for (i64 result : {kTimedOut, kInterrupted}) {
        futex(a, {0x1000, kWait, 0, 0x9000});
        run(main, 1000);
        woken(a, result);
        EXPECT_EQ(now(a), now(main));
    }
}

TEST_P(SyncCallsTest, WhoTimesOutDoesNotTakeAnothersWake) {
    Thread main = first();
    Thread a = thread(main), b = thread(main);
    memory[0x1000] = 0;
    run(a, 5);
    futex(a, {0x1000, kWait, 0});
    futex(b, {0x1000, kWait, 0, 0x9000});
    run(main, 1000);
    futex(main, {0x1000, kWake, 0});  // one even then
    run(main, 5000);
    woken(b, kTimedOut);
    EXPECT_EQ(clocks_.horizon(), 1000u);
    run(b, 5000);
    EXPECT_EQ(clocks_.horizon(), 1000u) << "a is still the one who was woken";
    woken(a);
    EXPECT_EQ(now(a), 1000u);
}

TEST_P(SyncCallsTest, CallThatASignalBreaksOffForGood) {
    // The handler runs, and the call is made again, without an after_call of the first.
    Thread main = first();
    Thread a = thread(main);
    memory[0x1000] = 0;
    futex(a, {0x1000, kWait, 0});
    run(main, 500);
    clocks_.runs(a, 1);
    run(a, 20);
    EXPECT_EQ(now(a), 520u);
    before(a, numbers().write, {1, 0x5000, 3});
    after(a, numbers().write, 3);
    futex(a, {0x1000, kWait, 0});
    run(main, 1000);
    futex(main, {0x1000, kWake, 1});
    woken(a);
    EXPECT_EQ(now(a), 1500u);
}

TEST_P(SyncCallsTest, MutexesCarryNoTime) {
    Thread main = first();
    Thread a = thread(main);
    memory[0x1000] = 2;
    futex_use = FutexUse::Lock;
    run(a, 10);
    futex(a, {0x1000, kWait | kPrivate, 1});  // the word has another value, so it does not sleep
    futex(a, {0x1000, kWait | kPrivate, 2});
    run(main, 1000);
    EXPECT_EQ(clocks_.horizon(), 10u);
    store(main, 0x1000, 0);
    futex(main, {0x1000, kWake | kPrivate, 1});
    woken(a);
    EXPECT_EQ(now(a), 10u);
    futex_use = FutexUse::Other;  // LOCK_PI needs no check of functions
    u64 blocks = 0;
    for (u64 operation : {kLockPi, kLockPi2}) {
        futex(a, {0x1000, operation});
        for (int i = 0; i < 10; ++i) {
            clocks_.runs(main, blocks += rules::kSliceBlocks);
            run(main, 1000);
        }
        EXPECT_EQ(clocks_.horizon(), 10u);
        futex(main, {0x1000, kUnlockPi});
        woken(a);
        EXPECT_EQ(now(a), 10u);
    }
    EXPECT_EQ(clocks_.words().with_time(), 0u);
}

TEST_P(SyncCallsTest, RequeueAndItsComparison) {
    Thread main = first();
    Thread a = thread(main), b = thread(main);
    memory[0x1000] = 7;
    memory[0x2000] = 1;
    futex(a, {0x1000, kWait, 7});
    futex(b, {0x1000, kWait, 7});
    run(main, 300);
    futex(main, {0x1000, kCompareRequeue, 1, kMany, 0x2000, 6});  // fails: the word is 7
    run(main, 100);
    EXPECT_EQ(clocks_.horizon(), 400u) << "nobody is woken";
    futex(main, {0x1000, kCompareRequeue, 1, kMany, 0x2000, 7});
    woken(a);
    EXPECT_EQ(now(a), 400u);
    run(main, 300);
    run(a, 300);
    futex(main, {0x1000, kWake, kMany});
    EXPECT_EQ(clocks_.horizon(), 700u);
    futex(main, {0x2000, kRequeue, 0, 1, 0x3000});
    futex(main, {0x3000, kWake, 1});
    run(main, 100);
    woken(b);
    EXPECT_EQ(now(b), 700u);
}

TEST_P(SyncCallsTest, WakeOperationWakesOnTwoWords) {
    Thread main = first();
    Thread a = thread(main), b = thread(main);
    memory[0x1000] = memory[0x2000] = 1;
    futex(a, {0x1000, kWait, 1});
    futex(b, {0x2000, kWait, 1});
    run(main, 300);
    constexpr u64 kSetToZeroIfGreater = (u64{4} << 24) | 1;  // was it > 1 ?
    futex(main, {0x1000, kWakeOperation, 1, 1, 0x2000, kSetToZeroIfGreater});
    woken(a);
    EXPECT_EQ(now(a), 300u);
    run(a, 500);
    run(main, 500);
    EXPECT_EQ(clocks_.horizon(), 800u) << "b sleeps on: 1 > 1 is false";
    memory[0x2000] = 2;
    futex(main, {0x1000, kWakeOperation, 1, 1, 0x2000, kSetToZeroIfGreater});
    run(a, 500);
    run(main, 500);
    woken(b);
    EXPECT_EQ(now(b), 800u);
}

TEST_P(SyncCallsTest, WaitOnSeveralWords) {
    Thread main = first();
    Thread a = thread(main);
    memory[0x1000] = memory[0x2000] = 0;
    for (Address element : {0x3000, 0x3018}) {
        memory[element] = memory[element + 4] = 0;  // value
        memory[element + 8] = element == 0x3000 ? 0x1000 : 0x2000;
        memory[element + 12] = memory[element + 16] = memory[element + 20] = 0;
    }
    before(a, numbers().futex_waitv, {0x3000, 2});
    run(main, 600);
    store(main, 0x2000, 1);
    futex(main, {0x2000, kWake, 1});
    after(a, numbers().futex_waitv, 1);
    clocks_.load(a, 0x2000, 4, false);
    EXPECT_EQ(now(a), 600u);
}

TEST_P(SyncCallsTest, JoinThatSleepsAndOneThatDoesNot) {
    Thread main = first();
    constexpr Address tid_a = 0x70002d0, tid_b = 0x71002d0;
    memory[tid_a] = 11;
    Thread a = thread(main, tid_a), b = thread(main, tid_b);
    futex(main, {tid_a, kWaitBitset | kRealTime, 11, 0, 0, kAny});
    run(a, 500);
    run(b, 900);
    calls_.exited(a);
    woken(main);
    EXPECT_EQ(now(main), 500u);
    calls_.exited(b);
    clocks_.load(main, tid_b, 4, false);
    EXPECT_EQ(now(main), 900u);
}

TEST_P(SyncCallsTest, WordToClearFromClone3AndFromSetTidAddress) {
    Thread main = first();
    constexpr Address structure = 0x8000, tid = 0x70002d0;
    for (Address at = 0; at < 88; at += 4) memory[structure + at] = 0;
    memory[structure] = 0x3d0f00;
    memory[structure + 16] = tid;
    before(main, numbers().clone3, {structure, 88});
    Thread a{1, ++serial_};
    calls_.created(main, a);
    after(main, numbers().clone3, 4711);
    run(a, 80);
    calls_.exited(a);
    EXPECT_TRUE(clocks_.words().any_carries_time(tid & ~Address{15}, 16));

    Thread b = thread(main, 0);
    before(b, numbers().set_tid_address, {0x9000});
    calls_.exited(b);
    EXPECT_TRUE(clocks_.words().any_carries_time(0x9000, 16));
    EXPECT_EQ(clocks_.words().with_time(), 2u);
}

TEST_P(SyncCallsTest, ForkDoesNotGiveItsWordToTheNextThread) {
    Thread main = first();
    before(main, numbers().clone, {0x1200011, 0, 0, 0x6000, 0x6000});  // fork: SETTID and CLEARTID
    after(main, numbers().clone, 4711);
    Thread early{1, ++serial_};
    calls_.created(main, early);
    calls_.exited(early);
    EXPECT_EQ(clocks_.words().with_time(), 0u);
    memory[0x8000] = 0;  // clone3 whose structure cannot be read whole
    before(main, numbers().clone3, {0x8000, 88});
    Thread a{1, ++serial_};
    calls_.created(main, a);
    calls_.exited(a);
    EXPECT_EQ(clocks_.words().with_time(), 0u);
}

TEST_P(SyncCallsTest, CallsThatMayBlock) {
    Thread main = first();
    Thread a = thread(main);
    before(a, numbers().fcntl, {3, 7});  // F_SETLKW
    u64 blocks = 0;
    for (int i = 0; i < 4; ++i) {
        clocks_.runs(main, blocks += rules::kSliceBlocks);
        run(main, 100);
    }
    EXPECT_EQ(clocks_.horizon(), 400u);
    after(a, numbers().fcntl, 0);
    EXPECT_EQ(now(a), 400u);
    before(a, numbers().fcntl, {3, 6});  // F_SETLK
    before(a, numbers().getpid);
    after(a, numbers().getpid, 4711);
    for (int i = 0; i < 4; ++i) {
        clocks_.runs(main, blocks += rules::kSliceBlocks);
        run(main, 100);
    }
    EXPECT_EQ(clocks_.horizon(), 400u) << "these do not block";
    before(a, numbers().nanosleep, {0x9000});
    before(main, numbers().read, {0, 0x5000, 100});
    after(main, numbers().read, 1);
    EXPECT_EQ(now(main), 800u);
    EXPECT_EQ(clocks_.horizon(), 400u) << "a has not had time to come back";
    after(a, numbers().nanosleep, 0);
    EXPECT_EQ(now(a), 400u);
}

TEST_P(SyncCallsTest, YieldIsHandedOn) {
    Thread main = first();
    before(main, numbers().sched_yield);
    after(main, numbers().sched_yield, 0);
    ASSERT_EQ(yielded.size(), 1u);
    EXPECT_EQ(yielded[0], main);
}

// A thread that sleeps in a call for the call's own words waits for none that it looked at before.
TEST_P(SyncCallsTest, SleepsForTheCallsOwnWordsAreNotHandedOn) {
    Thread main = first();
    Thread a = thread(main);
    memory[0x1000] = 0;
    futex_use = FutexUse::Call;
    futex(a, {0x1000, kWait, 0});
    EXPECT_TRUE(yielded.empty());
    run(main, 100);
    futex(main, {0x1000, kWake, 1});
    woken(a);
    EXPECT_EQ(now(a), 100u);
    futex_use = FutexUse::Other;
    futex(a, {0x1000, kWait, 0});
    ASSERT_EQ(yielded.size(), 1u);
    EXPECT_EQ(yielded[0], a);
}

INSTANTIATE_TEST_SUITE_P(Linux, SyncCallsTest, ::testing::Values(Architecture::Amd64, Architecture::Arm64));

}  // namespace
}  // namespace memspy::order
