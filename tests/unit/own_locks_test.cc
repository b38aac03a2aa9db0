// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which words are locks of the program's own: test-and-set locks, given by plain stores or, once another thread has
// tried in vain, by atomic operations. Counters, reference counts, barriers and flags are none.
#include "analyses/contention/own_locks.h"

#include <gtest/gtest.h>

namespace memspy::contention {
namespace {

using Use = OwnLocks::LockUse;
constexpr Address kWord = 0x1000, kTake = 0x400, kGive = 0x500;

struct Words {
    OwnLocks locks;
    Use update(u32 t, Address code, bool observed = true) { return locks.update(t, kWord, code, observed); }
    Use store(u32 t) { return locks.store(t, kWord); }
};

TEST(OwnLocks, GivenByPlainStores) {
    Words w;
    for (u32 i = 0; i < 3; ++i) {
        EXPECT_EQ(w.update(2, kTake, false), Use::None);  // nothing is learnt here
        w.update(2, kTake);
        w.store(2);
    }
    EXPECT_FALSE(w.locks.is_new());  // one thread only
    w.update(3, kTake);
    EXPECT_EQ(w.store(3), Use::Give);
    EXPECT_TRUE(w.locks.is_new());
    EXPECT_FALSE(w.locks.is_new());
    EXPECT_EQ(w.update(2, kTake), Use::Take);
    EXPECT_TRUE(w.locks.is_held(3, kWord));
    EXPECT_FALSE(w.locks.is_held(2, kWord));
    EXPECT_EQ(w.update(3, kTake + 8), Use::Attempt);
    EXPECT_EQ(w.store(2), Use::Give);
    EXPECT_EQ(w.update(3, kTake), Use::Take);
    EXPECT_EQ(w.store(2), Use::NoLock);  // what is not held is given
    EXPECT_EQ(w.update(2, kTake), Use::None);
}

// The line is first observed while the lock is held: takes and gives are told apart when another thread tries.
TEST(OwnLocks, GivenByUpdates) {
    Words w;
    for (u32 i = 0; i < 6; ++i) {
        w.update(2, kGive);
        w.update(2, kTake);
    }
    EXPECT_FALSE(w.locks.is_new());  // may be a reference count
    for (u32 i = 0; i < 3; ++i) EXPECT_EQ(w.update(3, kTake), Use::None);
    w.update(2, kGive);
    for (u32 i = 0; i < 4; ++i) {
        w.update(3, kTake);
        w.update(3, kGive);
    }
    EXPECT_TRUE(w.locks.is_new());
    EXPECT_EQ(w.update(2, kTake), Use::Take);
    EXPECT_EQ(w.update(3, kTake), Use::Attempt);
    EXPECT_EQ(w.update(2, kGive), Use::Give);
}

TEST(OwnLocks, OthersAreNone) {
    Words counter;
    for (u32 i = 0; i < 40; ++i) EXPECT_EQ(counter.update(2 + i / 10, kTake), Use::None);
    EXPECT_FALSE(counter.locks.is_followed(kWord));
    Words references;  // two threads have one at the same time
    for (u32 i = 0; i < 10; ++i) {
        references.update(2, kTake);
        references.update(3, kTake);
        references.update(3, kGive);
        references.update(2, kGive);
    }
    EXPECT_FALSE(references.locks.is_followed(kWord));
    Words barrier;  // the last to arrive resets it
    for (u32 i = 0; i < 10; ++i) {
        barrier.update(2, kTake);
        barrier.update(3, kTake);
        barrier.store(3);
    }
    EXPECT_FALSE(barrier.locks.is_followed(kWord));
    Words flag;  // one thread sets it, the other clears it
    for (u32 i = 0; i < 10; ++i) {
        flag.update(2, kTake);
        flag.store(3);
    }
    EXPECT_FALSE(flag.locks.is_followed(kWord));
}

}  // namespace
}  // namespace memspy::contention
