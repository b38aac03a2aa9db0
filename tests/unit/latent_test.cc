// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples replayed in other layouts: on lines as they are the events are those of the ownership of lines; what is
// told is what another layout has more, of false sharing, by objects that can move as far as they can.
#include "analyses/contention/latent/latent.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "contention_source.h"

namespace memspy::contention {

using namespace sharing;

namespace {

using lines::LineSample;
using lines::SampledAccess;

constexpr Address kBlock = 0x10000;
constexpr u32 kHeap = 7, kStatic = 8;
constexpr LatentOwners kOwners = {
    .owner =
        [](Address a) {
            const Address begin = a & ~Address{0xfff};
            return Extent{begin, begin + 0x1000, ObjectId{begin == kBlock ? kHeap : kStatic}, begin};
        },
    .can_move = [](ObjectId object) { return object == ObjectId{kHeap}; }};

// Each thread in turn stores to its bytes of each round, `apart` behind those of the one before.
void add_turns(LineSample& sample, Address begin, u32 apart, u16 bytes, u32 threads = 4, u32 rounds = 100) {
    for (u32 i = 0; i < rounds * threads; ++i)
        sample.accesses.push_back({.time = 100 * i,
                                   .begin = begin + u64{i % threads} * apart,
                                   .thread = i % threads + 1,
                                   .bytes = bytes,
                                   .loads = true,
                                   .stores = true});
    sample.length = 100 * rounds * threads;
    sample.stands_for = 10 * sample.length;
}

struct Told {
    rt::Vector<LatentFinding> findings;
    rt::Vector<ObjectId> members;

    explicit Told(u64 instructions, bool (*is_told)(ObjectId, void*) = [](ObjectId, void*) { return true; }) {
        find_latent({.threshold = 10'000, .floor = 1'000, .instructions = instructions, .is_told = is_told}, findings,
                    members);
    }
};

class Latent : public testing::Test {
protected:
    void SetUp() override { forget_samples(); }
    void TearDown() override { forget_samples(); }
};

TEST_F(Latent, OnLinesAsTheyAreTheEventsAreThoseOfOwnership) {
    std::mt19937 random(3);
    for (u32 round = 0; round < 200; ++round) {
        TestLine line;
        rt::Vector<OwnedAccess> accesses;
        for (u32 i = 0; i < 60; ++i) {
            const u32 by = static_cast<u32>(random() % 3), first = static_cast<u32>(random() % 7) * 8;
            const bool stores = random() % 3 == 0, loads = !stores || random() % 2 == 0;
            line(Step{thread(by), access(first, 8, loads, stores)});
            accesses.push_back({.access = {.time = 100 * i,
                                           .begin = kBlock + first,
                                           .thread = by + 1,
                                           .bytes = 8,
                                           .loads = loads,
                                           .stores = stores}});
        }
        rt::Vector<LatentPair> pairs;
        replay(accesses, {.line_bytes = 64}, pairs);
        ASSERT_EQ(pairs.size(), 1u);
        EXPECT_EQ(pairs[0].counts.misses, line.counts.coherence_misses);
        EXPECT_EQ(pairs[0].counts.invalidations, line.counts.invalidations);
    }
}

TEST_F(Latent, ALoadBringsTheLineForItsStore) {
    rt::Vector<OwnedAccess> accesses;
    for (u32 i = 0; i < 40; ++i)
        for (u32 step = 0; step < 2; ++step)
            accesses.push_back({.access = {.time = 10 * i / 2 * 2 + i % 2 + 4 * step,
                                           .begin = kBlock + 8 * (i % 2),
                                           .thread = i % 2 + 1,
                                           .bytes = 8,
                                           .loads = step == 0,
                                           .stores = step == 1}});
    rt::Vector<LatentPair> pairs;
    replay(accesses, {.line_bytes = 64}, pairs);
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].counts.misses, 38u) << "one for each pair, but for the first touches";
}

TEST_F(Latent, NeighboursMeetOnLinesOf128Bytes) {
    LineSample sample;
    add_turns(sample, kBlock, 64, 8);
    EXPECT_TRUE(note_sample(sample, kOwners));
    const Told told(1'000'000);
    ASSERT_EQ(told.findings.size(), 1u);
    EXPECT_EQ(told.findings[0].line_bytes, 128u);
    EXPECT_EQ(told.findings[0].moved, 0u);
    EXPECT_NEAR(static_cast<double>(told.findings[0].events), 2 * 4'000, 200) << "a miss and an invalidation each";
    ASSERT_EQ(told.findings[0].members, 1u);
    EXPECT_EQ(told.members[0], ObjectId{kHeap});
}

TEST_F(Latent, WhoFillsALineMeetsOthersIfTheBlockMoves) {
    LineSample sample;
    add_turns(sample, kBlock, 64, 64);
    note_sample(sample, kOwners);
    const Told told(1'000'000);
    ASSERT_EQ(told.findings.size(), 2u);
    for (const LatentFinding& finding : told.findings) EXPECT_TRUE(finding.line_bytes == 128 || finding.moved != 0);
}

TEST_F(Latent, WhatCannotMoveDoesNot) {
    LineSample sample;
    add_turns(sample, kBlock + 0x1000, 64, 64);
    note_sample(sample, kOwners);
    for (const LatentFinding& finding : Told(1'000'000).findings) EXPECT_EQ(finding.moved, 0u);
}

TEST_F(Latent, NothingIsToldOfThatWhichIsFarApart) {
    LineSample sample;
    add_turns(sample, kBlock, 192 + 64, 48);
    EXPECT_FALSE(note_sample(sample, kOwners)) << "no more samples are needed";
    EXPECT_TRUE(Told(1'000'000).findings.empty());
}

TEST_F(Latent, WhatThePresentLayoutHasIsNotLatent) {
    LineSample sample;
    add_turns(sample, kBlock, 8, 8);
    note_sample(sample, kOwners);
    EXPECT_TRUE(Told(1'000'000).findings.empty());
}

TEST_F(Latent, FewEventsForSoMuchWorkAreNone) {
    LineSample sample;
    add_turns(sample, kBlock, 64, 8);
    note_sample(sample, kOwners);
    EXPECT_TRUE(Told(1'000'000'000).findings.empty());
}

TEST_F(Latent, WhatOthersTellOfIsLeftToThem) {
    LineSample sample;
    add_turns(sample, kBlock, 64, 8);
    note_sample(sample, kOwners);
    EXPECT_TRUE(Told(1'000'000, [](ObjectId, void*) { return false; }).findings.empty());
}

}  // namespace
}  // namespace memspy::contention
