// SPDX-License-Identifier: GPL-2.0-or-later
//
// The variables that have a certain place in a frame, from the debug information of the frame's module.
#pragma once

#include "dwarf/variables.h"
#include "rt/vector.h"
#include "vg/modules.h"

namespace memspy::places {

struct StackVariable {
    Address begin = 0, end = 0;
    const char* name = nullptr;      // interned, as the next
    const char* function = nullptr;  // the inlined one that it belongs to; null: the frame's own
    vg::ModuleId module{};
    u64 entry = 0;           // of the frame's own function, in the module
    u64 line = 0;            // of the declaration
    u64 unit = 0, file = 0;  // of the declaration, for dwarf::add_file_of()
};

// What debug information tells of a variable of the module; it has no place yet.
StackVariable variable_as_told(const dwarf::ListedVariable& told, vg::ModuleId module);

// Whether `a` is in a variable of the frame [begin, end) in which `code` runs, or calls; `begin` may be
// kUnknownBegin. If it is not, `found` gets the bytes around `a` that are in none. Slow only for the first
// question about such a frame.
inline constexpr Address kUnknownBegin = 0;
bool find_frame_variable(Address code, Address begin, Address end, Address a, StackVariable* found);

// All variables that have a place in the frames that end at `end` of the function that begins at `entry`,
// whose code may be anywhere in it; each with its distance from there. Of those of several scopes that share bytes
// there is none, of one scope (EQUIVALENCE) the largest. Not kept: slow each time. Returns false if nothing is known of
// the function.
struct PlacedVariable {
    i64 from_end = 0;
    StackVariable variable;  // `end` is its size, `begin` is not set
    dwarf::DeclaredDimensions shape;
    u64 scope = 0;
};
struct PlacedVariables {
    rt::Vector<PlacedVariable> all;
    bool by_page =
        false;  // other frames of the function have them elsewhere, by the place of their end in a page
};
bool list_placed_variables(Address entry, Address end, PlacedVariables* placed);

}  // namespace memspy::places
