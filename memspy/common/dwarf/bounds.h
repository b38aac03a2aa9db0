// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the extents of variables can be judged by: the functions of a compilation unit that were compiled
// without optimisation, its static variables, and which offsets of a variable an index may begin at.
#pragma once

#include "dwarf/unit.h"

namespace memspy::dwarf {

// Optimised code addresses a variable from any place near it (`b[i - 4]` from the start of what lies before
// `b`). Code that is not has each address as the source writes it.
struct CodeFunction {
    u64 begin = 0, end = 0;  // link-time addresses
    u64 entry = 0;           // where its description is
    const char* name = nullptr;
    bool plain = false;  // compiled without optimisation
    bool folds = false;  // other compilers than GCC may add a constant index to a base even so
};
// f(function) for each function of the unit whose code is in one piece. GCC writes its options into the unit;
// with other compilers, every variable has one place for the whole function, and the frame pointer is kept,
// in all functions.
void for_each_function(const InfoUnit& unit, void (*f)(const CodeFunction&, void*), void* argument);

struct StaticVariable {
    u64 begin = 0, bytes = 0;  // begin: its link-time address
    const char* name = nullptr;
    const char* function = nullptr;  // that it is declared in; null: none
    u64 type = 0;                    // where the description of its type is
};
void for_each_static(const InfoUnit& unit, void (*f)(const StaticVariable&, void*), void* argument);

// Whether code that adds an index to the address of the variable's byte at `offset` stays in the variable: it
// is in the first element of an array, which may be a member, or a row.
bool is_index_base(const InfoUnit& unit, u64 type, u64 offset);

// Whether the variable, or a member of it, at the offset is a pointer or a reference.
bool is_pointer_part(const InfoUnit& unit, u64 type, u64 offset);

}  // namespace memspy::dwarf
