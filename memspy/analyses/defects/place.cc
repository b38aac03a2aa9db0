// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/place.h"

#include "shadow/side_table.h"

namespace memspy::defects {

findings::Place place_in(const heap::Block& block, Address access) {
    findings::Place place;
    place.what =
        heap::is_foreign(block) ? findings::Place::What::ForeignBlock : findings::Place::What::HeapBlock;
    place.freed = block.state == heap::BlockState::Freed;
    place.offset = static_cast<i64>(access - block.payload);
    place.size = block.size;
    place.allocated = block.allocated;
    place.freed_by = block.freed;
    return place;
}

findings::Place place_of(Address access, Address bad) {
    const heap::Block* block = heap::find_near(bad);
    return block == nullptr ? findings::Place{} : place_in(*block, access);
}

ContextId origin_of(Address a) {
    if (!shadow::side_empty())
        if (const shadow::SideEntry* entry = shadow::side_find(a);
            entry != nullptr && entry->origin != ContextId::None)
            return entry->origin;
    const heap::Block* block = heap::find_near(a);
    return block != nullptr && block->contains(a) ? block->allocated : ContextId::None;
}

}  // namespace memspy::defects
