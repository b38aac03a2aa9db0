// SPDX-License-Identifier: GPL-2.0-or-later
//
// HashMap and Vector behave like std::unordered_map and std::vector under the same operations; a NumberTable finds
// what was added, however alike the hashes; arrays that only grow keep their elements; small blocks that exist at a time do
// not overlap, and what one has given another takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>
#include <vector>

#include "rt/disjoint_sets.h"
#include "rt/hash_map.h"
#include "rt/number_table.h"
#include "rt/paged_array.h"
#include "rt/small_blocks.h"
#include "rt/system_paths.h"
#include "rt/vector.h"

namespace memspy::rt {
namespace {

// Keys from a small range make erasing and finding hit; clustered ones make long runs of probes.
template <typename Key = AnyKey>
void compare_with_model(u64 key_range, u64 key_step, unsigned seed) {
    std::mt19937_64 random(seed);
    HashMap<u64, Key> map;
    std::unordered_map<u64, u64> model;
    for (int i = 0; i < 60'000; ++i) {
        u64 key = random() % key_range * key_step;
        switch (random() % 4) {
            case 0:
            case 1: {
                u64 value = random();
                map[key] = value;
                model[key] = value;
                break;
            }
            case 2: ASSERT_EQ(map.erase(key), model.erase(key) == 1); break;
            default: {
                u64* found = map.find(key);
                auto wanted = model.find(key);
                ASSERT_EQ(found != nullptr, wanted != model.end());
                if (found != nullptr) {
                    ASSERT_EQ(*found, wanted->second);
                }
            }
        }
        ASSERT_EQ(map.size(), model.size());
    }
    usize visited = 0;
    map.for_each([&](u64 key, u64& value) {
        ++visited;
        auto wanted = model.find(key);
        ASSERT_NE(wanted, model.end());
        EXPECT_EQ(value, wanted->second);
    });
    EXPECT_EQ(visited, model.size());
}

TEST(HashMap, BehavesAsModelOnDenseKeys) { compare_with_model(300, 1, 1); }
TEST(HashMap, BehavesAsModelOnManyKeys) { compare_with_model(20'000, 16, 2); }
TEST(HashMap, BehavesAsModelOnKeysThatDifferInHighBitsOnly) { compare_with_model(500, u64{1} << 52, 3); }
TEST(HashMap, BehavesAsModelWithShortKeys) {
    compare_with_model<ShortKey>(300, 1, 5);
    compare_with_model<ShortKey>(500, u64{1} << 39, 6);
}

// A new value is zero even in the place of an erased one.
// Each set has its least number as its root, in whatever order it is joined.
TEST(DisjointSets, HaveTheirLeastNumbersAsRoots) {
    constexpr u32 kNumbers = 500;
    std::mt19937 random(7);
    DisjointSets sets;
    std::vector<u32> least(kNumbers);
    for (u32 i = 0; i < kNumbers; ++i) least[i] = i;
    for (u32 joins = 0; joins < 400; ++joins) {
        const u32 a = static_cast<u32>(random() % kNumbers), b = static_cast<u32>(random() % kNumbers);
        sets.join(a, b);
        const u32 to = std::min(least[a], least[b]), from = std::max(least[a], least[b]);
        for (u32& each : least)
            if (each == from) each = to;
        for (u32 i = 0; i < kNumbers; ++i) ASSERT_EQ(sets.root_of(i), least[i]);
    }
}

TEST(NumberTable, FindsTheNumbersOfRecords) {
    for (const u64 spread : {u64{1}, u64{0x9E3779B97F4A7C15}}) {
        NumberTable table;
        std::vector<u64> records;
        auto hash = [&](u64 record) { return record * spread; };
        auto find = [&](u64 record) {
            return table.find(hash(record), [&](u32 number) { return records[number] == record; });
        };
        EXPECT_EQ(find(7), NumberTable::kNone);
        const u32 count = spread == 1 ? 1'000 : 30'000;  // the former all of one home
        for (u32 i = 0; i < count; ++i) {
            records.push_back(7 + u64{i} * 24);
            table.add(hash(records.back()), i, [&](u32 number) { return hash(records[number]); });
            ASSERT_EQ(find(records.back() + 1), NumberTable::kNone);
        }
        EXPECT_EQ(table.size(), count);
        for (u32 i = 0; i < count; ++i) ASSERT_EQ(find(records[i]), i);
    }
}

TEST(HashMap, NewValuesAreZero) {
    HashMap<u64> map;
    map[7] = 99;
    map.erase(7);
    EXPECT_EQ(map[7], 0u);
    map.clear();
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(map.find(7), nullptr);
    EXPECT_FALSE(map.erase(7));
    EXPECT_EQ(map[7], 0u);
}

TEST(Vector, BehavesAsModel) {
    std::mt19937_64 random(4);
    Vector<u32> vector;
    std::vector<u32> model;
    for (int i = 0; i < 50'000; ++i) {
        u32 value = static_cast<u32>(random());
        switch (random() % 8) {
            case 0: {
                usize size = random() % 200;
                vector.resize(size);
                model.resize(size);
                break;
            }
            case 1:
                if (!model.empty()) {
                    vector.pop_back();
                    model.pop_back();
                }
                break;
            case 2:
                if (!model.empty()) {
                    // Adds an element of the vector itself, which may move meanwhile.
                    vector.push_back(vector[model.size() / 2]);
                    model.push_back(u32{model[model.size() / 2]});
                }
                break;
            case 3:
                if (random() % 50 == 0) {
                    vector.clear();
                    model.clear();
                }
                break;
            default: vector.push_back(value); model.push_back(value);
        }
        ASSERT_EQ(vector.size(), model.size());
        if (!model.empty()) {
            usize at = random() % model.size();
            ASSERT_EQ(vector[at], model[at]);
            ASSERT_EQ(vector.back(), model.back());
        }
    }
    EXPECT_TRUE(std::equal(vector.begin(), vector.end(), model.begin(), model.end()));
}

constexpr char kTestBlocks[] = "test";

TEST(SmallBlocks, DoNotOverlap) {
    std::mt19937_64 random(5);
    auto& blocks = small_blocks<kTestBlocks>();
    struct Block {
        unsigned char* at;
        usize bytes;
        unsigned char filling;
    };
    std::vector<Block> held;
    const auto is_whole = [](const Block& block) {
        return std::all_of(block.at, block.at + block.bytes, [&](unsigned char c) { return c == block.filling; });
    };
    for (int i = 0; i < 50'000; ++i) {
        if (held.size() < 500 || random() % 2 == 0) {
            const usize bytes = random() % 1'300 + 1;  // some have whole host lines, some are large
            Block block{static_cast<unsigned char*>(blocks.take(bytes)), bytes, static_cast<unsigned char>(random())};
            ASSERT_EQ(reinterpret_cast<usize>(block.at) % 16, 0u);
            if (bytes % 64 == 0 && bytes <= 1'024) {
                ASSERT_EQ(reinterpret_cast<usize>(block.at) % 64, 0u);
            }
            std::fill_n(block.at, bytes, block.filling);
            held.push_back(block);
        } else {
            std::swap(held[random() % held.size()], held.back());
            ASSERT_TRUE(is_whole(held.back()));
            blocks.give(held.back().at, held.back().bytes);
            held.pop_back();
        }
    }
    for (const Block& block : held) {
        ASSERT_TRUE(is_whole(block));
        blocks.give(block.at, block.bytes);
    }
}

TEST(SmallBlocks, TakeWhatWasGiven) {
    auto& blocks = small_blocks<kTestBlocks>();
    void* const first = blocks.take(40);
    blocks.give(first, 40);
    EXPECT_EQ(blocks.take(33), first);  // of the same size in memory
    blocks.give(first, 33);
}

TEST(SystemPaths, HaveTheHeadersOfCompilersInAnyFolder) {
    for (const char* path : {"/usr/include/string.h", "/usr/aarch64-linux-gnu/include/c++/12/bits/new_allocator.h",
                             "/opt/gcc-13.2/include/c++/13.2.0/vector", "/opt/gcc/lib/gcc/x86_64-pc-linux-gnu/13.2.0/include/xmmintrin.h",
                             "/home/a/llvm/lib/clang/16/include/stddef.h", "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/bits/stl_map.h",
                             "/rust/deps/hashbrown-0.14/src/lib.rs"})
        EXPECT_TRUE(is_system_path(path)) << path;
    for (const char* path : {"/home/a/src/main.cc", "main.cc", "/home/a/include/vector.h", "/opt/app/include/c.h", ""})
        EXPECT_FALSE(is_system_path(path)) << path;
}

// Elements keep their values and their addresses while pages are added.
TEST(PagedArray, GrowsWithoutMoving) {
    PagedArray<u64, 4> array;
    EXPECT_EQ(array.push_back(7), 0u);
    const u64* first = &array[0];
    for (u64 i = 1; i < 1000; ++i) EXPECT_EQ(array.push_back(7 * i + 7), i);
    EXPECT_EQ(array.size(), 1000u);
    EXPECT_EQ(&array[0], first);
    for (u32 i = 0; i < 1000; ++i) ASSERT_EQ(array[i], 7 * u64{i} + 7);
}

TEST(SystemPaths, InstalledPrograms) {
    EXPECT_TRUE(is_installed_program("/usr/bin/node"));
    EXPECT_TRUE(is_installed_program("/usr/games/stockfish"));
    EXPECT_FALSE(is_installed_program("/usr/local/bin/solver"));
    EXPECT_FALSE(is_installed_program("/home/user/bin/solver"));
}

}  // namespace
}  // namespace memspy::rt
