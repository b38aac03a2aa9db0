// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/block_owner.h"

namespace memspy::findings {

AddressOwner owner_in(const heap::Block& block, Address access) {
    AddressOwner place;
    using OwnerKind = AddressOwner::OwnerKind;
    place.what = block.kind == heap::AllocKind::Pool ? OwnerKind::PoolBlock
                 : heap::is_foreign(block)           ? OwnerKind::ForeignBlock
                                                     : OwnerKind::HeapBlock;
    place.freed = block.is_freed();
    place.offset = static_cast<i64>(access - block.payload);
    place.size = block.size;
    place.allocated = block.allocated;
    place.freed_at = block.freed;
    place.allocated_by = block.allocated_by;
    place.freed_by = static_cast<u32>(block.freed_by);
    return place;
}

}  // namespace memspy::findings
