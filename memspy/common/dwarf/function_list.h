// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which descriptions of functions a unit has. To find one by its code means to read all before it, where the compiler
// does not say where their descriptions end (LLVM's).
#pragma once

#include "dwarf/unit.h"

namespace memspy::dwarf {

// Where a function is described: offsets in .debug_info. 0: not known.
struct FunctionPlace {
    u64 unit = 0, entry = 0;
    bool operator==(const FunctionPlace&) const = default;
};

// A piece of a function's code, link-time addresses.
struct FunctionPiece {
    u64 begin = 0, end = 0;
    FunctionPlace function;
};

// f for the pieces of each function that stands in the unit, its namespaces, modules and types. Not those inside other
// functions, which are few.
void list_functions(const InfoUnit& unit, void (*f)(const FunctionPiece&, void*), void* argument);

}  // namespace memspy::dwarf
