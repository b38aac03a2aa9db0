// SPDX-License-Identifier: GPL-2.0-or-later
//
// The type of a loaded value for the count of zeros: one element, or several side by side in a vector.
//
// An element has *cells*. The cells of an integer are its bytes, lowest first. The cells of a float are the
// bytes of its three parts, each part by itself, lowest first: mantissa (3 cells of a float, 7 of a double),
// exponent (1, 2), sign (1).
#pragma once

#include <bit>

#include "rt/base.h"

namespace memspy::instrument {

enum class ElementKind : u8 { Integer, Float };

inline constexpr u32 kMostCells = 10;

// Fits into a byte, so that it can be stored beside a counter's address and in an entry of a log.
class ValueType {
public:
    constexpr ValueType() = default;
    // bytes: 1, 2, 4 or 8, for a float 4 or 8; lanes: 1, 2, … 32. known: the code shows the kind of the
    // value; otherwise the value counts as an integer.
    constexpr ValueType(ElementKind kind, u32 bytes, u32 lanes, bool known)
        : code_(static_cast<u8>(static_cast<u32>(kind) | static_cast<u32>(std::countr_zero(bytes)) << 1 |
                                static_cast<u32>(std::countr_zero(lanes)) << 3 | (known ? 1u : 0u) << 6)) {}
    static constexpr ValueType from_code(u8 code) {
        ValueType type;
        type.code_ = code;
        return type;
    }

    constexpr u8 code() const { return code_; }  // below kCodes
    static constexpr u32 kCodes = 128;
    constexpr ElementKind kind() const { return static_cast<ElementKind>(code_ & 1); }
    constexpr bool is_float() const { return kind() == ElementKind::Float; }
    constexpr u32 bytes() const { return u32{1} << (code_ >> 1 & 3); }
    constexpr u32 lanes() const { return u32{1} << (code_ >> 3 & 7); }
    constexpr bool known() const { return (code_ >> 6 & 1) != 0; }
    constexpr u32 load_bytes() const { return bytes() * lanes(); }
    constexpr u32 cells() const { return !is_float() ? bytes() : bytes() == 4 ? 5 : 10; }  // of an element

    constexpr bool operator==(const ValueType&) const = default;

private:
    u8 code_ = 0;
};
static_assert(sizeof(ValueType) == 1);

// More facts about a load from the code around it. If one instruction is in several superblocks, a fact holds
// if it holds in any of them, except `variable`, which must hold in all.
struct Uses {
    bool arithmetic = false;  // the value, or part of it, goes into + - * or /
    bool address = false;     // the value, plus or minus a constant, is the address of another access
    bool variable = false;    // the load has one place: a variable in a frame or a static variable

    bool constant =
        false;  // the load has one place, which cannot be written: a constant that the compiler put there

    constexpr void add(const Uses& other) {
        arithmetic |= other.arithmetic;
        address |= other.address;
        constant &= other.constant;
        variable &= other.variable;  // an array's first element in a loop looks like one
    }
};

}  // namespace memspy::instrument
