// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses a block's own type from the types of the pointers to it.
#pragma once

#include "report/names/dataflow.h"

namespace memspy::report::names {

struct BlockShape {
    Dwarf_Die type{};  // of the block, or of each of its elements
    u64 size = 0;      // of the type
    u64 first = 0;     // offset of the first one in the block
    u64 count = 0;     // number of elements
};

// `bytes` is the block's size; `array`: made by new[], which may put a number before the elements. None if
// the types contradict each other: of any two, one must begin with the other.
std::optional<BlockShape> choose_type(Types& types, const std::vector<TypedPointer>& pointers, u64 bytes,
                                      bool array);

// The pointers that an instruction accesses the block by; none: they are not known.
struct AccessedType {
    std::vector<TypedPointer> pointers;
    u64 times = 0;
};
// Chooses the type by all instructions that access blocks of one place: one type that is, or contains, what
// each of them points to. A type that is smaller than the block is that of an array's elements only if an
// instruction indexes such elements; a plain number only if most accesses agree.
std::optional<BlockShape> choose_accessed_type(Types& types, const std::vector<AccessedType>& accesses,
                                               u64 bytes, bool array);

// The type for which an allocator of the C++ library allocates: the operand of std::allocator<T>::allocate
// and the like, if that is `function`.
std::optional<Dwarf_Die> allocator_type(const Units& units, Dwarf_Die function);

}  // namespace memspy::report::names
