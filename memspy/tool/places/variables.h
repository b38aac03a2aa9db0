// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names from debug information, for reports: the fields of static variables, variables on stacks, and where
// variables are declared. `code` is an instruction that uses the object, or 0; its compilation unit is
// searched first.
#pragma once

#include "dwarf/types.h"
#include "places/block_types.h"
#include "places/fields.h"
#include "places/inlined_code.h"
#include "places/names.h"
#include "rt/text.h"

namespace memspy::places {

// The array that has elements of so many bytes there: "stats.done of main", and their type: "struct Stats
// (program.c:4)", "long"; empty if it is not known. For a heap block, the variable that it is allocated for,
// which may be empty, too, if the type is known. False if there is none.
bool name_element(ElementName& name, ObjectId id, Address code, u64 offset, u64 bytes);

// The dimensions of the array that a heap block is, by the type of the variable that it is allocated for, or that holds
// it; count 0: they are not known. Call look_for_owner() before.
dwarf::DeclaredDimensions shape_of_block(ObjectId id, Address block, u64 bytes);

// The array in which two bytes are in different elements, by debug information. False if it is not known.
bool find_elements(ArrayElements& elements, ObjectId id, Address code, u64 offset, u64 other);

// Appends the parts of a variable or a block that have these bytes (fields.h, block_types.h). False if they are
// not known.
bool add_parts(rt::Text& text, ObjectId id, Address code, u64 offset, u64 bytes);

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
// Appends "heap blocks grid of main (solver.c:8)": with the variable that is declared there, or that holds
// them.
void describe_blocks(rt::Text& text, ContextId allocated, bool several);
// The object's name as in reports: blocks as above, `counter`.
void describe_object(rt::Text& text, const Object& object);

}  // namespace memspy::places
