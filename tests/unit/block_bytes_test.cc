// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that the histories of the bytes of blocks, and the bytes and places of accesses of each row, are those of a plain model, for random
// blocks of all sizes, accesses inside them and beyond their end, realloc and free; and that a freed block's
// bytes have no history in the next one.
#include "analyses/heap_profile/block_bytes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

using namespace memspy;
using namespace memspy::heap_profile;

namespace {

using UseWay = BlockBytes::UseWay;

struct UsedBlock {
    u64 size = 0;
    u32 row = 0;
    std::vector<u32> loads, stores;
};

struct UseModel {
    std::map<u64, UsedBlock> blocks;
    std::map<u32, u64> loaded, stored;
    std::map<std::pair<u32, u64>, BlockBytes::PlaceCounts> places;  // by row and place

    void count(const UsedBlock& block, u64 offset, u64 bytes, UseWay way) {
        for (u64 i = offset; i < offset + bytes; ++i) {
            BlockBytes::PlaceCounts& place = places[{block.row, i % kPlacePeriod}];
            ++(way == UseWay::Load ? place.loads : place.stores);
        }
    }
    void access(u64 at, u64 bytes, UseWay way) {
        auto next = blocks.upper_bound(at);
        if (next == blocks.begin()) return;
        UsedBlock& block = std::prev(next)->second;
        const u64 offset = at - std::prev(next)->first;
        if (offset >= block.size) return;
        (way == UseWay::Load ? loaded : stored)[block.row] += bytes;
        count(block, offset, bytes, way);
        for (u64 i = offset; i < std::min(offset + bytes, block.size); ++i)
            ++(way == UseWay::Load ? block.loads : block.stores)[i];
    }
    static BlockUse use_of(const UsedBlock& block) {
        BlockUse use{.unused_end = block.size};
        for (u64 i = 0; i < block.size; ++i) {
            use.never_read += block.loads[i] == 0;
            use.never_written += block.stores[i] == 0;
            use.used_once += block.loads[i] == 1 && block.stores[i] == 1;
            if (block.loads[i] != 0 || block.stores[i] != 0) use.unused_end = block.size - i - 1;
        }
        return use;
    }
};

void expect_equal(const BlockUse& found, const BlockUse& wanted) {
    EXPECT_EQ(found.never_read, wanted.never_read);
    EXPECT_EQ(found.never_written, wanted.never_written);
    EXPECT_EQ(found.used_once, wanted.used_once);
    EXPECT_EQ(found.unused_end, wanted.unused_end);
}

template <UseWay way>
void access(BlockBytes& bytes, u64 at, u32 size) {
    switch (size) {
        case 1: return bytes.access<1, way>(at);
        case 2: return bytes.access<2, way>(at);
        case 4: return bytes.access<4, way>(at);
        case 8: return bytes.access<8, way>(at);
        case 16: return bytes.access<16, way>(at);
        default: return bytes.access<32, way>(at);
    }
}

void random_uses(u32 seed) {
    std::mt19937 random(seed);
    BlockBytes bytes;
    bytes.start();
    UseModel model;
    // Slots with room for the largest block and an access beyond it; some lie across the border of two leaves.
    constexpr u64 kSlot = 96 << 10, kFirst = (u64{7} << kUseLeafBits) - 5 * kSlot / 2;
    constexpr u32 kSlots = 12;
    for (u32 step = 0; step < 40'000; ++step) {
        const u64 slot = kFirst + kSlot * (random() % kSlots);
        const auto found = model.blocks.find(slot);
        const u32 action = static_cast<u32>(random() % 200);
        // Larger than the period of places, now and then.
        const u64 size = random() % 4 != 0 ? random() % 100
                         : random() % 8    ? random() % 20'000
                                           : random() % 90'000;
        if (found == model.blocks.end()) {
            const u32 row = static_cast<u32>(random() % 5);
            bytes.added(slot, size, row);
            model.blocks[slot] = {size, row, std::vector<u32>(size), std::vector<u32>(size)};
        } else if (action == 0) {
            expect_equal(bytes.take(slot, found->second.size), UseModel::use_of(found->second));
            model.blocks.erase(found);
        } else if (action == 1) {
            u64 to = kFirst + kSlot * (random() % kSlots);
            if (model.blocks.contains(to)) to = slot;
            UsedBlock block = found->second;
            bytes.moved(slot, block.size, to, size, block.row);
            const u64 kept = std::min(size, block.size);
            for (u64 i = 0; i < kept; ++i) ++block.loads[i], ++block.stores[i];
            model.count(block, 0, kept, UseWay::Load);
            model.count(block, 0, kept, UseWay::Store);
            model.loaded[block.row] += kept;
            model.stored[block.row] += kept;
            block.loads.resize(size);
            block.stores.resize(size);
            block.size = size;
            model.blocks.erase(found);
            model.blocks[to] = block;
        } else if (found->second.size != 0) {
            const u64 at = slot + random() % found->second.size;
            const u32 wide = 1u << random() % 6;
            model.access(at, wide, action % 2 ? UseWay::Load : UseWay::Store);
            action % 2 ? access<UseWay::Load>(bytes, at, wide) : access<UseWay::Store>(bytes, at, wide);
        }
    }
    for (const auto& [at, block] : model.blocks)
        expect_equal(bytes.use_of(at, block.size), UseModel::use_of(block));
    for (u32 row = 0; row < 5; ++row) {
        EXPECT_EQ(bytes.of_row(row).loaded, model.loaded[row]);
        EXPECT_EQ(bytes.of_row(row).stored, model.stored[row]);
        rt::Vector<BlockBytes::PlaceCounts> places;
        bytes.places_of_row(row, places);
        for (u64 i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], (model.places[{row, i}])) << i;
    }
}

TEST(BlockBytes, AsAPlainModel) {
    for (u32 seed = 1; seed <= 5; ++seed) random_uses(seed);
}

// Steps have 16 bits. Where they overflow, upwards and downwards, the counts stay exact, also when the row's blocks become
// larger, within a row's own room and in that of a whole period.
TEST(BlockBytes, MoreAccessesThanAStepHolds) {
    constexpr u64 kMany = 200'001;
    for (const u64 larger : {u64{500}, u64{90'000}}) {
        BlockBytes bytes;
        bytes.start();
        bytes.added(0x10000, 48, 0);
        for (u64 i = 0; i < kMany; ++i) {
            bytes.access<4, UseWay::Load>(0x10008);
            bytes.access<2, UseWay::Store>(0x10010);
        }
        bytes.added(0x20000, larger, 0);
        for (u64 i = 0; i < kMany; ++i) bytes.access<8, UseWay::Store>(0x20000 + larger - 8);
        EXPECT_EQ(bytes.of_row(0).loaded, 4 * kMany);
        EXPECT_EQ(bytes.of_row(0).stored, (2 + 8) * kMany);
        rt::Vector<BlockBytes::PlaceCounts> places;
        bytes.places_of_row(0, places);
        const u64 last = (larger - 8) % kPlacePeriod;
        for (u64 i = 0; i < places.size(); ++i) {
            EXPECT_EQ(places[i].loads, i >= 8 && i < 12 ? kMany : 0) << i;
            EXPECT_EQ(places[i].stores, (i >= 16 && i < 18) || (i >= last && i < last + 8) ? kMany : 0) << i;
        }
        bytes.clear();
    }
}

TEST(BlockBytes, RangeOverSeveralBlocks) {
    BlockBytes bytes;
    bytes.start();
    bytes.added(0x10000, 20, 0);
    bytes.added(0x10020, 16, 1);
    bytes.access_range(0x10000 - 8, 64, UseWay::Store);
    EXPECT_EQ(bytes.use_of(0x10000, 20).never_written, 0u);
    EXPECT_EQ(bytes.use_of(0x10020, 16).never_written, 0u);
    EXPECT_EQ(bytes.use_of(0x10020, 16).never_read, 16u);
    EXPECT_EQ(bytes.of_row(1).stored, 16u);
    bytes.clear();
    EXPECT_EQ(bytes.use_of(0x10000, 20).never_written, 20u);
}

}  // namespace
