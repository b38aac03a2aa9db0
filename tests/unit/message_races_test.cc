// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that a race of messages is told only of receives that another order of the same messages leaves without
// one, or with a too long one: random receives are run in all orders in which their messages may come. Of those
// that can go wrong most are told. Messages that were sent after a receive had ended are none of its, and nothing
// is known behind a receive that follows from what has come.
#include "analyses/mpi/message_races.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace memspy::mpi {
namespace {

using Receipt = MessageRaces::Receipt;
using Receipts = std::vector<Receipt>;

Receipt receipt(u64 posted, i32 named, i32 from, u64 bytes = 4, u64 room = 4) {
    Receipt made{};
    made.posted = posted;
    made.named = named;
    made.named_tag = -1;
    made.room = room;
    made.context = static_cast<ContextId>(posted);
    made.from = from;
    made.number = static_cast<u32>(posted);
    made.bytes = bytes;
    made.ended = {0, static_cast<u32>(posted)};
    return made;
}

std::vector<MessageRaces::MessageRace> races_of(const Receipts& receipts) {
    MessageRaces all;
    for (const Receipt& one : receipts) all.received(one);
    rt::Vector<MessageRaces::MessageRace> found;
    all.find(found);
    return {found.begin(), found.end()};
}

// Whether the receives from number `at` on may go wrong. Of each sender the first message that fits may come.
bool may_fail(const Receipts& receipts, std::vector<bool>& taken, usize at) {
    if (at == receipts.size()) return false;
    const Receipt& receive = receipts[at];
    bool any = false;
    for (i32 from = 0; from < 4; ++from) {
        usize first = receipts.size();
        for (usize i = 0; i < receipts.size(); ++i)
            if (!taken[i] && receipts[i].from == from && (receive.named < 0 || receive.named == from) &&
                (receive.named_tag < 0 || receive.named_tag == receipts[i].tag) &&
                (first == receipts.size() || receipts[i].number < receipts[first].number))
                first = i;
        if (first == receipts.size()) continue;
        any = true;
        if (receipts[first].bytes > receive.room) return true;
        taken[first] = true;
        const bool fails = may_fail(receipts, taken, at + 1);
        taken[first] = false;
        if (fails) return true;
    }
    return !any;
}

TEST(MessageRacesTest, AreThoseOfAnotherOrder) {
    std::minstd_rand random(3);
    usize told = 0, possible = 0;
    for (int round = 0; round < 3000; ++round) {
        // The receives, and the messages that came to them: in the order of each sender, if the tag fits.
        Receipts receipts;
        const usize count = 2 + random() % 5;
        for (usize i = 0; i < count; ++i) {
            const i32 from = static_cast<i32>(random() % 3);
            Receipt made = receipt(i + 1, random() % 2 == 0 ? -1 : from, from, 4 * (1 + random() % 2), 8);
            made.tag = static_cast<i32>(random() % 2);
            if (random() % 2 == 0) made.named_tag = made.tag;
            if (random() % 2 == 0) made.room = made.bytes;
            receipts.push_back(made);
        }
        std::vector<bool> taken(count);
        const bool fails = may_fail(receipts, taken, 0);
        const bool found = !races_of(receipts).empty();
        ASSERT_TRUE(fails || !found) << round;
        possible += fails;
        told += found;
    }
    EXPECT_GT(possible, 500u);
    EXPECT_GT(told * 10, possible * 8);
}

TEST(MessageRacesTest, NameTheReceives) {
    const auto stuck = races_of({receipt(1, -1, 1), receipt(2, 2, 2)});
    ASSERT_EQ(stuck.size(), 1u);
    EXPECT_EQ(stuck[0].receive.posted, 1u);
    EXPECT_EQ(stuck[0].from, 2);
    EXPECT_EQ(stuck[0].later.posted, 2u);
    EXPECT_FALSE(stuck[0].is_too_long);
    const auto longer = races_of({receipt(1, -1, 1, 4, 4), receipt(2, -1, 2, 8, 8)});
    ASSERT_EQ(longer.size(), 1u);
    EXPECT_TRUE(longer[0].is_too_long);
    EXPECT_TRUE(races_of({receipt(1, -1, 1), receipt(2, -1, 2), receipt(3, -1, 1)}).empty());
}

TEST(MessageRacesTest, HaveNoMessagesFromLater) {
    Receipts receipts{receipt(1, -1, 1), receipt(2, 2, 2)};
    receipts[1].knew_of_us = receipts[0].ended;
    EXPECT_TRUE(races_of(receipts).empty());
}

// The other message may be the one that was probed, whichever came first.
TEST(MessageRacesTest, MayMeetAnotherMessageThanTheProbedOne) {
    for (const u64 first : {4u, 8u}) {
        Receipts receipts{receipt(1, -1, 1, first), receipt(2, -1, 2, 12 - first)};
        for (Receipt& one : receipts) {
            one.room = MessageRaces::kAnyRoom;
            one.has_probed_room = true;
        }
        const auto found = races_of(receipts);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_TRUE(found[0].is_unprobed);
        EXPECT_EQ(found[0].from, 2);
        receipts[1].bytes = first;
        EXPECT_TRUE(races_of(receipts).empty());
    }
}

TEST(MessageRacesTest, CountReceivesThatCouldHaveGotAnotherRank) {
    // Two of one place: the first could have got the message of rank 2, and the second had that of rank 1 to come no more.
    Receipts receipts{receipt(1, -1, 1), receipt(2, -1, 2)};
    receipts[1].context = receipts[0].context;
    const auto open_of = [](const Receipts& all_receipts) {
        MessageRaces all;
        for (const Receipt& one : all_receipts) all.received(one);
        rt::Vector<MessageRaces::OpenReceives> found;
        all.find_open(found);
        return std::vector<MessageRaces::OpenReceives>(found.begin(), found.end());
    };
    std::vector<MessageRaces::OpenReceives> found = open_of(receipts);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].receives, 2u);
    EXPECT_EQ(found[0].open, 1u);
    receipts[1].knew_of_us = receipts[0].ended;  // sent because of the first one
    found = open_of(receipts);
    EXPECT_EQ(found[0].open, 0u);
}

TEST(MessageRacesTest, NameTheReceiveThatTookWhatAnotherWaitsFor) {
    MessageRaces all;
    all.received(receipt(1, -1, 2));
    Receipt left = receipt(9, 0, 1);
    ASSERT_NE(all.taker(2, -1, left), nullptr);
    EXPECT_EQ(all.taker(2, -1, left)->posted, 1u);
    EXPECT_EQ(all.taker(3, -1, left), nullptr);  // nobody took one of rank 3
    EXPECT_EQ(all.taker(1, -1, left), nullptr);  // of the same rank: in order
    left.knew_of_us = {1, 0};
    EXPECT_EQ(all.taker(2, -1, left), nullptr);
}

TEST(MessageRacesTest, EndWhereReceivesFollow) {
    Receipts receipts{receipt(1, -1, 1), receipt(2, 2, 2)};
    receipts[1].follows = true;
    EXPECT_TRUE(races_of(receipts).empty());
}

}  // namespace
}  // namespace memspy::mpi
