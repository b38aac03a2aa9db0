// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a program has made and not freed is listed once for each place; a handle that it has several times is freed
// when it was freed as often; a freed one is known until the library gives it again, for whatever kind of object.
#include "analyses/mpi/objects.h"

#include <gtest/gtest.h>

#include <string>

namespace memspy::mpi {
namespace {

constexpr ContextId kHere{10}, kThere{20}, kFree{30};

MpiObject made_by(MpiObjectKind kind, unsigned long handle, const char* maker) {
    return {kind, handle, maker};
}

std::string left(Objects& objects) {
    std::string all;
    objects.for_each_place([&](const Objects::Made& made) {
        all += std::string(made.maker) + " at " + std::to_string(static_cast<u32>(made.context)) + "; ";
    });
    return all;
}

TEST(MpiObjects, AreListedOnceForEachPlace) {
    Objects objects;
    objects.made(made_by(kMpiType, 1, "contiguous"), kThere);
    objects.made(made_by(kMpiType, 2, "contiguous"), kThere);
    objects.made(made_by(kMpiComm, 1, "dup"), kHere);
    EXPECT_EQ(left(objects), "dup at 10; contiguous at 20; ");
    objects.gone(made_by(kMpiType, 1, nullptr), kFree);
    EXPECT_EQ(left(objects), "dup at 10; contiguous at 20; ");
    objects.gone(made_by(kMpiType, 2, nullptr), kFree);
    objects.gone(made_by(kMpiComm, 1, nullptr), kFree);
    EXPECT_EQ(left(objects), "");
}

TEST(MpiObjects, AreFreedAsOftenAsTheyWereMade) {
    Objects objects;
    objects.made(made_by(kMpiGroup, 5, "group"), kHere);
    objects.made(made_by(kMpiGroup, 5, "group"), kThere);
    objects.gone(made_by(kMpiGroup, 5, nullptr), kFree);
    EXPECT_EQ(objects.find_freed(5), nullptr);
    EXPECT_EQ(left(objects), "group at 10; ");
    objects.gone(made_by(kMpiGroup, 5, nullptr), kFree);
    ASSERT_NE(objects.find_freed(5), nullptr);
    EXPECT_EQ(objects.find_freed(5)->context, kFree);
    EXPECT_EQ(objects.find_freed(5)->made.context, kHere);
}

TEST(MpiObjects, AreNotFreedOnceTheirHandleIsGivenAgain) {
    Objects objects;
    objects.made(made_by(kMpiWindow, 7, "window"), kHere);
    objects.gone(made_by(kMpiWindow, 7, nullptr), kFree);
    objects.made(made_by(kMpiComm, 7, "dup"), kThere);
    EXPECT_EQ(objects.find_freed(7), nullptr) << "another object at the same place";
}

TEST(MpiObjects, ThatAreFoundAgainLive) {
    Objects objects;
    objects.found_again(made_by(kMpiType, 3, ""));
    EXPECT_EQ(left(objects), "") << "one of the language";
    objects.made(made_by(kMpiType, 4, "vector"), kHere);
    objects.gone(made_by(kMpiType, 4, nullptr), kFree);
    objects.found_again(made_by(kMpiType, 4, ""));
    EXPECT_EQ(objects.find_freed(4), nullptr);
    objects.made(made_by(kMpiType, 5, "vector"), kHere);
    objects.found_again(made_by(kMpiType, 5, ""));
    objects.gone(made_by(kMpiType, 5, nullptr), kFree);
    EXPECT_EQ(objects.find_freed(5), nullptr);
    objects.gone(made_by(kMpiType, 5, nullptr), kFree);
    EXPECT_NE(objects.find_freed(5), nullptr);
    EXPECT_EQ(left(objects), "");
}

TEST(MpiObjects, OfWhichNoCallAsksAreForgotten) {
    Objects objects;
    objects.made(made_by(kMpiKey, 9, "key"), kHere);
    objects.gone(made_by(kMpiKey, 9, nullptr), kFree);
    EXPECT_EQ(objects.find_freed(9), nullptr);
}

}  // namespace
}  // namespace memspy::mpi
