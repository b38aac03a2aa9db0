// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names from debug information, for reports: the fields of static variables, variables on stacks, and where
// variables are declared. `code` is an instruction that uses the object, or 0; its compilation unit is
// searched first.
#pragma once

#include "dwarf/inlined_calls.h"
#include "dwarf/statics.h"
#include "dwarf/types.h"
#include "places/names.h"
#include "places/objects.h"
#include "rt/text.h"

namespace memspy::places {

// Appends what lies in `bytes` bytes at `offset`: "stats[2].hits and stats[2].misses", "k of main". `offset`
// counts from the start of the symbol or frame. Returns false if it is not known, or too much.
bool add_fields(rt::Text& text, ObjectId id, Address code, u64 offset, u64 bytes);

// Appends a variable that an OpenMP construct shares, as add_captured() of dwarf/captured.h: `body` is the
// construct's function. "k of main".
bool add_captured(rt::Text& text, Address body, u64 offset, u64 bytes);

// The array that has elements of so many bytes there: "stats.done of main", and their type: "struct Stats
// (program.c:4)", "long"; empty if it is not known. For a heap block, the variable that it is allocated for,
// which may be empty, too, if the type is known. False if there is none.
bool name_element(ElementName& name, ObjectId id, Address code, u64 offset, u64 bytes);

// The array in which two bytes are in different elements, by debug information. False if it is not known.
bool find_elements(ArrayElements& elements, ObjectId id, Address code, u64 offset, u64 other);

// The dimensions of a static array; count 0: it is none, or they are not known.
dwarf::DeclaredDimensions shape_of(ObjectId id);

// What is known of the pointer at an offset of a static variable.
bool find_static_part(ObjectId id, u64 offset, dwarf::StaticPart* part);

// What the code is compiled from.
dwarf::Language language_of(Address code);

// The code belongs to a function that only passes a size on to an allocator. `depth`: as in
// dwarf/allocations.h.
bool is_allocator_code(Address code, u32 depth);
// Goes on to the next outer line of the program's own from which code was called that is inlined at `code`
// (dwarf/inlined_calls.h).
bool find_own_call(Address code, dwarf::InlinedCall* call);
// Appends the variable that is declared where the block is allocated, or that held its address
// (places/holders.h); false if there is none.
bool add_owner(rt::Text& text, ContextId allocated);

// Where a static variable or one on a stack is declared. Texts are empty where that is not known, or nothing.
struct Declaration {
    rt::Text file;      // without its folder
    rt::Text function;  // whose variable it is
    rt::Text block;     // its namespace, module or COMMON block
};
void describe_declaration(Declaration& declaration, const Object& object);

// Appends "stats (program.c:4)", or for a heap block the place of its allocation; nothing if it is not known.
// `offset` matters on stacks.
void add_origin(rt::Text& text, ObjectId id, Address code, u64 offset);

}  // namespace memspy::places
