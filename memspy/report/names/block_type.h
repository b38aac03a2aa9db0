// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which of the types that pointers to a block say is the block's own.
#pragma once

#include "report/names/dataflow.h"

namespace memspy::report::names {

struct BlockShape {
    Dwarf_Die type{};  // of the block, or of each of its elements
    u64 size = 0;      // of the type
    u64 first = 0;     // where in the block the first one starts
    u64 count = 0;     // how many there are
};

// `bytes` is the block's size; `array` that it was made by new[], which may put a number before the elements.
// None where the types contradict each other: of two that remain, one must begin with the other.
std::optional<BlockShape> choose_type(Types& types, const std::vector<TypedPointer>& pointers, u64 bytes,
                                      bool array);

// The type that an allocator of the C++ library makes room for: the operand of std::allocator<T>::allocate
// and the like, if that is `function`.
std::optional<Dwarf_Die> allocator_type(const Units& units, Dwarf_Die function);

}  // namespace memspy::report::names
