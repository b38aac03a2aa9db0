// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves: for whole traces of loads of random values, types, addresses and objects, marks and folding agree
// with a plain reference that keeps two flags for each byte; floats count by cells, whatever is loaded beside
// them; marks that are moved are those of another place; strides and columns of memory made from them are found.
#include "instrument/zeros/byte_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <vector>

#include "analyses/zeros/objects.h"
#include "analyses/zeros/redundancy.h"

namespace {

using namespace memspy;
using namespace memspy::instrument;
using namespace memspy::zeros;

struct Owned : ObjectCounts {
    Owned() = default;
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { forget_map(*this); }
};

// Bit i: byte i of the value is redundant. For an integer: it and all bytes above are zero; for a float,
// whose parts share bytes: it is zero.
u32 redundant_bytes(u64 value, ValueType type) {
    u32 redundant = 0;
    for (u32 i = type.bytes(); i-- > 0;) {
        if ((value >> 8 * i & 0xFF) == 0)
            redundant |= 1u << i;
        else if (!type.is_float())
            break;
    }
    return redundant;
}

struct Seen {
    bool loaded = false, significant = false;
};

class Marks : public testing::Test {
protected:
    void SetUp() override {
        initialise_marks();
        make_markable(kMemory, kBytes);
    }
    void TearDown() override { clear_marks(kMemory, kMemory + kBytes); }

    void load(Address a, u64 value, ValueType type) {
        const u32 redundant = redundant_bytes(value, type);
        mark(a, marks_of(type.bytes(), ~redundant));
        for (u32 i = 0; i < type.bytes(); ++i) {
            Seen& seen = reference_[a + i];
            seen.loaded = true;
            if ((redundant >> i & 1) == 0) seen.significant = true;
        }
    }
    void fold_checked(ObjectCounts& counts, Address begin, Address end, Address start) {
        const ObjectCounts before = counts;
        fold(counts, begin, end, start);
        ObjectCounts want;
        std::map<u64, ZeroShare> blocks[kZeroBlockKinds];  // by number: accessed bytes, redundant bytes
        for (auto it = reference_.lower_bound(begin); it != reference_.end() && it->first < end; ++it) {
            if (!it->second.loaded) continue;
            ++want.accessed;
            want.redundant += !it->second.significant;
            for (u32 i = 0; i < kZeroBlockKinds; ++i) {
                ZeroShare& share = blocks[i][(it->first - start) / kZeroBlockSizes[i]];
                ++share.accessed;
                share.zero += !it->second.significant;
            }
        }
        EXPECT_EQ(counts.accessed - before.accessed, want.accessed);
        EXPECT_EQ(counts.redundant - before.redundant, want.redundant);
        for (u32 i = 0; i < kZeroBlockKinds; ++i) {
            u64 zero = 0;
            for (const auto& [number, share] : blocks[i]) zero += share.zero == share.accessed;
            EXPECT_EQ(counts.zero_blocks[i].accessed - before.zero_blocks[i].accessed, blocks[i].size()) << i;
            EXPECT_EQ(counts.zero_blocks[i].zero - before.zero_blocks[i].zero, zero) << i;
        }
    }
    void forget(Address begin, Address end) {
        clear_marks(begin, end);
        reference_.erase(reference_.lower_bound(begin), reference_.lower_bound(end));
    }

    // Across the edge of two leaves, so that marks of one word are in both.
    static constexpr Address kMemory = (Address{5} << kMarkLeafBits) - 4096;
    static constexpr usize kBytes = 8192;
    std::map<Address, Seen> reference_;
};

u64 cut(u64 value, u32 bytes) { return bytes == 8 ? value : value & ((u64{1} << bytes * 8) - 1); }

TEST_F(Marks, RandomTraces) {
    std::mt19937_64 random(7);
    const ValueType types[] = {{ElementKind::Integer, 2, 1, true},
                               {ElementKind::Integer, 4, 1, true},
                               {ElementKind::Integer, 8, 1, true},
                               {ElementKind::Float, 4, 1, true},
                               {ElementKind::Float, 8, 1, true}};
    for (u32 round = 0; round < 60; ++round) {
        // Consecutive objects of all sizes; loads do not cross their ends.
        std::vector<Address> edges = {kMemory, kMemory + kBytes};
        for (u64 n = random() % 40; n > 0; --n) edges.push_back(kMemory + random() % kBytes / 2 * 2);
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        for (u32 i = 0; i < 3000; ++i) {
            const ValueType type = types[random() % std::size(types)];
            const usize which = random() % (edges.size() - 1);
            const Address begin = edges[which], end = edges[which + 1];
            if (end - begin < type.bytes()) continue;
            Address a = begin + random() % (end - begin - type.bytes() + 1);
            a -= a % 2;
            // A load across leaves is only marked in the first one, which the reference does not do.
            constexpr Address kEdge = kMemory + 4096;
            if (a < kEdge && a + type.bytes() > kEdge) a = begin < kEdge ? kEdge - type.bytes() : kEdge;
            if (a < begin || a + type.bytes() > end) continue;
            u64 value = random();
            if (random() % 4 != 0) value >>= random() % 64;
            if (random() % 4 == 0) value <<= random() % 64;
            if (random() % 4 == 0) value = 0;
            load(a, cut(value, type.bytes()), type);
        }
        std::vector<Owned> counts(edges.size());
        u64 accessed = 0;
        for (usize i = 0; i + 1 < edges.size(); ++i) {
            fold_checked(counts[i], edges[i], edges[i + 1], edges[i]);
            EXPECT_EQ(counts[i].blocks, 1u);
            EXPECT_EQ(counts[i].bytes, edges[i + 1] - edges[i]);
            u64 in_map = 0, redundant_in_map = 0;
            for (u32 c = 0; c < counts[i].map_cells; ++c) {
                in_map += counts[i].map[c].accessed;
                redundant_in_map += counts[i].map[c].redundant;
            }
            EXPECT_EQ(in_map, counts[i].accessed);
            EXPECT_EQ(redundant_in_map, counts[i].redundant);
            accessed += counts[i].accessed;
        }
        EXPECT_GT(accessed, 0u);
        // A part of the memory gets new owners: its marks are cleared, and no others.
        // It begins and ends where values do.
        const Address begin = kMemory + random() % kBytes / 8 * 8;
        const Address end = begin + random() % (kMemory + kBytes - begin) / 8 * 8;
        forget(begin, end);
        for (Address a = kMemory; a < kMemory + kBytes; ++a) {
            const auto it = reference_.find(a);
            const u32 want = it == reference_.end() || !it->second.loaded ? 0
                             : it->second.significant                     ? 3
                                                                          : 1;
            ASSERT_EQ(marks_at(a) & 3, want) << a - kMemory;
        }
    }
}

// What generated code marks for a float, from the law of cells.
u64 float_marks(double value) {
    const u64 bits = std::bit_cast<u64>(value);
    u64 marks = kDoubleMark;
    for (u32 i = 0; i < 7; ++i) {
        const u64 mantissa = bits & ((u64{1} << 52) - 1);
        if ((mantissa >> 8 * i & 0xFF) != 0) marks |= u64{1} << (2 * i + 1);
    }
    const u64 exponent = bits >> 52 & 0x7FF;
    if ((exponent & 0xFF) != 0) marks |= u64{1} << 15;
    if (exponent >> 8 != 0) marks |= u64{1} << kHighExponentOfDouble;
    if (bits >> 63 != 0) marks |= u64{1} << kSignOfDouble;
    return marks;
}

TEST_F(Marks, FloatsCountByCells) {
    mark(kMemory, static_cast<u32>(float_marks(1.0)));
    EXPECT_EQ(marks_at(kMemory), 0xF555u);  // its bytes 6 and 7 are not zero
    CellCounts cells = cells_between(kMemory, kMemory + 8);
    EXPECT_EQ(cells.loaded, 10u);
    EXPECT_EQ(cells.redundant, 8u);
    // -1 there, too: the sign.
    mark(kMemory, static_cast<u32>(float_marks(-1.0)));
    EXPECT_EQ(cells_between(kMemory, kMemory + 8).redundant, 7u);
    // A part of it counts by bytes.
    cells = cells_between(kMemory, kMemory + 4);
    EXPECT_EQ(cells.loaded, 4u);
    EXPECT_EQ(cells.redundant, 4u);
    // Copied as an integer: by bytes.
    mark(kMemory, marks_of(8, 0xC0));
    cells = cells_between(kMemory, kMemory + 8);
    EXPECT_EQ(cells.loaded, 8u);
    EXPECT_EQ(cells.redundant, 6u);
    // Two floats, the second of which is -1; a short beside them.
    mark(kMemory + 16, kFloatMark | (kFloatMark | 1 << 7 | 1 << kSignOfFloat) << 8);
    mark(kMemory + 24, marks_of(2, 1));
    cells = cells_between(kMemory + 16, kMemory + 32);
    EXPECT_EQ(cells.loaded, 12u);
    EXPECT_EQ(cells.redundant, 5u + 3 + 1);
}

// One of three bytes: no floats.
TEST_F(Marks, BytesWithAStrideAreNoFloats) {
    for (u32 stride : {3u, 5u, 7u, 9u}) {
        clear_marks(kMemory, kMemory + 4096);
        for (u32 i = 0; i < 256; ++i) mark(kMemory + stride * i, marks_of(1, 1));
        const CellCounts cells = cells_between(kMemory, kMemory + stride * 256);
        EXPECT_EQ(cells.loaded, 256u) << stride;
        EXPECT_EQ(cells.redundant, 0u) << stride;
    }
}

TEST_F(Marks, MovedMarksAreThoseOfTheOtherPlace) {
    make_markable(kKeptMarks, 4096);
    const ValueType word(ElementKind::Integer, 8, 1, true);
    for (Address shift : {0, 16}) {
        const Address frame = kMemory + 512 + shift, to = kKeptMarks + 1024 + 16 * shift;
        load(frame + 8, 7, word);
        load(frame + 40, ~u64{0}, word);
        load(frame + 64, 1, word);  // a neighbour's
        move_marks(frame, frame + 64, to);
        EXPECT_EQ(marks_at(to), 0u);
        EXPECT_EQ(marks_at(to + 8), marks_of(8, 1));
        EXPECT_EQ(marks_at(to + 40), marks_of(8, 0xFF));
        for (Address a = frame; a < frame + 64; a += 8) EXPECT_EQ(marks_at(a), 0u);
        EXPECT_EQ(marks_at(frame + 64), marks_of(8, 1));
        // Those of another frame are added.
        load(frame + 8, 0x700, word);
        move_marks(frame, frame + 64, to);
        EXPECT_EQ(marks_at(to + 8), marks_of(8, 3));
    }
    clear_marks(kKeptMarks, kKeptMarks + 4096);
}

// Blocks of one object are added up, byte by byte if they are small; the map's cells become wider as it
// grows.
TEST_F(Marks, BlocksAreAddedUp) {
    const ValueType byte(ElementKind::Integer, 1, 1, true);
    Owned counts;
    for (Address block : {kMemory, kMemory + 32}) {
        for (u32 i = 0; i < 32; ++i) load(block + i, i % 2, byte);
        fold_checked(counts, block, block + 32, block);
    }
    ASSERT_EQ(counts.cell_bytes, 1u);
    for (u32 i = 0; i < 32; ++i) {
        EXPECT_EQ(counts.map[i].accessed, 2u);
        EXPECT_EQ(counts.map[i].redundant, i % 2 == 0 ? 2u : 0u);
    }
    for (u32 i = 0; i < 1024; ++i) load(kMemory + 1024 + i, 1, byte);
    fold_checked(counts, kMemory + 1024, kMemory + 2048, kMemory + 1024);
    EXPECT_EQ(counts.cell_bytes, 4u);
    EXPECT_EQ(counts.blocks, 3u);
    EXPECT_EQ(counts.map[0].accessed, 2u * 4 + 4);
    EXPECT_EQ(counts.map[0].redundant, 2u * 2);
    EXPECT_EQ(counts.map[8].accessed, 4u);
}

// Addresses that were never made markable have no marks, and marking them does no harm.
TEST_F(Marks, NobodysMemory) {
    constexpr Address kElsewhere = Address{100} << kMarkLeafBits;
    mark(kElsewhere, 0xFFFF);
    EXPECT_EQ(marks_at(kElsewhere), 0u);
    EXPECT_EQ(next_marked(kElsewhere, kElsewhere + 4096), kElsewhere + 4096);
}

class Patterns : public Marks {
protected:
    static constexpr ValueType kWord{ElementKind::Integer, 8, 1, true};
    void plane(u64 number, u64 bytes, u64 value) {
        for (u64 i = 0; i < bytes; i += 8) load(kMemory + number * bytes + i, value, kWord);
    }
    Owned counts_;
    const ObjectCounts& folded(usize bytes) {
        fold_checked(counts_, kMemory, kMemory + bytes, kMemory);
        return counts_;
    }
};

TEST_F(Patterns, ZeroPlanes) {
    for (u64 i = 0; i < 32; ++i) plane(i, 192, i == 3 || i == 11 || i == 12 || i == 30 ? 77 : 0);
    const ObjectCounts& counts = folded(32 * 192);
    EXPECT_EQ(counts.rows.stride, 192u);
    EXPECT_EQ(counts.rows.share.accessed, 32u);
    EXPECT_EQ(counts.rows.share.zero, 28u);
}

// Single zeros in a plane do not belong to the pattern, and neither do bytes that were never loaded.
TEST_F(Patterns, PlanesWithHoles) {
    for (u64 i = 0; i < 16; ++i) {
        if (i == 9) continue;
        plane(i, 512, 0);
        if (i % 5 == 2)
            for (u64 at = 0; at < 512; at += 8)
                if (at % 40 != 0) load(kMemory + i * 512 + at, ~u64{0}, kWord);
    }
    const ObjectCounts& counts = folded(16 * 512);
    EXPECT_EQ(counts.rows.stride, 512u);
    EXPECT_EQ(counts.rows.share.accessed, 15u);
    EXPECT_EQ(counts.rows.share.zero, 12u);
}

TEST_F(Patterns, ScatteredZerosAreNoRows) {
    std::mt19937_64 random(5);
    for (u64 i = 0; i < 8192; i += 8) load(kMemory + i, random() % 2, kWord);
    EXPECT_EQ(folded(8192).rows.stride, 0u);
}

TEST_F(Patterns, ColumnsOfIntegers) {
    for (u64 i = 0; i < 4096; i += 8) load(kMemory + i, i % 200 + 1, kWord);
    const ObjectCounts& counts = folded(4096);
    ASSERT_EQ(counts.columns.stride, 8u);
    EXPECT_EQ(counts.columns.redundant[0], 0xFEu);
}

// The same bytes loaded in pairs: half of them are the low bytes of a value.
TEST_F(Patterns, ColumnsOfShorts) {
    const ValueType two(ElementKind::Integer, 2, 1, true);
    for (u64 i = 0; i < 4096; i += 2) load(kMemory + i, i % 255 + 1, two);
    const ObjectCounts& counts = folded(4096);
    ASSERT_EQ(counts.columns.stride, 2u);
    EXPECT_EQ(counts.columns.redundant[0], 2u);
}

// Elements of 24 bytes: an int of one byte, four bytes that are never loaded, a full word, a pointer of six
// bytes. One exception behind the searched part removes a column.
TEST_F(Patterns, ColumnsOfStructures) {
    const ValueType four(ElementKind::Integer, 4, 1, true);
    for (u64 i = 0; i + 24 <= 4800; i += 24) {
        load(kMemory + i, 5, four);
        load(kMemory + i + 8, ~u64{0}, kWord);
        load(kMemory + i + 16, 0x1234'5678'9ABC, kWord);
    }
    const ObjectCounts& counts = folded(4800);
    ASSERT_EQ(counts.columns.stride, 24u);
    EXPECT_EQ(counts.columns.redundant[0], 0b1100'0000'0000'0000'0000'1110u);
}

TEST_F(Patterns, NoColumnsWithoutOrder) {
    std::mt19937_64 random(3);
    const ValueType byte(ElementKind::Integer, 1, 1, true);
    for (u64 i = 0; i < 4096; ++i) load(kMemory + i, random() % 2, byte);
    EXPECT_EQ(folded(4096).columns.stride, 0u);
}

}  // namespace
