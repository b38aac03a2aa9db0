// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who was told something from inside a section of a lock comes after it; and the same place may begin anew.
#include "analyses/races/lock_sections.h"

#include <gtest/gtest.h>

namespace memspy::races {
namespace {

constexpr Address kLock = 0x1000, kOther = 0x2000;

// A thread that knows so many parts of strand 3.
auto knowing(u32 parts) {
    return [parts](u32 strand, u32 part) { return strand == 3 && part <= parts; };
}

TEST(LockSections, TellsWhoKnowsItsBeginButNotItsEnd) {
    LockSections sections;
    EXPECT_FALSE(sections.has_told(kLock, knowing(9)));
    sections.ends(kLock, 3, 5, 7);
    EXPECT_FALSE(sections.has_told(kLock, knowing(4))) << "it does not know of the section";
    EXPECT_TRUE(sections.has_told(kLock, knowing(5)));
    EXPECT_TRUE(sections.has_told(kLock, knowing(6)));
    EXPECT_FALSE(sections.has_told(kLock, knowing(7))) << "it knows all of it";
    EXPECT_FALSE(sections.has_told(kOther, knowing(5)));
    sections.ends(kLock, 3, 8, 8);
    EXPECT_TRUE(sections.has_told(kLock, knowing(5))) << "one that told nobody changes nothing";
    sections.ends(kLock, 3, 9, 11);
    EXPECT_TRUE(sections.has_told(kLock, knowing(5))) << "who was told early may come late";
    EXPECT_TRUE(sections.has_told(kLock, knowing(10)));
    for (u32 i = 1; i < 100; ++i) sections.ends(kLock, 3, i * 20, i * 20 + 5);
    EXPECT_TRUE(sections.has_told(kLock, knowing(25 * 20)));
    EXPECT_FALSE(sections.has_told(kLock, knowing(99 * 20 + 5))) << "it knows all of them";
}

TEST(LockSections, MemoryGetsAnotherUse) {
    LockSections sections;
    sections.ends(kLock, 3, 5, 7);
    sections.set_orders_all(kLock, true);
    sections.set_orders_all(kOther, true);
    sections.set_orders_all(kOther, false);
    sections.forget(kLock, 8);
    EXPECT_FALSE(sections.has_told(kLock, knowing(5)));
    EXPECT_FALSE(sections.orders_all(kLock));
    EXPECT_TRUE(sections.was_handed_over(kOther));
}

}  // namespace
}  // namespace memspy::races
