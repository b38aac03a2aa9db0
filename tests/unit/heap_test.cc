// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap returns blocks separated by their red zones, keeps the client's bytes, finds every block from
// every address that belongs to it, and keeps freed ones in the documented order.
#include "heap/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "heap_source.h"

namespace memspy::heap {
namespace {

// The freed block there that is still in the quarantine, or null.
Block* waiting(Address payload) {
    Block* block = find_freed(payload);
    return block != nullptr && block->state == BlockState::Freed ? block : nullptr;
}

class HeapTest : public testing::Test {
protected:
    void start(usize red_zone, usize volume, usize big, const ChunkSource& source = kRealSource) {
        memory_left = ~usize{0};
        initialise({red_zone, volume, big}, source);
    }
    void TearDown() override {
        reset();
        EXPECT_TRUE(chunks.empty());
        EXPECT_EQ(totals().live_blocks, 0u);
    }
};

Block* take(usize size, usize alignment = 16) {
    return allocate(size, alignment, AllocKind::Malloc, context(1), 1, false);
}

struct ModelBlock {
    Block* block;
    usize size;
    u8 fill;
    ContextId allocated, freed;
};

// The whole life of a heap at random, against a map of live blocks and a queue of freed ones.
class Random {
public:
    Random(usize red_zone, usize volume, usize big, bool touch, unsigned seed)
        : red_zone_(red_zone), volume_(volume), big_(big), touch_(touch), random_(seed) {}

    void run(int rounds, usize max_live) {
        for (int round = 0; round < rounds; ++round) {
            if (live_.size() < max_live && random_() % 100 < 55)
                do_allocate();
            else if (!live_.empty())
                do_free();
            if (round % 64 == 0) probe();
            if (testing::Test::HasFatalFailure()) return;
        }
        check_order();
        while (!live_.empty() && !testing::Test::HasFatalFailure()) do_free();
    }

private:
    usize random_size() {
        switch (random_() % 16) {
            case 0: return random_() % 3;
            case 1: return random_() % 5'000;
            case 2: return random_() % 70'000;
            case 3: return random_() % 8 == 0 ? random_() % 600'000 : 65'520 + random_() % 32;
            default: return random_() % 300;
        }
    }

    void evict_to(usize volume) {
        while (held_ > volume) {
            auto& queue = big_queue_.empty() ? small_queue_ : big_queue_;
            if (queue.empty()) break;
            Address payload = queue.front();
            queue.pop_front();
            held_ -= std::max<usize>(freed_.at(payload).size, 16);
            freed_.erase(payload);
            ASSERT_EQ(waiting(payload), nullptr) << "left the quarantine too late";
        }
    }

    void do_allocate() {
        usize size = random_size();
        usize alignment = random_() % 8 == 0 ? usize{1} << random_() % 17 : 16;
        bool zeroed = random_() % 4 == 0;
        if (zeroed && !touch_) zeroed = false;
        ContextId stack = context(++contexts_);
        Block* block = allocate(size, alignment, AllocKind::New, stack, 3, zeroed);
        ASSERT_NE(block, nullptr);
        evict_to(volume_);
        Address payload = block->payload;
        ASSERT_EQ(payload % std::max<usize>(alignment, 16), 0u);
        ASSERT_EQ(block->size, size);
        ASSERT_EQ(block->allocated, stack);
        ASSERT_EQ(block->freed, ContextId::None);
        ASSERT_EQ(block->state, BlockState::Live);

        // No overlap: at least a red zone to the neighbours, live or in quarantine.
        for (auto* map : {&live_, &freed_}) {
            auto above = map->lower_bound(payload);
            if (above != map->end()) {
                ASSERT_LE(payload + size + red_zone_, above->first);
            }
            if (above != map->begin()) {
                auto& [below, model] = *std::prev(above);
                ASSERT_LE(below + model.size + red_zone_, payload);
            }
        }
        Extents around = extents(*block);
        ASSERT_LE(around.begin, payload - red_zone_);
        ASSERT_GE(around.end, payload + size + red_zone_);
        ASSERT_TRUE(is_heap_memory(around.begin) && is_heap_memory(around.end - 1));

        u8 fill = static_cast<u8>(contexts_ | 1);
        if (touch_) {
            auto* bytes = reinterpret_cast<u8*>(payload);
            for (usize i = 0; zeroed && i < size; ++i) ASSERT_EQ(bytes[i], 0) << i << " of " << size;
            std::memset(bytes, fill, size);
        }
        live_[payload] = {block, size, fill, stack, ContextId::None};
        ++allocations_;
        live_bytes_ += size;
    }

    std::map<Address, ModelBlock>::iterator any_live() {
        Address low = live_.begin()->first, high = live_.rbegin()->first;
        auto i = live_.lower_bound(low + random_() % (high - low + 1));
        return i == live_.end() ? live_.begin() : i;
    }

    void do_free() {
        auto i = any_live();
        auto [payload, model] = *i;
        ASSERT_EQ(find_live(payload), model.block);
        ASSERT_EQ(find_live(payload + 1), nullptr);
        ASSERT_EQ(find_freed(payload), nullptr);
        if (touch_) {
            auto* bytes = reinterpret_cast<const u8*>(payload);
            for (usize j = 0; j < model.size; ++j)
                ASSERT_EQ(bytes[j], model.fill) << j << " of " << model.size;
        }
        usize cost = std::max<usize>(model.size, 16);
        ContextId stack = context(++contexts_);
        heap::free(*model.block, stack);
        live_.erase(i);
        evict_to(cost < volume_ ? volume_ - cost : 0);
        model.freed = stack;
        freed_[payload] = model;
        held_ += cost;
        (model.size >= big_ ? big_queue_ : small_queue_).push_back(payload);
        live_bytes_ -= model.size;
        ASSERT_EQ(find_live(payload), nullptr);
        ASSERT_EQ(waiting(payload), model.block);
    }

    // find_near from addresses within, before and behind blocks.
    void probe() {
        for (auto* map : {&live_, &freed_})
            for (auto& [payload, model] : *map) {
                if (random_() % 16 != 0) continue;
                ASSERT_EQ((map == &live_ ? find_live : find_freed)(payload), model.block);
                ASSERT_EQ(model.block->freed, model.freed);
                ASSERT_EQ(model.block->allocated, model.allocated);
                ASSERT_EQ(find_near(payload - 1), model.block);
                if (model.size != 0) {
                    ASSERT_EQ(find_near(payload), model.block);
                    ASSERT_EQ(find_near(payload + random_() % model.size), model.block);
                    ASSERT_EQ(find_near(payload + model.size - 1), model.block);
                }
                ASSERT_EQ(find_near(payload + model.size), model.block);
                // Anywhere in the extents: the block itself or one that is at least as near.
                Extents around = extents(*model.block);
                Address a = around.begin + random_() % (around.end - around.begin);
                Block* near = find_near(a);
                ASSERT_NE(near, nullptr);
                ASSERT_LE(distance(*near, a), distance(*model.block, a));
            }
        HeapTotals now = totals();
        ASSERT_EQ(now.live_blocks, live_.size());
        ASSERT_EQ(now.live_bytes, live_bytes_);
        ASSERT_EQ(now.allocations, allocations_);
        ASSERT_EQ(now.frees, allocations_ - live_.size());
        ASSERT_EQ(now.quarantine_bytes, held_);
    }

    static usize distance(const Block& block, Address a) {
        if (a < block.payload) return block.payload - a;
        return a < block.payload + block.size ? 0 : a - (block.payload + block.size) + 1;
    }

    void check_order() {
        std::vector<Block*> seen;
        for_each_live(
            [](Block& block, void* list) { static_cast<std::vector<Block*>*>(list)->push_back(&block); },
            &seen);
        ASSERT_EQ(seen.size(), live_.size());
        usize i = 0;
        for (auto& [payload, model] : live_) ASSERT_EQ(seen[i++], model.block);
    }

    usize red_zone_, volume_, big_;
    bool touch_;
    std::mt19937_64 random_;
    std::map<Address, ModelBlock> live_, freed_;
    std::deque<Address> small_queue_, big_queue_;
    usize held_ = 0;
    u64 contexts_ = 0, allocations_ = 0, live_bytes_ = 0;
};

TEST_F(HeapTest, BehavesAsModel) {
    start(16, 300'000, 20'000);
    Random(16, 300'000, 20'000, true, 1).run(30'000, 1'500);
}
TEST_F(HeapTest, BehavesAsModelWithWideRedZones) {
    start(4096, 100'000, 50'000);
    Random(4096, 100'000, 50'000, true, 2).run(6'000, 400);
}
TEST_F(HeapTest, BehavesAsModelWithoutQuarantine) {
    start(16, 0, 1'000'000);
    Random(16, 0, 1'000'000, true, 3).run(20'000, 500);
}
// Chunks that are not page-aligned and touch each other.
TEST_F(HeapTest, BehavesAsModelOnAdjacentChunks) {
    start(32, 1'000'000, 100'000, kFakeSource);
    Random(32, 1'000'000, 100'000, false, 4).run(30'000, 3'000);
}

// A source that does not promise zeros: calloc must also clear memory that was never handed out.
TEST_F(HeapTest, ClearsWhenTheSourceDoesNot) {
    start(16, 0, 1'000'000,
          {[](usize bytes) {
               void* chunk = acquire_real(bytes);
               std::memset(chunk, 0xEE, bytes);
               return chunk;
           },
           release_real, discard_real, ~usize{0}});
    for (usize size : {1u, 16u, 100u, 5'000u, 70'000u, 300'000u}) {
        Block* block = allocate(size, 16, AllocKind::Malloc, context(1), 1, true);
        for (usize i = 0; i < size; ++i) ASSERT_EQ(reinterpret_cast<u8*>(block->payload)[i], 0);
    }
}

// The first freed block leaves first, big ones before all small ones; memory is reused only then.
TEST_F(HeapTest, QuarantineOrder) {
    start(16, 1'000, 500);
    Block* small[4];
    for (Block*& block : small) block = take(200);
    Block* big[2] = {take(500), take(600)};
    Address first = small[0]->payload, second = small[1]->payload, large = big[0]->payload;
    heap::free(*small[0], context(2));
    heap::free(*big[0], context(3));
    heap::free(*small[1], context(4));
    EXPECT_EQ(totals().quarantine_bytes, 900u);
    EXPECT_NE(take(200)->payload, first);
    heap::free(*small[2], context(5));  // 1,100: the big one leaves
    EXPECT_EQ(waiting(large), nullptr);
    ASSERT_NE(find_freed(large), nullptr) << "nobody has its memory yet";
    EXPECT_NE(waiting(first), nullptr);
    EXPECT_EQ(find_freed(first)->freed, context(2));
    EXPECT_EQ(totals().quarantine_bytes, 600u);
    heap::free(*big[1], context(6));  // 1,200: only small ones can leave
    EXPECT_EQ(waiting(first), nullptr);
    EXPECT_NE(waiting(second), nullptr);
    Block* again = take(200);
    EXPECT_EQ(again->payload, first);
    EXPECT_EQ(find_freed(first), nullptr);
    EXPECT_FALSE(again->fresh);
}

// A block larger than the quarantine is spare after the next allocation, and known until its memory is used.
TEST_F(HeapTest, HugeFreedBlockIsKnownUntilItsMemoryIsUsed) {
    start(16, 1'000, 500);
    take(10);  // makes the slab for the later one, whose chunk could else come to stand in the huge block's
               // place
    Block* block = take(5'000'000);
    Address payload = block->payload;
    heap::free(*block, context(9));
    ASSERT_NE(find_freed(payload), nullptr);
    EXPECT_EQ(find_near(payload + 4'000'000)->freed, context(9));
    const usize before = chunks.size();
    take(10);
    EXPECT_EQ(waiting(payload), nullptr);
    EXPECT_EQ(find_freed(payload), block);
    EXPECT_EQ(find_near(payload + 4'000'000), block);
    EXPECT_TRUE(is_heap_memory(payload));
    take(8'000'000);
    EXPECT_EQ(chunks.size(), before + 1) << "much more than the spare block";
    Block* next = take(4'900'000);
    EXPECT_EQ(next->payload, payload);
    EXPECT_FALSE(next->fresh);
    EXPECT_EQ(find_freed(payload), nullptr);
    EXPECT_EQ(chunks.size(), before + 1);
}

// The gaps around a large block and a chunk of small ones are heap memory without a block.
TEST_F(HeapTest, Guards) {
    start(16, 0, 1'000'000, kFakeSource);
    Block* large = take(100'000);
    EXPECT_TRUE(is_heap_memory(large->payload - kGuard));
    EXPECT_TRUE(is_heap_memory(large->payload + large->size + kGuard - 1));
    EXPECT_FALSE(is_heap_memory(large->payload - kGuard - kWidestZone - 17));
    EXPECT_EQ(find_near(large->payload - 200), large);
    EXPECT_EQ(find_near(large->payload - 4'000), large) << "in its own zone";
    EXPECT_EQ(find_near(large->payload - 5'000), nullptr);
    EXPECT_EQ(find_near(large->payload + large->size + 200), large);
    EXPECT_EQ(find_near(large->payload + large->size + 5'000), nullptr);
    Block* small = take(10);
    EXPECT_TRUE(is_heap_memory(small->payload - kGuard));
    EXPECT_EQ(find_near(0), nullptr);
    EXPECT_EQ(find_near(~Address{0}), nullptr);
    EXPECT_EQ(find_live(~Address{0}), nullptr);
}

// In the zone between two blocks the nearer one is found; at equal distance the live one, then the lower one.
TEST_F(HeapTest, NearerNeighbour) {
    start(16, 10'000, 10'000);
    Block* low = take(32);
    Block* high = take(32);
    ASSERT_EQ(high->payload - low->payload, 48u);
    Address end = low->payload + 32;
    EXPECT_EQ(find_near(end), low);
    EXPECT_EQ(find_near(end + 7), low);
    EXPECT_EQ(find_near(end + 8), high);
    EXPECT_EQ(find_near(end + 15), high);
    heap::free(*low, context(2));
    EXPECT_EQ(find_near(end + 7), low);
    Block* odd = take(29);
    Block* next = take(32);
    Address middle = odd->payload + 29 + 9;  // ten behind the one, ten before the other
    ASSERT_EQ(next->payload - middle, 10u);
    EXPECT_EQ(find_near(middle), odd);
    heap::free(*odd, context(3));
    EXPECT_EQ(find_near(middle), next);
    // Far behind the last block, in a slot that was never used.
    EXPECT_EQ(find_near(next->payload + 32 + 100), next);
    EXPECT_EQ(find_near(next->payload + 32 + 2'000), nullptr);
}

TEST_F(HeapTest, AbsurdRequestsFail) {
    start(16, 1'000, 1'000, kFakeSource);
    EXPECT_EQ(take(~usize{0}), nullptr);
    EXPECT_EQ(take(~usize{0} - 100), nullptr);
    EXPECT_EQ(take(usize{1} << 63), nullptr);
    EXPECT_EQ(take(usize{1} << 38), nullptr);
    EXPECT_EQ(take(10, usize{1} << 62), nullptr);
    EXPECT_EQ(take(usize{1} << 37, usize{1} << 37), nullptr);
    EXPECT_EQ(totals().allocations, 0u);
    Block* block = take(usize{15} << 30, usize{1} << 21);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->payload % (usize{1} << 21), 0u);
    EXPECT_EQ(find_near(block->payload + (usize{14} << 30)), block);
    heap::free(*block, context(2));
}

// Out of memory: freed blocks are given up first, then the request fails, and the heap continues.
TEST_F(HeapTest, ExhaustedSource) {
    start(16, 100'000'000, 100'000'000);
    Block* freed = take(300'000);
    heap::free(*freed, context(2));
    Block* live = take(1'000);
    memory_left = 0;
    EXPECT_EQ(take(200'000), nullptr);
    EXPECT_EQ(totals().quarantine_bytes, 0u);
    EXPECT_EQ(find_live(live->payload), live);
    // Only the current chunk of small blocks is left.
    usize blocks = 0;
    while (take(1'000) != nullptr) ++blocks;
    EXPECT_GT(blocks, 3'000u);
    memory_left = ~usize{0};
    EXPECT_NE(take(1'000), nullptr);
}

// Slabs that became empty serve other sizes: memory of one phase of a program is available in the next.
TEST_F(HeapTest, EmptySlabsServeOtherSizes) {
    start(16, 0, 1'000'000);
    for (usize size : {16u, 40u, 100u, 64u, 24u}) {
        std::vector<Block*> blocks;
        for (usize bytes = 0; bytes < 3'000'000; bytes += size + 16) blocks.push_back(take(size));
        for (Block* block : blocks) heap::free(*block, context(2));
    }
    EXPECT_LE(chunks.size(), 2u);
}

// Slabs that stay open for a few of their blocks serve smaller sizes before new memory does, but not while
// most of their blocks are in use; lent slots come back.
TEST_F(HeapTest, SpareSlotsServeSmallerSizes) {
    start(16, 0, 1'000'000);
    std::vector<Address> wide;
    std::map<Address, int> slots;
    for (int i = 0; i < 8'000; ++i) {
        wide.push_back(take(80)->payload);
        ++slots[wide.back()];
    }
    auto free_wide = [&](int from, int to) {
        for (usize i = 0; i < wide.size(); ++i)
            if (int(i % 16) >= from && int(i % 16) < to) heap::free(*find_live(wide[i]), context(2));
    };
    auto takes_lent = [&](usize size) { return slots.count(take(size)->payload) != 0; };
    free_wide(0, 4);
    EXPECT_FALSE(takes_lent(24));
    free_wide(4, 15);
    // The rest of the narrow class's first slab is used first; much larger slots are not lent.
    int own = 0;
    while (own < 2'000 && !takes_lent(24)) ++own;
    EXPECT_LT(own, 2'000);
    std::vector<Block*> narrow;
    for (int i = 0; i < 3'000; ++i) {
        Block* block = take(24);
        ASSERT_EQ(slots.count(block->payload), 1u);
        EXPECT_FALSE(block->fresh);
        EXPECT_EQ(find_near(block->payload + 60), block);
        EXPECT_EQ(extents(*block).end - extents(*block).begin, 80u + 2 * 16);
        narrow.push_back(block);
    }
    EXPECT_FALSE(takes_lent(8));
    for (Block* block : narrow) heap::free(*block, context(3));
    for (int i = 0; i < 4'500; ++i) EXPECT_TRUE(takes_lent(80));
    EXPECT_FALSE(takes_lent(24));
}

// What one phase of a program leaves behind goes back to the system, and its blocks stay known; the memory is used
// again before new chunks are, by other sizes too.
TEST_F(HeapTest, FreeSlabsAreGivenBack) {
    start(16, 0, 1'000'000);
    std::vector<Address> blocks;
    const usize before = discarded;
    for (int i = 0; i < 100'000; ++i) {
        Block* block = take(112);
        std::memset(reinterpret_cast<void*>(block->payload), 7, 112);
        blocks.push_back(block->payload);
    }
    for (Address payload : blocks) heap::free(*find_live(payload), context(2));
    EXPECT_GT(discarded - before, 100'000u * 112u);
    EXPECT_LT(discarded - before, 100'000u * 144u);
    const Block* freed = find_freed(blocks[1'000]);
    ASSERT_NE(freed, nullptr);
    EXPECT_EQ(freed->freed, context(2));
    const usize had = chunks.size();
    for (int i = 0; i < 80'000; ++i) {
        Block* block = take(100 + static_cast<usize>(i % 60));
        EXPECT_FALSE(block->fresh && std::count(blocks.begin(), blocks.begin() + 10, block->payload) != 0);
    }
    EXPECT_LE(chunks.size(), had + 1);
}

TEST_F(HeapTest, ResizeInPlace) {
    start(16, 0, 1'000'000);
    Block* block = take(100);
    EXPECT_TRUE(resize_in_place(*block, 112));
    EXPECT_FALSE(resize_in_place(*block, 113));
    EXPECT_FALSE(resize_in_place(*block, ~usize{0}));
    EXPECT_TRUE(resize_in_place(*block, 1));
    EXPECT_EQ(totals().live_bytes, 1u);
    Block* large = take(100'001);
    EXPECT_TRUE(resize_in_place(*large, 100'016));
    EXPECT_FALSE(resize_in_place(*large, 100'017));
    EXPECT_TRUE(resize_in_place(*large, 5));
    EXPECT_EQ(totals().live_bytes, 6u);
}

// *fresh* memory has never been handed out; blocks of no size have addresses of their own.
TEST_F(HeapTest, FreshAndEmptyBlocks) {
    start(16, 0, 1'000'000);
    Block* one = take(0);
    Block* other = take(0);
    EXPECT_NE(one->payload, other->payload);
    EXPECT_TRUE(one->fresh && other->fresh);
    heap::free(*one, context(2));
    EXPECT_FALSE(take(0)->fresh);
    EXPECT_TRUE(take(0)->fresh);
    EXPECT_TRUE(take(1'000'000)->fresh);
}

}  // namespace
}  // namespace memspy::heap
