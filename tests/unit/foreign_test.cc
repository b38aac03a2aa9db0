// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks that the client describes are found as in a plain list, nested ones innermost first, and a hundred
// thousand of them do not slow each other down.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "heap/heap.h"
#include "heap_source.h"

namespace memspy::heap {
namespace {

class ForeignTest : public testing::Test {
protected:
    void SetUp() override { initialise({}, kFakeSource); }
    void TearDown() override {
        reset();
        EXPECT_TRUE(chunks.empty());
    }
};

Block* add(Address payload, usize size, usize red_zone = 0, AllocKind kind = AllocKind::Foreign) {
    return add_foreign(payload, size, kind, context(1), 1, red_zone);
}

// Blocks side by side, in random order, against a list.
TEST_F(ForeignTest, BehavesAsModel) {
    constexpr Address kBase = 0x7000'0000;
    constexpr usize kSlots = 400, kSlot = 64;
    std::mt19937_64 random(1);
    std::vector<Block*> live(kSlots), freed(kSlots);
    usize live_bytes = 0, live_blocks = 0;
    for (int round = 0; round < 40'000; ++round) {
        usize slot = random() % kSlots;
        Address payload = kBase + slot * kSlot + 8;
        if (live[slot] == nullptr) {
            usize size = random() % 48 + 1;
            live[slot] = add(payload, size, 8, AllocKind::Foreign);
            freed[slot] = nullptr;
            live_bytes += size;
            ++live_blocks;
        } else if (random() % 4 == 0) {
            usize size = random() % 48 + 1;
            live_bytes += size - live[slot]->size;
            ASSERT_TRUE(resize_in_place(*live[slot], size));
        } else {
            live_bytes -= live[slot]->size;
            --live_blocks;
            if (random() % 3 == 0) {
                forget_foreign(*live[slot]);
            } else {
                free_foreign(*live[slot], context(2));
                freed[slot] = live[slot];
            }
            live[slot] = nullptr;
        }
        usize probe = random() % kSlots;
        payload = kBase + probe * kSlot + 8;
        ASSERT_EQ(find_live(payload), live[probe]);
        ASSERT_EQ(find_foreign(payload, AllocKind::Foreign), live[probe]);
        ASSERT_EQ(find_foreign(payload, AllocKind::Pool), nullptr);
        ASSERT_EQ(find_freed(payload), freed[probe]);
        Address a = kBase + probe * kSlot + random() % kSlot;
        Block* here = live[probe] != nullptr ? live[probe] : freed[probe];
        if (here != nullptr && a >= here->payload + here->size + 8) here = nullptr;
        ASSERT_EQ(find_near(a), here) << "slot " << probe << " offset " << a - kBase - probe * kSlot;
        ASSERT_EQ(totals().live_bytes, live_bytes);
        ASSERT_EQ(totals().live_blocks, live_blocks);
        if (round % 1000 == 0) {
            std::vector<Block*> seen, wanted;
            for_each_live(
                [](Block& block, void* list) { static_cast<std::vector<Block*>*>(list)->push_back(&block); }, &seen);
            std::copy_if(live.begin(), live.end(), std::back_inserter(wanted), [](Block* b) { return b != nullptr; });
            ASSERT_EQ(seen, wanted);
        }
    }
}

// Blocks of any size and place: any result of find_near touches the address, and there is a result whenever a
// block of the list touches it; a block whose payload holds the address precedes one that is only near.
TEST_F(ForeignTest, OverlappingBlocks) {
    std::mt19937_64 random(2);
    std::vector<Block*> blocks;
    constexpr usize kZone = 16;
    for (int round = 0; round < 5'000; ++round) {
        if (blocks.size() < 60 && random() % 2) {
            Address payload = 0x7000'0000 + random() % 4'000;
            blocks.push_back(add(payload, random() % (random() % 4 ? 100 : 3'000) + 1, kZone));
        } else if (!blocks.empty()) {
            usize i = random() % blocks.size();
            forget_foreign(*blocks[i]);
            blocks[i] = blocks.back();
            blocks.pop_back();
        }
        Address a = 0x7000'0000 + random() % 4'000;
        usize holding = 0, touching = 0, smallest = ~usize{0};
        for (Block* block : blocks) {
            touching += a >= block->payload - kZone && a < block->payload + block->size + kZone;
            if (!block->contains(a)) continue;
            ++holding;
            smallest = std::min(smallest, block->size);
        }
        Block* near = find_near(a);
        ASSERT_EQ(near != nullptr, touching != 0);
        if (near == nullptr) continue;
        ASSERT_TRUE(std::find(blocks.begin(), blocks.end(), near) != blocks.end());
        ASSERT_TRUE(a >= near->payload - kZone && a < near->payload + near->size + kZone);
        if (holding == touching) {
            ASSERT_LE(near->size, smallest);
        }
    }
}

// A pool's blocks are in use as parts of the pool only; a move is neither an allocation nor a free.
TEST_F(ForeignTest, PoolsAndMovesInTotals) {
    constexpr Address kBase = 0x7000'0000;
    Block* outer = add(kBase, 1000, 8, AllocKind::Foreign);
    Block* inner = add(kBase + 100, 50, 8, AllocKind::Pool);
    EXPECT_EQ(totals().live_blocks, 1u);
    EXPECT_EQ(totals().live_bytes, 1000u);
    EXPECT_EQ(totals().allocations, 2u);
    inner = move_foreign(*inner, kBase + 200, 60, 8);
    outer = move_foreign(*outer, kBase, 900, 8);
    EXPECT_EQ(find_foreign(kBase + 200, AllocKind::Pool), inner);
    EXPECT_EQ(find_live(kBase + 100), nullptr);
    EXPECT_EQ(totals().live_bytes, 900u);
    EXPECT_EQ(totals().allocations, 2u);
    EXPECT_EQ(totals().frees, 0u);
    free_foreign(*inner, context(2));
    free_foreign(*outer, context(2));
    EXPECT_EQ(totals().live_blocks, 0u);
    EXPECT_EQ(totals().live_bytes, 0u);
    EXPECT_EQ(totals().frees, 2u);
}

// A pool in a heap block, elements in the pool: each is found by its own address, the innermost describes it.
TEST_F(ForeignTest, NestedPools) {
    Block* super = allocate(10'000, 16, AllocKind::Malloc, context(1), 1, false);
    Address base = super->payload;
    Block* pool = add(base, 8'000, 0, AllocKind::Foreign);
    Block* first = add(base, 100, 8, AllocKind::Pool);
    Block* second = add(base + 200, 100, 8, AllocKind::Pool);
    EXPECT_EQ(find_live(base), super);
    EXPECT_EQ(find_foreign(base, AllocKind::Foreign), pool);
    EXPECT_EQ(find_foreign(base, AllocKind::Pool), first);
    EXPECT_EQ(find_near(base + 50), first);
    EXPECT_EQ(find_near(base + 104), first) << "an element's red zone goes before the pool around it";
    EXPECT_EQ(find_near(base + 195), second);
    EXPECT_EQ(find_near(base + 150), pool);
    EXPECT_EQ(find_near(base + 9'000), super);
    std::vector<Block*> seen;
    for_each_live([](Block& block, void* list) { static_cast<std::vector<Block*>*>(list)->push_back(&block); },
                  &seen);
    EXPECT_EQ(seen, (std::vector<Block*>{super, pool, first, second}));

    // A freed element is known until its memory is described again.
    free_foreign(*second, context(7));
    EXPECT_EQ(find_near(base + 250), second);
    EXPECT_EQ(find_freed(base + 200), second);
    Block* third = add(base + 240, 20, 8, AllocKind::Pool);
    EXPECT_EQ(find_near(base + 250), third);
    EXPECT_EQ(find_freed(base + 200), nullptr);
    EXPECT_EQ(extents(*third).begin, base + 232);
    EXPECT_EQ(extents(*third).end, base + 268);
}

// Linear work: this takes a fraction of a second, and minutes if anything is quadratic.
TEST_F(ForeignTest, HundredThousandBlocks) {
    constexpr usize kBlocks = 100'000;
    std::vector<Address> payloads;
    for (usize i = 0; i < kBlocks; ++i) payloads.push_back(0x7000'0000 + i * 32);
    std::mt19937_64 random(3);
    add(0x7000'0000 - 16, kBlocks * 32 + 32);
    std::shuffle(payloads.begin(), payloads.end(), random);
    for (Address payload : payloads) add(payload, 24, 4, AllocKind::Pool);
    for (Address payload : payloads) ASSERT_EQ(find_near(payload + 5)->payload, payload);
    usize seen = 0;
    for_each_live([](Block&, void* count) { ++*static_cast<usize*>(count); }, &seen);
    EXPECT_EQ(seen, kBlocks + 1);
    std::shuffle(payloads.begin(), payloads.end(), random);
    for (Address payload : payloads) free_foreign(*find_live(payload), context(2));
    // The last freed blocks are known, the first ones forgotten; all of them go when the memory is described
    // again.
    EXPECT_NE(find_freed(payloads.back()), nullptr);
    EXPECT_EQ(find_freed(payloads.front()), nullptr);
    forget_foreign(*find_live(0x7000'0000 - 16));
    Block* anew = add(0x7000'0000, kBlocks * 32);
    EXPECT_EQ(find_freed(payloads.back()), nullptr);
    EXPECT_EQ(find_near(payloads.back()), anew);
    // Freeing and reusing one place over and over.
    for (usize i = 0; i < kBlocks; ++i) {
        Block* block = add(0x7000'0000, 16, 0, AllocKind::Pool);
        free_foreign(*block, context(2));
    }
    EXPECT_EQ(totals().live_blocks, 1u);
}

}  // namespace
}  // namespace memspy::heap
