// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves: redundant cells and bytes of a value are those of the definition, bit for bit, for every type,
// against a reference that takes values apart bit by bit.
#include "analyses/zeros/redundancy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace memspy;
using namespace memspy::zeros;

using Bits = std::vector<bool>;  // lowest first

Bits bits_of(u64 value, u32 bytes) {
    Bits bits;
    for (u32 i = 0; i < bytes * 8; ++i) bits.push_back((value >> i & 1) != 0);
    return bits;
}

bool all_zero(const Bits& bits, usize begin, usize end) {
    for (usize i = begin; i < end; ++i)
        if (bits[i]) return false;
    return true;
}

// Cells of `count` bits from `begin` on, eight bits to a cell.
void add_cells(std::vector<bool>& cells, const Bits& bits, usize begin, usize count) {
    for (usize i = 0; i < count; i += 8)
        cells.push_back(all_zero(bits, begin + i, begin + std::min(i + 8, count)));
}

std::vector<bool> cells_of(u64 value, ValueType type) {
    const Bits bits = bits_of(value, type.bytes());
    std::vector<bool> cells;
    if (type.is_float()) {
        const usize mantissa = type.bytes() == 4 ? 23 : 52, exponent = type.bytes() == 4 ? 8 : 11;
        add_cells(cells, bits, 0, mantissa);
        add_cells(cells, bits, mantissa, exponent);
        add_cells(cells, bits, mantissa + exponent, 1);
        return cells;
    }
    for (u32 i = 0; i < type.bytes(); ++i) cells.push_back(all_zero(bits, i * 8, type.bytes() * 8));
    return cells;
}

u32 mask_of(const std::vector<bool>& flags) {
    u32 mask = 0;
    for (usize i = 0; i < flags.size(); ++i) mask |= flags[i] ? 1u << i : 0u;
    return mask;
}

const std::vector<ValueType>& types() {
    static const std::vector<ValueType> all = [] {
        std::vector<ValueType> made;
        for (u32 bytes : {1u, 2u, 4u, 8u}) made.emplace_back(ElementKind::Integer, bytes, 1, true);
        for (u32 bytes : {4u, 8u}) made.emplace_back(ElementKind::Float, bytes, 1, true);
        return made;
    }();
    return all;
}

u64 cut(u64 value, u32 bytes) { return bytes == 8 ? value : value & ((u64{1} << bytes * 8) - 1); }

u64 from_double(double value) {
    u64 bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
u64 from_float(float value) {
    u32 bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Values with zeros in all kinds of places: random bits under random masks of bits and of bytes.
u64 random_value(std::mt19937_64& random) {
    u64 value = random();
    for (u64 how = random() % 4; how > 0; --how) value &= random();
    const u64 bytes = random();
    for (u32 i = 0; i < 8; ++i)
        if ((bytes >> i & 1) != 0) value &= ~(u64{0xFF} << i * 8);
    if ((bytes >> 8 & 3) == 0) value >>= bytes >> 10 & 63;
    if ((bytes >> 8 & 3) == 1) value <<= bytes >> 10 & 63;
    return value;
}

TEST(Redundancy, RandomValuesAsTheReferenceHasThem) {
    std::mt19937_64 random(20260101);
    for (u32 i = 0; i < 120'000; ++i) {
        const u64 any = random_value(random);
        for (const ValueType type : types()) {
            const u64 value = cut(any, type.bytes());
            ASSERT_EQ(redundant_cells(value, type), mask_of(cells_of(value, type)))
                << std::hex << value << " of " << type.bytes() << " bytes";
        }
    }
}

// Each power of two, and each value below it by one: the edges of every byte and of every cell.
TEST(Redundancy, EdgesOfCells) {
    for (const ValueType type : types())
        for (u32 bit = 0; bit < type.bytes() * 8; ++bit)
            for (const u64 value : {u64{1} << bit, (u64{1} << bit) - 1})
                ASSERT_EQ(redundant_cells(value, type), mask_of(cells_of(value, type))) << std::hex << value;
}

TEST(Redundancy, SaidInWords) {
    const ValueType word(ElementKind::Integer, 8, 1, true), byte(ElementKind::Integer, 1, 1, true);
    const ValueType wide(ElementKind::Float, 8, 1, true), narrow(ElementKind::Float, 4, 1, true);
    EXPECT_EQ(redundant_cells(255, word), 0xFEu);
    EXPECT_EQ(redundant_cells(256, word), 0xFCu);
    EXPECT_EQ(redundant_cells(0, word), 0xFFu);
    EXPECT_EQ(redundant_cells(u64{1} << 63, word), 0u);  // zeros below a significant byte are none
    EXPECT_EQ(redundant_cells(0, byte), 1u);
    EXPECT_EQ(redundant_cells(from_double(0.0), wide), 0x3FFu);
    EXPECT_EQ(redundant_cells(from_double(-0.0), wide), 0x1FFu);
    EXPECT_EQ(redundant_cells(from_double(1.0), wide), 0x27Fu);   // 0x3ff: both cells of the exponent
    EXPECT_EQ(redundant_cells(from_double(2.0), wide), 0x2FFu);   // 0x400
    EXPECT_EQ(redundant_cells(from_double(-3.0), wide), 0x0BFu);  // and the mantissa's top
    EXPECT_EQ(redundant_cells(from_float(0.0f), narrow), 0x1Fu);
    EXPECT_EQ(redundant_cells(from_float(-0.0f), narrow), 0x0Fu);
    EXPECT_EQ(redundant_cells(from_float(1.0f), narrow), 0x17u);
    EXPECT_EQ(redundant_cells(from_float(1.5f), narrow), 0x13u);
}

}  // namespace
