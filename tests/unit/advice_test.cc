// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves: the advice on redundant zeros for given counts, with its type and words; above all that a narrower
// type is named only if it would have held every value.
#include "analyses/zeros/advice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace memspy;
using namespace memspy::zeros;

// "narrow uint8_t: every value…" for each piece of advice.
template <typename What>
std::vector<std::string> advice_on(const What& what) {
    std::vector<std::string> given;
    advise(
        what,
        [](const ZeroAdvice& advice, void* argument) {
            std::string text = word(advice.remedy);
            if (advice.type[0] != '\0') text += std::string(" ") + advice.type;
            rt::Text sentence;
            add_sentence(sentence, advice);
            static_cast<std::vector<std::string>*>(argument)->push_back(text + ": " + sentence.c_str());
        },
        &given);
    return given;
}
using Given = std::vector<std::string>;

LoadRow row(ElementKind kind, u32 bytes, u64 elements, u64 zero, const std::vector<u64>& cells) {
    LoadRow made;
    made.type = ValueType(kind, bytes, 1, true);
    made.counts.elements = elements;
    made.counts.zero = zero;
    made.counts.numbers = true;
    for (usize i = 0; i < cells.size(); ++i) {
        made.counts.cells[i] = cells[i];
        made.counts.redundant += cells[i];
    }
    return made;
}

TEST(RowAdvice, NarrowerIntegers) {
    EXPECT_EQ(advice_on(row(ElementKind::Integer, 8, 100, 0, {0, 100, 100, 100, 100, 100, 100, 100})),
              Given{"narrow uint8_t: every value fits uint8_t, it has 8 bytes"});
    EXPECT_EQ(advice_on(row(ElementKind::Integer, 8, 100, 0, {0, 99, 100, 100, 100, 100, 100, 100})),
              Given{"narrow uint16_t: every value fits uint16_t, it has 8 bytes"});
    EXPECT_EQ(advice_on(row(ElementKind::Integer, 8, 100, 0, {0, 0, 0, 100, 100, 100, 100, 100})),
              Given{"narrow uint32_t: every value fits uint32_t, it has 8 bytes"});
    EXPECT_EQ(advice_on(row(ElementKind::Integer, 2, 100, 0, {0, 100})),
              Given{"narrow uint8_t: every value fits uint8_t, it has 2 bytes"});
    // One value out of a hundred, or a byte that no C type saves.
    EXPECT_EQ(advice_on(row(ElementKind::Integer, 8, 100, 0, {0, 99, 99, 99, 99, 99, 99, 99})), Given{});
    EXPECT_EQ(advice_on(row(ElementKind::Integer, 4, 100, 0, {0, 0, 0, 100})), Given{});
    EXPECT_EQ(advice_on(row(ElementKind::Integer, 1, 100, 40, {40})), Given{});
}

TEST(RowAdvice, AddressesHaveAFixedWidth) {
    LoadRow pointers = row(ElementKind::Integer, 8, 100, 0, {0, 0, 0, 100, 100, 100, 100, 100});
    pointers.counts.numbers = false;
    EXPECT_EQ(advice_on(pointers), Given{});
    pointers.counts.numbers = true;
    pointers.uses.address = true;
    EXPECT_EQ(advice_on(pointers), Given{});
    LoadRow halves = row(ElementKind::Integer, 4, 100, 0, {0, 0, 100, 100});
    halves.counts.numbers = false;
    EXPECT_EQ(advice_on(halves), Given{"narrow uint16_t: every value fits uint16_t, it has 4 bytes"});
}

TEST(RowAdvice, Floats) {
    EXPECT_EQ(advice_on(row(ElementKind::Float, 8, 100, 0, {100, 100, 100, 100, 0, 0, 0, 0, 0, 100})),
              Given{"narrow float: the mantissa of every value fits a float; it is a double"});
    EXPECT_EQ(advice_on(row(ElementKind::Float, 8, 100, 0, {100, 100, 100, 99, 0, 0, 0, 0, 0, 100})),
              Given{});
    EXPECT_EQ(advice_on(row(ElementKind::Float, 4, 100, 0, {100, 100, 0, 0, 100})), Given{});
}

TEST(RowAdvice, ZerosToSkip) {
    LoadRow mostly = row(ElementKind::Integer, 4, 100, 50, {50, 50, 50, 50});
    EXPECT_EQ(advice_on(mostly), Given{});
    mostly.uses.arithmetic = true;
    EXPECT_EQ(advice_on(mostly),
              Given{"skip: 50.0% of the values are zero: test for zero and skip the calculation"});
    mostly.counts.zero = 49;
    EXPECT_EQ(advice_on(mostly), Given{});
    EXPECT_EQ(advice_on(row(ElementKind::Float, 4, 100, 90, {90, 90, 90, 90, 90})),
              Given{"skip: 90.0% of the values are zero: test for zero and skip the calculation"});
    EXPECT_EQ(advice_on(row(ElementKind::Float, 4, 100, 100, {100, 100, 100, 100, 100})),
              Given{"constant: every value is zero"});
    EXPECT_EQ(advice_on(LoadRow{}), Given{});
}

ObjectCounts object(u64 accessed, u64 redundant) {
    ObjectCounts made;
    made.bytes = made.largest = made.accessed = made.cells = accessed;
    made.redundant = redundant;
    return made;
}

TEST(ObjectAdvice, PlanesAndTheirElements) {
    ObjectCounts grid = object(2400, 2300);
    grid.planes = {.dimension = 1, .dimensions = 2, .element = 8, .share = {30, 24}};
    grid.columns.stride = 40;
    grid.columns.set_redundant(0);
    const std::string stripes = "sparse: 24 of 30 stripes [.][j] are zero: keep the others by index";
    EXPECT_EQ(advice_on(grid), Given{stripes});
    grid.planes.element = 40;
    EXPECT_EQ(advice_on(grid),
              (Given{stripes, "narrow: of each 40 bytes these are always redundant: 0-0"}));
}

TEST(ObjectAdvice, RowsThatAreBlocks) {
    ObjectCounts rows = object(2400, 2300);
    rows.blocks = 10;
    rows.block_bytes = rows.largest = 240;
    rows.whole_blocks = {10, 7};
    EXPECT_EQ(advice_on(rows), Given{"sparse: 70.0% of its rows of 240 bytes are zero: keep only the others"});
    rows.rows = {.stride = 80, .share = {30, 27}};
    EXPECT_EQ(advice_on(rows), Given{"sparse: 90.0% of its rows of 80 bytes are zero: keep only the others"});
    rows.rows = {};
    rows.block_bytes = 0;
    EXPECT_EQ(advice_on(rows), Given{});
}

TEST(ObjectAdvice, Columns) {
    ObjectCounts words = object(800, 700);
    words.columns.stride = 8;
    for (u32 i = 1; i < 8; ++i) words.columns.set_redundant(i);
    EXPECT_EQ(advice_on(words), Given{"narrow uint8_t: every value fits uint8_t, it has 8 bytes"});
    words.columns = Columns{.stride = 8};
    for (u32 i = 0; i < 6; ++i) words.columns.set_redundant(i);
    EXPECT_EQ(advice_on(words),
              Given{"narrow float: the mantissa of every value fits a float; it is a double"});
    words.columns = Columns{.stride = 24};
    for (u32 i : {1u, 2u, 3u, 12u, 20u, 21u}) words.columns.set_redundant(i);
    EXPECT_EQ(advice_on(words),
              Given{"narrow: of each 24 bytes these are always redundant: 1-3 12-12 20-21"});
}

// The coarsest pattern in which half of the object is zero, and only if the object has several of its parts.
TEST(ObjectAdvice, Sparse) {
    ObjectCounts planes = object(8192, 6000);
    planes.zero_blocks[0] = {1024, 900};
    EXPECT_EQ(advice_on(planes),
              Given{"sparse: 87.9% of its blocks of 8 bytes are zero: keep only the others"});
    planes.zero_blocks[1] = {128, 64};
    EXPECT_EQ(advice_on(planes),
              Given{"sparse: 50.0% of its blocks of 64 bytes are zero: keep only the others"});
    planes.rows = RowPattern{1024, {8, 3}};
    EXPECT_EQ(advice_on(planes),
              Given{"sparse: 50.0% of its blocks of 64 bytes are zero: keep only the others"});
    planes.rows = RowPattern{1024, {8, 6}};
    EXPECT_EQ(advice_on(planes),
              Given{"sparse: 75.0% of its rows of 1,024 bytes are zero: keep only the others"});
    ObjectCounts small = object(100, 90);
    small.zero_blocks[1] = {2, 1};
    EXPECT_EQ(advice_on(small), Given{});
}

TEST(ObjectAdvice, NothingButZeros) {
    EXPECT_EQ(advice_on(object(640, 640)), Given{"constant: nothing but zeros is ever loaded from it"});
    EXPECT_EQ(advice_on(object(8, 8)), Given{});  // too small to be reported
    EXPECT_EQ(advice_on(object(640, 0)), Given{});
    // A load of something else that the marks do not have.
    ObjectCounts nearly = object(640, 640);
    nearly.loads.slots[0] = {.loaded = 6400, .redundant = 6399};
    EXPECT_EQ(advice_on(nearly), Given{});
}

}  // namespace
