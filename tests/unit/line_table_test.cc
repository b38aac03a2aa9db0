// SPDX-License-Identifier: GPL-2.0-or-later
//
// The states of a line are distinguished in their eight bytes, and the table finds each line's own state, for
// every address that a program can have.
#include "lines/line_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace memspy::lines {
namespace {

// Each state answers only its own predicate.
TEST(LineState, ToldApart) {
    struct Case {
        const char* name;
        LineState state;
        bool untouched, owned, calm, shared, read_only;
    };
    const u32 most_serial = 0xDFFFFFFF, most_number = (u32{1} << 24) - 1;
    const Case cases[] = {
        {"untouched", LineState(), true, false, false, false, false},
        {"exclusive", LineState::exclusive(1, 0), false, true, false, false, false},
        {"exclusive, all flags",
         LineState::exclusive(most_serial, LineState::kMerged |
                                               LineState::kCopyModelled | LineState::kNewModelled),
         false, true, false, false, false},
        {"calm", LineState::calm(1, 0), false, true, true, false, false},
        {"calm, last number", LineState::calm(most_serial, most_number), false, true, true, false, false},
        {"shared", LineState::shared(0), false, false, false, true, false},
        {"shared, last number", LineState::shared((u32{1} << 24) - 1), false, false, false, true, false},
        {"read only by nobody", LineState::read_only(0, 0), false, false, false, false, true},
        {"read only by all", LineState::read_only((u32{1} << 28) - 1, 0), false, false, false, false,
         true},
        {"read only, not merged", LineState::read_only(1, LineState::kUnmerged), false, false, false, false,
         true},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(c.state.is_untouched(), c.untouched) << c.name;
        EXPECT_EQ(c.state.is_owned(), c.owned) << c.name;
        EXPECT_EQ(c.state.is_calm(), c.calm) << c.name;
        EXPECT_EQ(c.state.is_shared(), c.shared) << c.name;
        EXPECT_EQ(c.state.is_read_only(), c.read_only) << c.name;
        for (const Case& other : cases)
            EXPECT_EQ(c.state == other.state, &c == &other) << c.name << ", " << other.name;
    }
}

// Numbers, owners, sets and flags come back as they went in.
TEST(LineState, KeepsWhatItIsGiven) {
    EXPECT_EQ(LineState::shared(12345).number(), 12345u);
    const LineState calm = LineState::calm(77, 12345);
    EXPECT_EQ(calm.number(), 12345u);
    EXPECT_EQ(calm.owner(), 77u);
    EXPECT_TRUE(calm.is_owned_by(77));
    EXPECT_FALSE(calm.is_owned_by(78));
    EXPECT_TRUE(calm.has(LineState::kMerged));
    LineState readers = LineState::read_only(0x1, LineState::kUnmerged);
    readers.add_observed_reader(0x4);
    readers.add_modelled_reader(0x8000000);
    EXPECT_EQ(readers.observed_readers(), 0x5u);
    EXPECT_EQ(readers.modelled_readers(), 0x8000001u);
    EXPECT_TRUE(readers.has(LineState::kUnmerged));
    readers.clear(LineState::kUnmerged);
    EXPECT_FALSE(readers.has(LineState::kUnmerged));
    EXPECT_EQ(readers.modelled_readers(), 0x8000001u);
    LineState mine = LineState::exclusive(3, LineState::kNewModelled | LineState::kCopyModelled);
    mine.set(LineState::kMerged);
    mine.clear(LineState::kNewModelled);
    EXPECT_TRUE(mine.has(LineState::kMerged) && mine.has(LineState::kCopyModelled));
    EXPECT_FALSE(mine.has(LineState::kNewModelled));
    EXPECT_EQ(mine.owner(), 3u);
    EXPECT_FALSE(mine.is_calm());
}

// Random lines of each size against a map; look() touches nothing.
TEST(LineTable, RandomLines) {
    for (u32 line_bytes = 16; line_bytes <= 256; line_bytes *= 2) {
        LineTable table;
        table.initialise(line_bytes);
        EXPECT_EQ(u32{1} << table.line_bits(), line_bytes);
        std::mt19937_64 random(line_bytes);
        std::map<u64, u32> model;
        const Address areas[] = {0x400000, 0x4A00000, 0x1FFE000000, (Address{1} << 37) - 0x100000};
        for (u32 i = 0; i < 20'000; ++i) {
            const Address a = areas[random() % 4] + random() % 0x80000;
            const u64 line = table.line_of(a);
            const auto known = model.find(line);
            ASSERT_EQ(table.look(a).is_untouched(), known == model.end());
            if (known != model.end()) {
                ASSERT_EQ(table.look(a), LineState::exclusive(known->second, 0));
                ASSERT_EQ(table[line], table.look(a));
            }
            if (random() % 2 == 0) {
                model[line] = i + 1;
                table[line] = LineState::exclusive(i + 1, 0);
            }
        }
        EXPECT_EQ(table.find(table.line_of(0x3000000000 >> 1)), nullptr) << "nothing of it was touched";
        // Any address may be looked up.
        for (u32 i = 0; i < 1000; ++i) {
            const u64 any = random();
            table.prefetch(any);
            static_cast<void>(table.look(any));
        }
    }
}

// for_each_known visits exactly the lines of the range with a SharedLine, shared or calm.
TEST(LineTable, ForEachKnown) {
    LineTable table;
    table.initialise(64);
    const u64 first = table.line_of(0x500000);
    const u32 a = table.make_shared(first), b = table.make_shared(first + 3),
              c = table.make_shared(first + 40'000);
    table[first] = LineState::shared(a);
    table[first + 1] = LineState::exclusive(2, 0);
    table[first + 2] = LineState::read_only(1, 0);
    table[first + 3] = LineState::calm(2, b);
    table[first + 40'000] = LineState::shared(c);  // another leaf, with untouched ones in between
    auto visited = [&](Address begin, Address end) {
        std::vector<u64> lines;
        table.for_each_known(begin, end,
                             [&](const SharedLine& shared) { lines.push_back(shared.line - first); });
        return lines;
    };
    EXPECT_EQ(visited(0x500000, 0x500000 + 40'001 * 64), (std::vector<u64>{0, 3, 40'000}));
    EXPECT_EQ(visited(0x50003f, 0x500040), (std::vector<u64>{0}));
    EXPECT_EQ(visited(0x500040, 0x5000c0), (std::vector<u64>{}));
    EXPECT_EQ(visited(0x500040, 0x5000c1), (std::vector<u64>{3}));
    EXPECT_EQ(table.shared_count(), 3u);
    EXPECT_EQ(table.of(table[first + 3]).line, first + 3);
}

}  // namespace
}  // namespace memspy::lines
