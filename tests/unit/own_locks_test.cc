// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which words are locks of the program's own: test-and-set locks, given by plain stores or, once another thread has
// tried in vain, by atomic operations. Counters, reference counts, barriers and flags are none.
#include "sync/own_locks.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>

namespace memspy::sync {
namespace {

using Use = OwnLocks::LockUse;
constexpr Address kWord = 0x1000, kTake = 0x400, kGive = 0x500;

struct Lock {
    SyncWords words;
    OwnLocks locks;
    Lock() { locks.use(words); }
    log::UpdateKind kind = log::UpdateKind::Compute;
    Use update(u32 t, Address code, bool observed = true, log::WordChange change = {}) {
        return locks.update(t, kWord, code, kind, observed, change).use;
    }
    Use store(u32 t) { return locks.store(t, kWord).use; }
};

TEST(OwnLocks, GivenByPlainStores) {
    Lock w;
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
    Lock w;
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
    Lock counter;
    counter.kind = log::UpdateKind::Add;
    for (u32 i = 0; i < 40; ++i) EXPECT_EQ(counter.update(2 + i / 10, kTake), Use::None);
    EXPECT_FALSE(counter.locks.is_followed(kWord));
    Lock references;  // two threads have one at the same time
    references.kind = log::UpdateKind::Add;
    for (u32 i = 0; i < 10; ++i) {
        references.update(2, kTake);
        references.update(3, kTake);
        references.update(3, kGive);
        references.update(2, kGive);
    }
    EXPECT_FALSE(references.locks.is_followed(kWord));
    Lock copies;  // a thread makes and drops many while another one has one
    copies.kind = log::UpdateKind::Add;
    for (u32 i = 0; i < 10; ++i) {
        copies.update(3 - i % 2, kTake);
        copies.update(2 + i % 2, kTake);
        copies.update(3 - i % 2, kGive);
        for (u32 k = 0; k < 10; ++k) {
            copies.update(2 + i % 2, kGive);
            copies.update(2 + i % 2, kTake);
        }
        copies.update(2 + i % 2, kGive);
        EXPECT_FALSE(copies.locks.is_new());
    }
    EXPECT_FALSE(copies.locks.is_held(4, kWord));
    Lock barrier;  // the last to arrive resets it
    for (u32 i = 0; i < 10; ++i) {
        barrier.update(2, kTake);
        barrier.update(3, kTake);
        barrier.store(3);
    }
    EXPECT_FALSE(barrier.locks.is_followed(kWord));
    Lock flag;  // one thread sets it, the other clears it
    for (u32 i = 0; i < 10; ++i) {
        flag.update(2, kTake);
        flag.store(3);
    }
    EXPECT_FALSE(flag.locks.is_followed(kWord));
}

constexpr log::WordChange kNone{1, 1}, kFrees{1, 0}, kTakes{0, 1};

// Threads that spin are seen first: they change nothing, so they hold nothing, however often they try.
TEST(OwnLocks, HolderNotKnown) {
    Lock w;
    for (u32 i = 0; i < 100; ++i) EXPECT_EQ(w.update(3 + i % 2, kTake, true, kNone), Use::None);
    EXPECT_FALSE(w.locks.is_in(3, kWord));
    for (u32 i = 0; i < 5; ++i) {
        w.update(2 + i % 2, kTake, true, kTakes);
        w.update(3 - i % 2, kTake, true, kNone);
        w.update(2 + i % 2, kGive, true, kFrees);
    }
    EXPECT_TRUE(w.locks.is_new());
    EXPECT_EQ(w.update(2, kTake, true, kTakes), Use::Take);
    EXPECT_EQ(w.update(3, kTake, true, kNone), Use::Attempt);
    EXPECT_TRUE(w.locks.takes(kWord, kTake));
    EXPECT_FALSE(w.locks.takes(kWord, kGive));
}

// Who polled a word and then updated it has waited for it: one turn is enough.
TEST(OwnLocks, WaitedFor) {
    Lock w;
    w.words.become(kWord, w.words.at(kWord), WordState::Mutex);
    w.update(2, kTake, true, kTakes);
    w.store(2);
    EXPECT_FALSE(w.locks.is_new());  // one thread only
    w.update(3, kTake, true, kTakes);
    EXPECT_EQ(w.store(3), Use::Give);
    EXPECT_TRUE(w.locks.is_new());
}

// A word that is never again what it was is no lock: a list, or a number.
TEST(OwnLocks, FreeHasOneValue) {
    Lock w;
    w.kind = log::UpdateKind::Replace;
    for (u32 i = 0; i < 40; ++i) {
        w.update(2 + i % 2, kTake, true, {2 * i, 2 * i + 1});
        w.update(2 + i % 2, kGive, true, {2 * i + 1, 2 * i + 2});
    }
    EXPECT_FALSE(w.locks.is_new());
}

// The line became shared while the lock was held: the first thing seen is that another thread tries to take it, or marks it
// as waited for.
TEST(OwnLocks, FirstSeenWhileHeld) {
    using log::UpdateKind;
    for (const UpdateKind take : {UpdateKind::Other, UpdateKind::Replace}) {
        SyncWords words;
        OwnLocks locks;
        locks.use(words);
        locks.update(3, kWord, take == UpdateKind::Replace ? kTake : kTake + 0x200, UpdateKind::Replace, true, {});
        locks.update(2, kWord, kGive, UpdateKind::Replace, true, {});
        for (u32 turn = 0; turn < 8; ++turn) {
            const u32 t = 2 + turn / 4;
            locks.update(t, kWord, kTake, take, true, {});
            locks.update(t, kWord, kGive, UpdateKind::Replace, true, {});
        }
        EXPECT_TRUE(locks.is_new());
        EXPECT_TRUE(locks.takes(kWord, kTake));
        EXPECT_FALSE(locks.takes(kWord, kGive));
    }
}

// Given by an exchange, or taken by comparisons and given by a subtraction: no thread need try in vain.
TEST(OwnLocks, GivenByOtherUpdates) {
    using log::UpdateKind;
    const auto is_lock = [](UpdateKind take, UpdateKind give) {
        SyncWords words;
        OwnLocks locks;
        locks.use(words);
        locks.update(2, kWord, kTake, take, false, {});
        for (u32 turn = 0; turn < 8; ++turn) {
            locks.update(2 + turn / 4, kWord, kTake, take, true, {});
            locks.update(2 + turn / 4, kWord, kGive, give, true, {});
        }
        return locks.is_new();
    };
    EXPECT_TRUE(is_lock(UpdateKind::Replace, UpdateKind::Replace));
    EXPECT_TRUE(is_lock(UpdateKind::Other, UpdateKind::Replace));
    EXPECT_TRUE(is_lock(UpdateKind::Other, UpdateKind::Add));
    EXPECT_FALSE(is_lock(UpdateKind::Add, UpdateKind::Add));          // a reference count
    EXPECT_FALSE(is_lock(UpdateKind::Other, UpdateKind::Other));      // a list
    EXPECT_FALSE(is_lock(UpdateKind::Compute, UpdateKind::Compute));  // a set of bits
}

// Tickets, and a display of the one whose turn it is.
struct Tickets {
    static constexpr Address kDisplay = 0x2000;
    SyncWords words;
    OwnLocks locks;
    Tickets() { locks.use(words); }
    OwnLocks::LockAct ask(u32 t, bool looks = true) {
        const OwnLocks::LockAct found = locks.update(t, kWord, kTake, log::UpdateKind::Add, true, {});
        if (looks && locks.has_asked(t)) locks.load(t, kDisplay);
        return found;
    }
    OwnLocks::LockAct give(u32 t) { return locks.store(t, kDisplay); }
};

TEST(OwnLocks, TicketsInTurn) {
    Tickets lock;
    for (u32 turn = 0; turn < 4; ++turn) {
        lock.ask(2 + turn / 2);
        lock.give(2 + turn / 2);
    }
    EXPECT_TRUE(lock.locks.is_new());
    EXPECT_EQ(lock.locks.display_of(kWord), Tickets::kDisplay);
    for (u32 t : {2, 3, 4}) EXPECT_EQ(lock.ask(t).use, Use::Take);
    EXPECT_TRUE(lock.locks.is_held(3, Tickets::kDisplay));
    EXPECT_TRUE(lock.locks.is_in(4, kWord));
    for (u32 t : {2, 3, 4}) {
        const OwnLocks::LockAct found = lock.give(t);
        EXPECT_EQ(found.use, Use::Give);
        EXPECT_EQ(found.lock, kWord);
    }
    EXPECT_FALSE(lock.locks.is_in(4, kWord));
    lock.ask(2);
    EXPECT_EQ(lock.give(3).use, Use::NoLock);
}

// A lock that is never free: the first tickets were taken before the line was observed.
TEST(OwnLocks, TicketsFromBefore) {
    Tickets lock;
    lock.ask(2);
    for (u32 turn = 0; turn < 6; ++turn) {
        const u32 t = 2 + (turn + 1) % 3;  // 3 and 4 took theirs before
        EXPECT_NE(lock.give(t).use, Use::NoLock);
        lock.ask(t);
    }
    EXPECT_TRUE(lock.locks.is_new());
    EXPECT_TRUE(lock.locks.is_held(4, Tickets::kDisplay));
    EXPECT_EQ(lock.give(3).use, Use::Give);
}

// Turns are given by updates: an exchange, where the order of a store is not known to the compiler, or a sum.
TEST(OwnLocks, TicketsGivenByUpdates) {
    Tickets lock;
    const auto give = [&](u32 t) {
        return lock.locks.update(t, Tickets::kDisplay, kGive, log::UpdateKind::Replace, true, {}).use;
    };
    for (u32 turn = 0; turn < 6; ++turn) {
        lock.ask(2 + turn % 2);
        give(2 + turn % 2);
    }
    EXPECT_TRUE(lock.locks.is_new());
    lock.ask(2);
    lock.ask(3);
    EXPECT_TRUE(lock.locks.is_held(3, Tickets::kDisplay));
    EXPECT_EQ(give(2), Use::Give);
    EXPECT_FALSE(lock.locks.is_held(3, Tickets::kDisplay));
}

// What looked like the wrong word's display can be another's later.
TEST(OwnLocks, DisplayIsKnownAgain) {
    Tickets lock;
    for (u32 i = 0; i < 2; ++i) lock.ask(2);  // the second one shows that the first was no lock
    EXPECT_EQ(lock.locks.display_of(kWord), kWord);
    for (u32 turn = 0; turn < 6; ++turn) {
        lock.ask(2 + turn % 2);
        lock.give(2 + turn % 2);
    }
    EXPECT_TRUE(lock.locks.is_new());
    EXPECT_EQ(lock.locks.display_of(kWord), Tickets::kDisplay);
}

// Memory is freed and used again for other words, while threads use what is left as they like: a lock and its
// display name each other at any time, or neither does.
TEST(OwnLocks, LocksAndDisplaysStayPairs) {
    using log::UpdateKind;
    constexpr Address kWords[] = {0x1000, 0x1008, 0x1040, 0x2000, 0x2008, 0x3000};
    constexpr UpdateKind kKinds[] = {UpdateKind::Add, UpdateKind::Add, UpdateKind::Compute, UpdateKind::Replace,
                                     UpdateKind::Other};
    std::mt19937 random(1);
    const auto pick = [&](const auto& of) { return of[random() % std::size(of)]; };
    u32 pairs = 0;
    for (u32 run = 0; run < 200; ++run) {
        SyncWords words;
        OwnLocks locks;
        locks.use(words);
        for (u32 step = 0; step < 300; ++step) {
            const u32 t = 2 + static_cast<u32>(random() % 3);
            const Address word = pick(kWords);
            switch (random() % 8) {
            case 0: words.forget(word, 8), locks.forget(word, 8); break;
            case 1:
            case 2: locks.store(t, word); break;
            case 3:
            case 4:
                if (locks.has_asked(t)) locks.load(t, word);
                break;
            default: locks.update(t, word, kTake + random() % 3, pick(kKinds), true, {});
            }
            for (const Address a : kWords) {
                const SyncWord* const known = words.find(a);
                if (known == nullptr) continue;
                if (known->shows != 0) {
                    ++pairs;
                    const SyncWord* const lock = words.find(known->shows);
                    ASSERT_TRUE(lock != nullptr && lock->lock != nullptr);
                    ASSERT_EQ(lock->lock->display, a);
                }
                if (known->lock == nullptr || known->lock->display == 0) continue;
                const SyncWord* const display = words.find(known->lock->display);
                ASSERT_NE(display, nullptr);
                ASSERT_EQ(display->shows, a);
            }
        }
    }
    EXPECT_GT(pairs, 1000u);
}

TEST(OwnLocks, OtherSumsAreNoTickets) {
    Tickets barrier;  // the last one to arrive sets the display
    for (u32 i = 0; i < 10; ++i) {
        for (u32 t : {2, 3, 4}) barrier.ask(t);
        barrier.give(4);
    }
    EXPECT_FALSE(barrier.locks.is_followed(kWord));
    Tickets numbers;  // nothing is ever given
    for (u32 i = 0; i < 40; ++i) numbers.ask(2 + i / 10);
    EXPECT_FALSE(numbers.locks.is_followed(kWord));
    Lock mutex;  // who finds it taken adds again later
    const auto take = [&](u32 t) {
        return mutex.locks.update(t, kWord, kTake, log::UpdateKind::Add, true, {}).use;
    };
    for (u32 i = 0; i < 20; ++i) {
        for (u32 t : {2, 3}) take(t);
        mutex.store(2);
        take(3);
        mutex.store(3);
    }
    EXPECT_TRUE(mutex.locks.is_new());
    EXPECT_EQ(take(2), Use::Take);
    EXPECT_EQ(take(3), Use::Attempt);
}

// Counters look like ticket locks at first: a thread has a ticket of the last one only, and none of memory that is gone.
TEST(OwnLocks, OldTicketsAreVoid) {
    SyncWords words;
    OwnLocks locks;
    locks.use(words);
    const auto add = [&](u32 t, Address word) { locks.update(t, word, kTake, log::UpdateKind::Add, true, {}); };
    for (Address word = kWord; word < kWord + 64; word += 8) {
        add(2, word);
        add(3, word);
        EXPECT_TRUE(locks.is_in(3, word));
        EXPECT_FALSE(locks.is_in(3, word - 8));
    }
    words.forget(kWord, 64);
    locks.forget(kWord, 64);
    EXPECT_FALSE(locks.is_in(3, kWord + 56));
}

}  // namespace
}  // namespace memspy::sync
