// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of a value that are redundant zeros. Pure functions of the bits of one element (in the low bits
// of a word, with zeros above them) and its type; a vector is processed element by element.
//
//   integer  the run of zero bytes from the most significant end
//   float    each cell by itself, if all its bits are zero: 0.0 is fully redundant, -0.0 has a sign
#pragma once

#include "instrument/zeros/element.h"

namespace memspy::zeros {

using instrument::ElementKind;
using instrument::kMostCells;
using instrument::ValueType;

// Bit i: byte i of `word` is not zero. Three steps for all bytes at once: adding 127 to the lower seven bits
// of a byte carries into its eighth unless they are zero; the product then moves bit 8i to 56 + i, and no two
// bits to the same place.
constexpr u32 nonzero_bytes(u64 word) {
    constexpr u64 kLowSeven = 0x7F7F'7F7F'7F7F'7F7Fu;
    const u64 flags = (((word & kLowSeven) + kLowSeven) | word) & ~kLowSeven;
    return static_cast<u32>(((flags >> 7) * 0x0102'0408'1020'4080u) >> 56);
}

// The number of leading zero bytes of an integer of `bytes` bytes.
constexpr u32 leading_zero_bytes(u64 value, u32 bytes) {
    return static_cast<u32>(std::countl_zero(value)) / 8 + bytes - 8;
}

// Bit i: cell i (element.h) is redundant.
constexpr u32 redundant_cells(u64 bits, ValueType type) {
    if (!type.is_float()) {
        const u32 zeros = leading_zero_bytes(bits, type.bytes());
        return ((1u << zeros) - 1) << (type.bytes() - zeros);
    }
    // The mantissa's bytes, with the exponent's lowest eight bits above.
    if (type.bytes() == 4) {
        const u64 parts = (bits & 0x7F'FFFFu) | (bits >> 23 & 0xFF) << 24;
        return (~nonzero_bytes(parts) & 0xF) | (bits >> 31 == 0 ? 0x10u : 0u);
    }
    const u64 parts = (bits & 0xF'FFFF'FFFF'FFFFu) | bits >> 52 << 56;
    return (~nonzero_bytes(parts) & 0xFF) | ((bits >> 60 & 7) == 0 ? 0x100u : 0u) |
           (bits >> 63 == 0 ? 0x200u : 0u);
}

}  // namespace memspy::zeros
