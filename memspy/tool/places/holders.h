// SPDX-License-Identifier: GPL-2.0-or-later
//
// Holders: the variables of the program that hold the address of a heap block, as a global array, a vector in a
// structure or one of Fortran's allocatable arrays does. Reports call the block by them where no variable is
// declared at the line that allocates it. (Blocks that hold the address of another one: block_types.h.)
#pragma once

#include "dwarf/statics.h"
#include "dwarf/variables.h"
#include "places/object.h"
#include "rt/text.h"
#include "vg/modules.h"

namespace memspy::places {

// Looks for a holder, once for each object. True if it was looked for and none was found. Slow, but of many
// objects only the first are looked at.
bool look_for_holder(ObjectId object, Address block);

// Appends the holder's name: "grid", "pool.hits", "rows[2]", or of several blocks that an array holds "rows";
// false if there is none.
bool add_holder(rt::Text& text, ContextId allocated);
// The same of a single block (single_block()), which only an array's element names: "rows[2]". Other pointers
// go from one block to the next.
bool add_holder_of_block(rt::Text& text, const Object& block);
bool is_element(rt::Text& name);
// Of all blocks of an allocation, or of one of them.
u64 key_of_blocks(ContextId allocated, u32 number);
// What the holder is by its declaration.
struct DeclaredHolder {
    bool on_stack = false;
    vg::ModuleId module{};
    dwarf::StaticPart of_module;
    dwarf::DeclaredVariable of_frame;
    dwarf::ElementPart& target() { return on_stack ? of_frame.target : of_module.target; }
};
// False if there is none, or it is not known.
bool find_holder(ContextId allocated, DeclaredHolder* holder);
// Where it is, or was.
Address address_of_holder(ContextId allocated);

}  // namespace memspy::places
