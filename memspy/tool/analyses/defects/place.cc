// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/place.h"

#include "analyses/defects/named_blocks.h"
#include "analyses/defects/requested_origins.h"
#include "analyses/defects/stack_memory.h"
#include "instrument/stack/stack_floor.h"
#include "shadow/side_table.h"
#include "vg/vg.h"

namespace memspy::defects {

namespace {

ExeContext* or_null(ContextId id) { return id == ContextId::None ? VG_(null_ExeContext)() : context_of(id); }

}  // namespace

findings::AddressOwner place_of(Address access, Address bad) {
    if (findings::AddressOwner named = named_place(bad);
        named.what != findings::AddressOwner::OwnerKind::Unknown) {
        named.offset -= static_cast<i64>(bad - access);
        return named;
    }
    const heap::Block* block = heap::find_near(bad);
    if (block == nullptr || instrument::is_in_stack_block(bad)) {
        const findings::AddressOwner dead = below_stack(bad);
        if (dead.what != findings::AddressOwner::OwnerKind::Unknown) return dead;
        if (block == nullptr) block = heap::find_foreign_beside(bad);
        if (block == nullptr) return dead;
    }
    return findings::owner_in(*block, access);
}

ContextId origin_of(Address a) {
    const shadow::SideEntry* entry = shadow::side_find(a);
    const ContextId stored = entry == nullptr ? ContextId::None : entry->origin(a);
    return stored == ContextId::None ? memory_origin(a, 1) : stored;
}

ContextId memory_origin(Address a, usize bytes) {
    if (const ContextId requested = requested_origin(a); requested != ContextId::None) return requested;
    const heap::Block* block = heap::find_near(a);
    if (block == nullptr || !block->contains(a)) return frame_origin(a, bytes);
    const ContextId frame = instrument::is_in_stack_block(a) ? frame_origin(a, bytes) : ContextId::None;
    return frame == ContextId::None ? block->allocated : frame;
}

void print_description(Address address) {
    AddrInfo info;
    info.tag = Addr_Undescribed;
    const heap::Block* block = heap::find_near(address);
    if (block == nullptr) {
        VG_(describe_addr)(VG_(current_DiEpoch)(), address, &info);
    } else {
        bool freed = block->is_freed();
        info.tag = Addr_Block;
        auto& described = info.Addr.Block;
        described.block_kind = freed ? Block_Freed : Block_Mallocd;
        described.block_desc = "block";
        described.block_szB = block->size;
        described.rwoffset = static_cast<PtrdiffT>(address - block->payload);
        described.allocated_at = or_null(block->allocated);
        described.freed_at = or_null(freed ? block->freed : ContextId::None);
        VG_(initThreadInfo)(&described.alloc_tinfo);
    }
    VG_(pp_addrinfo_mc)(address, &info, False);
    VG_(clear_addrinfo)(&info);
}

}  // namespace memspy::defects
