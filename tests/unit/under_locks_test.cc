// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves: under which lock an object's events come; a lock that is held with others protects no writer.
#include "sharing/under_locks.h"

#include <gtest/gtest.h>

namespace memspy::sharing {
namespace {

constexpr ObjectId kObject{1};
constexpr Address kLock = 0x1000, kOther = 0x2000;

GuardLock at_its_address(Address lock) { return {ObjectId{7}, lock}; }

struct Noted {
    UnderLocks locks;
    void note(replay::LockTaken held, u32 number, bool takes = true) {
        locks.note(kObject, held, number, takes, at_its_address);
    }
    const UnderLocks::LockedEvents& found() { return *locks.find(kObject); }
};

TEST(UnderLocks, TheLockWithMostEvents) {
    Noted noted;
    EXPECT_EQ(noted.locks.find(kObject), nullptr);
    noted.note({kOther, false}, 2);
    for (int i = 0; i < 10; ++i) noted.note({kLock, false}, 2);
    noted.note({}, 3);
    EXPECT_EQ(noted.found().lock, kLock);
    EXPECT_EQ(noted.found().votes, 18u);
    EXPECT_EQ(noted.found().under, 22u);
    EXPECT_EQ(noted.found().events, 25u);
    EXPECT_EQ(noted.locks.lock(kLock).offset, kLock);
    EXPECT_EQ(noted.locks.lock(0x3000).object, ObjectId::None);
}

TEST(UnderLocks, ReadersTogetherOnlyRead) {
    Noted noted;
    noted.note({kLock, true}, 5, false);
    noted.note({kLock, true}, 5, true);
    EXPECT_EQ(noted.found().under, 5u);
    EXPECT_EQ(noted.found().events, 10u);
}

}  // namespace
}  // namespace memspy::sharing
