// SPDX-License-Identifier: GPL-2.0-or-later
//
// LocalityAdvice from loops that are written down here, access by access: what it says of their steps, and where there is none.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "analyses/locality/advice.h"

namespace memspy::locality {
namespace {

constexpr u64 kCache = 32 << 10, kSecondCache = 512 << 10;

class AdviceOfLoops : public ::testing::Test {
protected:
    // An access to an object that begins at `object` * 1 GB, of a function on one line.
    void touch(u64 instruction, u32 object, u64 offset, u32 bytes = 8, u32 burst = 0, u32 line = 1) {
        WalkAccess access;
        access.address = (u64{object} << 30) + offset;
        access.instruction = instruction;
        access.offset = offset;
        access.function = 1;
        access.line = line;
        access.object = object;
        access.thread = 1;
        access.bytes = bytes;
        access.burst = burst;
        access.time = ++time_;
        access.loads = loads_;
        access.stores = !loads_;
        walks_.access(access);
        if (accesses_.size() <= object) accesses_.resize(object + 1);
        ++accesses_[object];
    }
    void store(u64 instruction, u32 object, u64 offset, u32 line = 1) {
        loads_ = false;
        touch(instruction, object, offset, 8, 0, line);
        loads_ = true;
    }
    std::vector<LocalityAdvice> advice() {
        rt::Vector<ObjectWalk> walks;
        walks_.collect(walks);
        walks.reserve(walks.size() + other_functions_);
        for (u32 i = 0; i < other_functions_; ++i) walks.push_back(single(i));
        rt::Vector<ObjectReuse> objects;
        for (u32 i = 1; i < accesses_.size(); ++i) {
            ObjectReuse object{i, accesses_[i], {}};
            object.reuses.far = accesses_[i];
            if (i == reused_) {
                object.reuses.far = 0;
                object.reuses.buckets[reused_bucket_] = accesses_[i];
            }
            objects.push_back(object);
        }
        rt::Vector<u64> caches;
        caches.push_back(kCache);
        caches.push_back(kSecondCache);
        rt::Vector<LocalityAdvice> found;
        find_advice(AdviceInput{&walks, &objects, &caches}, found);
        return {found.begin(), found.end()};
    }
    // The only advice: an array of their own for the members of `used` bytes of each structure of `step`.
    void expect_hot_members(u64 used, u64 step) {
        const auto found = advice();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].kind, AdviceKind::HotField);
        EXPECT_EQ(found[0].step, step);
        EXPECT_EQ(found[0].used, used);
    }
    void reuse(u32 object, u32 bucket) {
        reused_ = object;
        reused_bucket_ = bucket;
    }
    // The program has as many other functions, each with a regular loop of few accesses.
    void others(u32 functions) { other_functions_ = functions; }

private:
    static ObjectWalk single(u32 number) {
        ObjectWalk walk;
        walk.instruction = 1'000'000 + u64{number};
        walk.function = 2 + number;
        walk.accesses = walk.stands_for = 1;
        walk.runs[0].step = 8;
        walk.runs[0].accesses = walk.runs[0].runs = 1;
        return walk;
    }

    Walks walks_;
    std::vector<u64> accesses_;
    u64 time_ = 0;
    bool loads_ = true;
    u32 reused_ = 0, reused_bucket_ = 0;
    u32 other_functions_ = 0;
};

constexpr u64 kN = 1000, kRow = kN * 8;

TEST_F(AdviceOfLoops, Interchange) {
    for (u64 j = 0; j < 20; ++j)
        for (u64 k = 0; k < kN; ++k) {
            touch(1, 1, k * 8);
            touch(1, 2, k * kRow + j * 8);
        }
    const auto found = advice();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, AdviceKind::Interchange);
    EXPECT_EQ(found[0].object, 2u);
    EXPECT_EQ(found[0].step, kRow);
    EXPECT_EQ(found[0].shift, 8u);
}

// A large program's end must come soon enough for a scheduler that kills it: compared with each other, so many take more
// than ctest waits.
TEST_F(AdviceOfLoops, InterchangeAmongManyFunctions) {
    for (u64 j = 0; j < 20; ++j)
        for (u64 k = 0; k < kN; ++k) touch(1, 2, k * kRow + j * 8);
    others(400'000);
    const auto found = advice();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, AdviceKind::Interchange);
    EXPECT_EQ(found[0].function, 1u);
}

// Unrolled four times, backwards, and in bursts that cut runs.
TEST_F(AdviceOfLoops, InterchangeUnrolled) {
    for (u64 j = 0; j < 20; ++j)
        for (u64 k = kN; k > 0; --k) touch(1 + k % 4, 2, k * kRow + j * 8, 8, static_cast<u32>(j / 8));
    const auto found = advice();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, AdviceKind::Interchange);
    EXPECT_EQ(found[0].shift, 8u);
}

// The lines of a column are still there when the next column needs them.
TEST_F(AdviceOfLoops, ShortColumns) {
    for (u64 j = 0; j < 200; ++j)
        for (u64 k = 0; k < 100; ++k) touch(1, 2, k * kRow + j * 8);
    EXPECT_TRUE(advice().empty());
}

TEST_F(AdviceOfLoops, Tiles) {
    for (u64 i = 0; i < 20; ++i)
        for (u64 j = 0; j < kN; ++j) {
            touch(1, 1, (i * kN + j) * 8);
            touch(2, 2, (j * kN + i) * 8);
        }
    const auto found = advice();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, AdviceKind::Tiles);
    EXPECT_EQ(found[0].object, 2u);
}

// Two members of ten, in a loop that is unrolled twice.
TEST_F(AdviceOfLoops, HotField) {
    for (u64 i = 0; i < 20'000; ++i) {
        touch(1 + i % 2, 1, i * 80 + 16);
        touch(3 + i % 2, 1, i * 80 + 40, 4);
    }
    expect_hot_members(12, 80);
}

// One member of eight is looked at in most rounds, and all others in some: the advice is worth while from two fifths of the
// accesses on, and does not depend on where bursts cut runs.
TEST_F(AdviceOfLoops, HotFieldAmongOthers) {
    constexpr u64 kItems = 3000;
    u32 burst = 0;
    u64 told = 0;
    const auto use = [&](u64 field, u64 item) {
        if (++told % 2500 == 0) ++burst;
        touch(1 + field, 1, item * 64 + field * 8, 8, burst);
    };
    const auto all_others = [&] {
        for (u64 i = 0; i < kItems; ++i)
            for (u64 field = 1; field < 8; ++field) use(field, i);
    };
    for (u64 round = 0; round < 4; ++round)
        for (u64 i = 0; i < kItems; ++i) use(0, i);
    all_others();
    EXPECT_TRUE(advice().empty());  // 4 of 11
    for (u64 i = 0; i < kItems; ++i) use(0, i);
    expect_hot_members(8, 64);  // 5 of 12
}

// The busiest instruction goes from structure to structure; those of a vectorised loop, which together have more, over four.
TEST_F(AdviceOfLoops, HotFieldVectorised) {
    for (u64 i = 0; i < 40'000; ++i) {
        for (u64 field = 0; field < 5; ++field)
            if (i % 4 == 0) touch(1 + field, 1, i * 20 + field * 4, 4);
        touch(10, 1, i * 20 + 8, 4);
        for (u64 times = 0; times < 3; ++times) touch(11 + times * 4 + i % 4, 1, i * 20 + 8, 4);
    }
    expect_hot_members(4, 20);
}

// The second structure of each two is looked at only behind a condition: its accesses are at the same place of some of them.
TEST_F(AdviceOfLoops, HotFieldBehindCondition) {
    u64 random = 1;
    for (u64 i = 0; i < 40'000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (i % 2 == 0 || random >> 61 != 0) touch(1 + i % 2, 1, i * 40 + 8, 4);
    }
    touch(3, 1, 0);
    for (u64 i = 0; i < 4000; ++i) touch(4, 1, i * 40);
    expect_hot_members(4, 40);
}

// An instruction that stores what it has loaded goes on with the next one.
TEST_F(AdviceOfLoops, HotFieldUpdated) {
    for (u64 i = 0; i < 20'000; ++i) {
        touch(1, 1, i * 64 + 56);
        store(1, 1, i * 64 + 56);
    }
    expect_hot_members(8, 64);
}

// Sixteen structures at once.
TEST_F(AdviceOfLoops, HotFieldOfSixteen) {
    for (u64 i = 0; i < 40'000; ++i) touch(1 + i % 16, 1, i * 40 + 8, 4);
    expect_hot_members(4, 40);
}

// Two members half a structure apart, which a loop uses on one line: another one names them on two lines, or goes through
// every structure where this one is unrolled.
TEST_F(AdviceOfLoops, HalvesOfLines) {
    for (u64 i = 0; i < 20'000; ++i) {
        touch(1, 1, i * 64);
        touch(2, 1, i * 64 + 32);
    }
    for (u64 i = 0; i < 20'000; ++i) {
        touch(3, 1, i * 64, 8, 0, 2);
        touch(4, 1, i * 64 + 32, 8, 0, 3);
    }
    expect_hot_members(16, 64);
}
TEST_F(AdviceOfLoops, HalvesOfUnrolled) {
    for (u64 round = 0; round < 4; ++round)
        for (u64 i = 0; i < 20'000; ++i) {
            const u64 copy = round == 0 ? 0 : 2 + 2 * (i % 2);
            touch(1 + copy, 1, i * 64);
            touch(2 + copy, 1, i * 64 + 32);
        }
    expect_hot_members(16, 64);
}

// The first byte of a text in each structure, or of what is no text. The loop goes on from the second byte.
TEST_F(AdviceOfLoops, FirstByteOfText) {
    const auto read = [&](u32 object, bool is_text) {
        for (u64 round = 0; round < 3; ++round)
            for (u64 i = 0; i < 5000; ++i) {
                touch(10 * object, object, i * 36 + 4, 1);
                for (u64 k = 0; is_text && k < i % 3; ++k) touch(10 * object + 1, object, i * 36 + 5 + k, 1);
            }
    };
    read(1, true);
    EXPECT_TRUE(advice().empty());
    read(2, false);
    const auto found = advice();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, AdviceKind::HotField);
    EXPECT_EQ(found[0].object, 2u);
    EXPECT_EQ(found[0].used, 1u);
}

// All members are used in each round. Bursts cut them, so that some have a few accesses more.
TEST_F(AdviceOfLoops, AllFieldsTogether) {
    u64 told = 0;
    for (u64 round = 0; round < 5; ++round)
        for (u64 i = 0; i < 4000; ++i)
            for (u64 field = 0; field < 8; ++field)
                if (told++ / 1001 % 2 == 0) touch(1 + field, 1, i * 64 + field * 8, 8, static_cast<u32>(told / 2002));
    EXPECT_TRUE(advice().empty());
}

// All members are used, by loops of their own.
TEST_F(AdviceOfLoops, AllFields) {
    for (u64 field = 0; field < 4; ++field)
        for (u64 i = 0; i < 5000; ++i) touch(1 + field, 1, i * 32 + field * 8);
    EXPECT_TRUE(advice().empty());
}

TEST_F(AdviceOfLoops, Columns) {
    for (u64 round = 0; round < 10; ++round)
        for (u64 i = 0; i < kN; ++i) touch(1, 1, i * kRow + 48);
    const auto found = advice();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, AdviceKind::Columns);
    EXPECT_EQ(found[0].step, kRow);
    EXPECT_EQ(found[0].used, 8u);
}

// A loop goes several times through something larger than a cache, as its distances say.
TEST_F(AdviceOfLoops, Blocks) {
    for (u64 round = 0; round < 10; ++round)
        for (u64 i = 0; i < 8192; ++i) touch(1, 1, i * 8);
    EXPECT_TRUE(advice().empty());
    for (const u32 bucket : {12u, 13u, 14u, 15u, 16u, 17u, 18u, 19u, 20u}) {
        reuse(1, bucket);
        const u64 from = u64{4} << bucket;
        const auto found = advice();
        const u64 cache = from < kCache ? 0 : from < 4 * kCache ? kCache : from < kSecondCache ? 0 : from < 4 * kSecondCache ? kSecondCache : 0;
        ASSERT_EQ(found.size(), cache == 0 ? 0u : 1u) << bucket;
        if (cache == 0) continue;
        EXPECT_EQ(found[0].kind, AdviceKind::Blocks);
        EXPECT_EQ(found[0].cache, cache);
        EXPECT_EQ(found[0].low, from);
        EXPECT_EQ(found[0].high, 2 * from);
    }
}

// Loops of three lines, one after the other, go through an array once each: none of them comes back to anything. Those of
// one line are a loop whose outer loop was unrolled.
TEST_F(AdviceOfLoops, NoBlocksOfOnePass) {
    const auto pass = [&](u64 loop, u32 line) {
        for (u64 i = 0; i < 10'000; ++i) touch(loop, 1, i * 8, 8, 0, line);
    };
    for (u32 loop = 1; loop <= 3; ++loop) pass(loop, loop);
    reuse(1, 14);
    EXPECT_TRUE(advice().empty());
    pass(4, 3);
    ASSERT_EQ(advice().size(), 1u);
    EXPECT_EQ(advice()[0].line, 3u);
}

// Loops that store, one after the other: each may go on with a part. Those that only load may make something that the next
// one needs of all.
TEST_F(AdviceOfLoops, BlocksOfLoops) {
    u64 loop = 0;
    const auto pass = [&](bool stores) {
        ++loop;
        for (u64 i = 0; i < 10'000; ++i) {
            touch(2 * loop, 1, i * 8, 8, 0, static_cast<u32>(loop));
            if (stores) store(2 * loop + 1, 1, i * 8, static_cast<u32>(loop));
        }
    };
    reuse(1, 14);
    pass(true);
    pass(true);
    EXPECT_TRUE(advice().empty());
    pass(true);
    ASSERT_EQ(advice().size(), 1u);
    EXPECT_EQ(advice()[0].kind, AdviceKind::Blocks);
    EXPECT_EQ(advice()[0].loops, 3u);
    pass(false);
    pass(false);
    ASSERT_EQ(advice().size(), 1u);
    EXPECT_EQ(advice()[0].loops, 5u);
    pass(false);
    EXPECT_TRUE(advice().empty());
}

// The relaxation of a graph: edges in order, their nodes anywhere. Parts of the edges need all nodes. A small table is
// no hindrance.
TEST_F(AdviceOfLoops, NoBlocksOfAGraph) {
    const auto relax = [&](u64 nodes, u32 object) {
        u64 random = 1;
        for (u64 round = 0; round < 8; ++round)
            for (u64 i = 0; i < 10'000; ++i) {
                touch(10 * object, object, i * 8);
                random = random * 6364136223846793005u + 1442695040888963407u;
                touch(10 * object + 1, object + 1, (random >> 32) % nodes * 32);
            }
    };
    relax(16, 1);
    reuse(1, 14);
    ASSERT_EQ(advice().size(), 1u);
    EXPECT_EQ(advice()[0].object, 1u);
    relax(5000, 3);
    reuse(3, 14);
    EXPECT_TRUE(advice().empty());
    reuse(4, 14);
    EXPECT_TRUE(advice().empty());
}

// Anything else: rows, one after the other, and words anywhere.
TEST_F(AdviceOfLoops, None) {
    u64 random = 1;
    for (u64 i = 0; i < 20'000; ++i) {
        touch(1, 1, i * 8);
        random = random * 6364136223846793005u + 1442695040888963407u;
        touch(2, 2, random >> 40 & ~u64{7});
        touch(3, 3, i % 64 * 64);
    }
    EXPECT_TRUE(advice().empty());
}

}  // namespace
}  // namespace memspy::locality
