// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a heap block is called, and what it is made of: by the variable that is declared where it is allocated, by the
// variable or the member of another block that holds its address, or by its allocator.
#pragma once

#include "dwarf/types.h"
#include "places/object.h"
#include "rt/text.h"
#include "vg/modules.h"

namespace memspy::places {

// Call when a block is first known to matter, and while it lives: looks for what holds its address, once for each
// object. Slow, but of many objects only the first are looked at.
void look_for_owner(ObjectId object, Address block);

// A type that a block is an array of, as the module describes it.
struct BlockElement {
    dwarf::ElementPart part;
    vg::ModuleId module{};
};
// The variable that is declared where the block is allocated: its name, and its elements. False if there is none.
bool find_owner(ContextId allocated, BlockElement* owner);
// False if the elements are not known, or have no size.
bool find_block_element(ContextId allocated, BlockElement* element);

// Appends "grid", "pool.hits", "server->stats", "rows[]" for the blocks that an array holds; false if nothing is known.
bool add_owner(rt::Text& text, ContextId allocated);
// Of a single block (single_block()): the array's element that holds it, "rows[2]"; false if none does.
bool add_element_of_block(rt::Text& text, const Object& block);
// Appends what lies in these bytes of a block: "stats->hits and stats->misses", "nodes[3].count", "hits of struct
// Stats". False if it is not known, too much, or inside a library's class.
bool add_block_fields(rt::Text& text, const Object& block, u64 offset, u64 bytes);

}  // namespace memspy::places
