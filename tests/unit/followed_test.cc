// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks of the program's own allocator are found as a plain map would find them, by start, by any address inside, and in
// order; what they overlap is forgotten, and the heap's memory is the pages that they touched.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "heap/heap.h"
#include "heap_source.h"

namespace memspy::heap {
namespace {

constexpr Address kBase = 0x500'0000;
constexpr usize kArena = 1 << 20, kPage = 4096;

class FollowedTest : public testing::Test {
protected:
    void TearDown() override { reset(); }
};

TEST_F(FollowedTest, BehavesAsModel) {
    std::mt19937_64 random(1);
    std::map<Address, usize> model;
    std::vector<bool> pages(kArena / kPage + 64);
    const auto around = [&](Address a) -> Address {
        auto next = model.upper_bound(a);
        if (next == model.begin()) return 0;
        --next;
        return a - next->first < next->second ? next->first : 0;
    };
    for (int round = 0; round < 60'000; ++round) {
        const Address payload = kBase + random() % (kArena / 8) * 8;
        const usize size = random() % 100 == 0 ? random() % 100'000 : random() % 200;
        if (random() % 2 == 0) {
            const Address end = payload + (size == 0 ? 1 : size);
            if (const Address outer = around(payload)) model.erase(outer);
            model.erase(model.lower_bound(payload), model.lower_bound(end));
            model[payload] = size;
            follow(payload, size, AllocKind::Malloc, context(1), 1);
            for (usize page = (payload - kBase) / kPage; page <= (end - 1 - kBase) / kPage; ++page) pages[page] = true;
        } else if (auto some = model.lower_bound(payload); some != model.end()) {
            forget_followed(*find_live(some->first));
            model.erase(some);
        }
        if (random() % 2000 == 0) {
            const usize first = random() % 200, count = random() % 8 + 1;
            const Address begin = kBase + first * kPage;
            model.erase(model.lower_bound(begin), model.lower_bound(begin + count * kPage));
            forget_heap_memory(begin, count * kPage);
            // The model has no block that reaches in.
            while (const Address outer = around(begin)) {
                forget_followed(*find_live(outer));
                model.erase(outer);
            }
            for (usize page = first; page < first + count; ++page) pages[page] = false;
        }
        const Address a = kBase + random() % kArena;
        Block* found = find_near(a);
        ASSERT_EQ(found == nullptr ? 0 : found->payload, around(a)) << round;
        Block* exact = find_live(a & ~Address{7});
        ASSERT_EQ(exact != nullptr, model.count(a & ~Address{7}) == 1);
        ASSERT_EQ(is_heap_memory(a), pages[(a - kBase) / kPage]);
        ASSERT_EQ(totals().live_blocks, model.size());
        if (!is_heap_memory(a)) {
            Address begin = kBase, end = kBase + kArena;
            cut_at_heap_memory(a, &begin, &end);
            usize low = (a - kBase) / kPage, high = low + 1;
            while (low > 0 && !pages[low - 1]) --low;
            while (high < kArena / kPage && !pages[high]) ++high;
            ASSERT_EQ(begin, kBase + low * kPage);
            ASSERT_EQ(end, kBase + high * kPage);
        }
    }
    std::map<Address, usize> seen;
    for_each_live([](Block& b, void* all) { (*static_cast<std::map<Address, usize>*>(all))[b.payload] = b.size; }, &seen);
    EXPECT_EQ(seen, model);
}

// Some allocators ask for memory at addresses far up.
TEST_F(FollowedTest, FarWindows) {
    constexpr Address kFar = 0x32e'5c01'0180;
    Block* near_block = follow(kBase, 100, AllocKind::Malloc, context(1), 1);
    Block* far_block = follow(kFar, 100, AllocKind::New, context(2), 1);
    EXPECT_EQ(find_near(kBase + 5), near_block);
    EXPECT_EQ(find_near(kFar + 99), far_block);
    EXPECT_FALSE(is_heap_memory(kFar % (Address{1} << 37)));
    forget_heap_memory(kFar - kPage, 2 * kPage);
    EXPECT_EQ(find_live(kFar), nullptr);
    EXPECT_EQ(find_live(kBase), near_block);
}

// A block of many gigabytes is found from anywhere inside, and one described inside it before it.
TEST_F(FollowedTest, LargeBlock) {
    constexpr usize kLarge = usize{40} << 30;
    Block* large = follow(kBase, kLarge, AllocKind::Malloc, context(1), 1);
    EXPECT_EQ(find_near(kBase + kLarge - 1), large);
    EXPECT_EQ(find_near(kBase + kLarge), nullptr);
    Block* inner = add_foreign(kBase + kLarge / 2, 100, AllocKind::Foreign, context(2), 1, 0);
    EXPECT_EQ(find_near(kBase + kLarge / 2 + 50), inner);
    forget_foreign(*inner);
    EXPECT_EQ(find_near(kBase + kLarge / 2 + 50), large);
    forget_followed(*large);
    EXPECT_TRUE(is_heap_memory(kBase + kLarge / 2));
    EXPECT_EQ(find_near(kBase + kLarge / 2), nullptr);
}

}  // namespace
}  // namespace memspy::heap
