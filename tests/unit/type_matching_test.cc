// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that signatures are equal exactly if the sequences of elements are, however they are put together; and
// that each message is compared with that which its sender sent, in the order in which MPI matches them, and
// none where that order is not certain.
#include "analyses/mpi/type_matching.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace memspy::mpi {
namespace {

MpiSignature element(u64 kind) { return {mpi_product(kind, kMpiBase), 1}; }
MpiSignature of(const std::vector<int>& kinds) {
    MpiSignature all{0, 0};
    for (int kind : kinds) all = mpi_joined(all, element(static_cast<u64>(kind)));
    return all;
}
bool equal(const MpiSignature& a, const MpiSignature& b) { return a.hash == b.hash && a.length == b.length; }

TEST(SignatureTest, DependsOnTheSequenceOnly) {
    std::minstd_rand random(1);
    for (int round = 0; round < 2000; ++round) {
        std::vector<int> one, all;
        for (auto i = random() % 5; i > 0; --i) one.push_back(1 + static_cast<int>(random() % 3));
        const auto times = random() % 9;
        for (auto i = times; i > 0; --i) all.insert(all.end(), one.begin(), one.end());
        EXPECT_TRUE(equal(mpi_repeated(of(one), times), of(all)));
        if (all.size() < 2) continue;
        const std::size_t cut = random() % all.size();
        const std::vector<int> first(all.begin(), all.begin() + static_cast<long>(cut)),
            rest(all.begin() + static_cast<long>(cut), all.end());
        EXPECT_TRUE(equal(mpi_joined(of(first), of(rest)), of(all)));
        std::vector<int> other = all;
        other[cut] = 4;
        EXPECT_FALSE(equal(of(other), of(all)));
    }
    EXPECT_FALSE(equal(of({1, 2}), of({2, 1})));
}

TEST(SignatureTest, OfAReceiveIsThatOfTheElementsThatArrived) {
    const MpiTypes types{.element = of({1, 2}), .bytes = 12, .count = 10};
    EXPECT_TRUE(equal(signature_of(types, 24), of({1, 2, 1, 2})));
    EXPECT_EQ(signature_of(types, 20).length, 0u);  // in the middle of an element
    EXPECT_EQ(signature_of(MpiTypes{}, 4).length, 0u);
}

class TypeMatchingTest : public testing::Test {
protected:
    static constexpr i32 kSender = 3, kReceiver = 5;
    void sends(u64 way, u32 row, int kind, u32 thread = 1) {
        sender.sent({.way = way, .peer = kReceiver, .row = row, .thread = thread, .types = of({kind})});
    }
    void receives(u64 way, u32 row, u64 posted, int kind, u32 thread = 1) {
        receiver.received({.way = way,
                           .peer = kSender,
                           .row = row,
                           .thread = thread,
                           .posted = posted,
                           .types = kind == 0 ? MpiSignature{0, 0} : of({kind})});
    }
    // "row<-row of the sender" of each pair of calls that is found.
    std::string found() {
        rt::Vector<TypeMatching::CallLabel> places;
        for (int i = 0; i < 10; ++i) {
            TypeMatching::CallLabel place{};
            snprintf(place.text, sizeof place.text, "%d", i);
            places.push_back(place);
        }
        rt::Vector<u8> letter;
        sender.write_letter(kReceiver, places, letter);
        rt::Vector<TypeMatching::Mismatch> mismatches;
        receiver.compare(kSender, letter.data(), letter.size(), mismatches);
        std::string text;
        for (const TypeMatching::Mismatch& mismatch : mismatches)
            text += std::to_string(mismatch.row) + "<-" + mismatch.sender.text + " ";
        return text;
    }
    TypeMatching sender, receiver;
};

TEST_F(TypeMatchingTest, MessagesMatchInTheOrderOfPostingWithinTheirWay) {
    sends(1, 1, 10);
    sends(2, 2, 30);
    sends(1, 3, 20);
    receives(1, 5, 200, 20);  // completed first, posted last
    receives(1, 4, 100, 10);
    receives(2, 6, 150, 30);
    EXPECT_EQ(found(), "");
}

TEST_F(TypeMatchingTest, EachPairOfCallsIsFoundOnce) {
    for (u64 i = 0; i < 3; ++i) {
        sends(1, 1, 10);
        receives(1, 4, i, 20);
    }
    sends(1, 2, 10);
    receives(1, 4, 9, 20);
    EXPECT_EQ(found(), "4<-1 4<-2 ");
}

TEST_F(TypeMatchingTest, WhatIsNotKnownIsEqualToAll) {
    sends(1, 1, 10);
    receives(1, 4, 1, 0);
    sends(1, 2, 10);  // was not received
    EXPECT_EQ(found(), "");
}

TEST_F(TypeMatchingTest, SeveralThreadsOfOneWayHaveNoCertainOrder) {
    sends(1, 1, 10);
    sends(1, 1, 20);
    receives(1, 4, 1, 20, 1);
    receives(1, 4, 2, 10, 2);
    sends(2, 2, 10, 1);
    sends(2, 2, 20, 2);
    receives(2, 5, 3, 20);
    receives(2, 5, 4, 10);
    sends(3, 3, 10);
    receives(3, 6, 5, 20);
    EXPECT_EQ(found(), "6<-3 ");
}

TEST_F(TypeMatchingTest, AfterALostMessageNothingIsCompared) {
    sends(1, 1, 10);
    receives(1, 4, 1, 20);
    receiver.lost_one();
    EXPECT_EQ(found(), "");
}

TEST_F(TypeMatchingTest, ABrokenLetterIsIgnored) {
    sends(1, 1, 10);
    receives(1, 4, 1, 20);
    rt::Vector<u8> letter;
    sender.write_letter(kReceiver, rt::Vector<TypeMatching::CallLabel>{}, letter);
    rt::Vector<TypeMatching::Mismatch> mismatches;
    for (usize bytes = 0; bytes <= letter.size(); ++bytes)
        receiver.compare(kSender, letter.data(), bytes, mismatches);
    EXPECT_EQ(mismatches.size(), 0u);  // it has no places
}

}  // namespace
}  // namespace memspy::mpi
