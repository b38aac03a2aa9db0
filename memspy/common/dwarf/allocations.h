// SPDX-License-Identifier: GPL-2.0-or-later
//
// What debug information says of a function that asks for a block of memory. `pc` is a link-time address of
// its code. `depth` says which of the functions there is meant: 0 is the one that is not inlined, 1 is
// inlined into that, and so on.
#pragma once

#include "dwarf/sections.h"
#include "dwarf/types.h"
#include "dwarf/variables.h"

namespace memspy::dwarf {

// The function only passes a size on to an allocator, as far as its type tells: it takes an integer as large
// as a pointer, or an int, and returns a pointer to void. (A thread's function returns one, too, but takes no
// number.) Or it takes nothing but numbers, and returns a pointer to what its template was made for, or, if
// it is a header's, to numbers: `T* allocate<T>(size_t)`, `inline double* vector(int)`.
bool is_allocator(const Sections& sections, u64 pc, u32 depth);

// The one variable of the function that is declared at the line of the code (`line`, or that at which the
// function calls what is inlined there; of several the last one before the column of that call), and gets the
// block: a pointer, an object of a class, or an array of these. `called` is code of the function called
// there, if it is not inlined; 0: not known. `array` gets the variable's name, `type` and `bytes` its
// elements: what it points to, or the first type that its template has. Returns false if there is none, or
// are several.
bool find_declared_at(const Sections& sections, u64 pc, u32 depth, u64 line, u64 called, ElementPart* part);

// The type that std::allocator and its like were made for, one of whose functions is at `pc`, or inlined
// there.
bool find_allocated_type(const Sections& sections, u64 pc, ElementPart* part);

// The variable for which the code at `pc`, of line `line`, takes memory of the stack: an array of variable
// length that is declared there, or a pointer for alloca(). Without columns, of several the one with that
// number (from 0 on, round and round, because code may have several copies). Of `found`, name, function, entry,
// line, unit, file and is_address (it is a pointer) are set; `element` is what it is made of. Returns false if
// there is none.
bool find_grown_at(const Sections& sections, u64 pc, u64 line, u32 number, ListedVariable* found,
                   ElementPart* element);

}  // namespace memspy::dwarf
