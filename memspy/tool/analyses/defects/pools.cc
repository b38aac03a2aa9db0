// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/pools.h"

#include <new>

#include "analyses/defects/accesses.h"
#include "analyses/defects/place.h"
#include "analyses/defects/requested_origins.h"
#include "client/replacement.h"
#include "options.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

using heap::AllocKind;
using heap::Block;
using shadow::State;

// The number of bytes before and behind a block that its red zones took from the allocator.
struct Guarded {
    u32 before, behind;
};
rt::Global<rt::HashMap<Guarded>> guarded;

struct Pool {
    usize red_zone;
    bool zeroed, auto_free;
    rt::Vector<Address>* blocks;
};
rt::Global<rt::HashMap<Pool>> pools;

void report(u32 thread, findings::FindingKind kind, Address a) {
    findings::Finding finding;
    finding.kind = kind;
    finding.address = a;
    finding.place = place_of(a, a);
    findings::report(thread, finding);
}

// Makes accessible bytes of [begin, begin + bytes) unaddressable, those that reach up to its end
// (`downwards`) or start at its begin. Returns their number.
u32 guard(Address begin, usize bytes, bool downwards) {
    usize taken = 0;
    while (taken < bytes) {
        Address a = downwards ? begin + bytes - 1 - taken : begin + taken;
        State state = shadow::get(a);
        if (state == State::Freed || state == State::Unaddressable) break;
        ++taken;
    }
    shadow::set_range(downwards ? begin + bytes - taken : begin, taken, State::Unaddressable);
    return static_cast<u32>(taken);
}

void add(u32 thread, Address payload, usize size, usize red_zone, bool zeroed, AllocKind kind) {
    client::tell_allocated(*heap::add_foreign(payload, size, kind, client::stack_of_allocation(thread),
                                              threads::thread_of_guest(thread).serial, red_zone));
    Guarded zones{guard(payload - red_zone, red_zone, true), guard(payload + size, red_zone, false)};
    if (zones.before != 0 || zones.behind != 0) (*guarded)[payload] = zones;
    bool undefined = !zeroed && options().undef_value_errors;
    if (!shadow::side_empty()) shadow::side_forget_range(payload, size);
    forget_requested_origins(payload, size);
    shadow::set_range(payload, size, undefined ? State::Uninitialised : State::Fine);
    note_state_outside_heap(payload);
}

void drop(u32 thread, Block& block) {
    if (const Guarded* zones = guarded->find(block.payload)) {
        shadow::set_range(block.payload - zones->before, zones->before, State::Fine);
        shadow::set_range(block.payload + block.size, zones->behind, State::Fine);
        guarded->erase(block.payload);
    }
    shadow::set_range(block.payload, block.size, State::Freed);
    client::tell_released(block);
    heap::free_foreign(block, client::stack_of_free(thread), threads::thread_of_guest(thread).serial);
    client::forget_allocation(block);
}

Pool* pool_at(u32 thread, Address address) {
    Pool* pool = pools->find(address);
    if (pool == nullptr) report(thread, findings::FindingKind::InvalidMemPool, address);
    return pool;
}

void remove_at(rt::Vector<Address>& blocks, usize index) {
    blocks[index] = blocks.back();
    blocks.pop_back();
}

bool take_from(Pool& pool, Address payload) {
    for (usize i = pool.blocks->size(); i-- > 0;) {
        if ((*pool.blocks)[i] != payload) continue;
        remove_at(*pool.blocks, i);
        return true;
    }
    return false;
}

}  // namespace

void malloclike_block(u32 thread, Address payload, usize size, usize red_zone, bool zeroed) {
    add(thread, payload, size, red_zone, zeroed, AllocKind::Foreign);
}

void freelike_block(u32 thread, Address payload) {
    if (Block* block = heap::find_foreign(payload, AllocKind::Foreign)) return drop(thread, *block);
    Block* block = heap::find_live(payload);
    if (block == nullptr || heap::is_foreign(*block))
        report(thread, findings::FindingKind::InvalidFree, payload);
    else
        client::free_as(thread, *block, AllocKind::Foreign);
}

void resize_in_place(u32 thread, Address payload, usize claimed_size, usize new_size, usize red_zone) {
    Block* block = heap::find_foreign(payload, AllocKind::Foreign);
    if (block == nullptr || block->size != claimed_size || new_size == 0) {
        report(thread, findings::FindingKind::InvalidFree, payload);
        return;
    }
    const usize old_size = block->size;
    Guarded zones{};
    if (const Guarded* found = guarded->find(payload)) zones = *found;
    // The zone behind the block moves with its end: the old one is given back, the new one taken.
    shadow::set_range(payload + old_size, zones.behind, State::Fine);
    heap::resize_in_place(*block, new_size);
    if (new_size > old_size) {
        bool undefined = options().undef_value_errors;
        if (!shadow::side_empty()) shadow::side_forget_range(payload + old_size, new_size - old_size);
        shadow::set_range(payload + old_size, new_size - old_size,
                          undefined ? State::Uninitialised : State::Fine);
    }
    zones.behind = guard(payload + new_size, red_zone, false);
    (*guarded)[payload] = zones;
    Address zone_end = payload + new_size + zones.behind;
    Address old_end = payload + old_size;
    if (zone_end < old_end) shadow::set_range(zone_end, old_end - zone_end, State::Unaddressable);
}

void create_pool(u32, Address address, usize red_zone, bool zeroed, bool auto_free) {
    Pool& pool = (*pools)[address];
    if (pool.blocks == nullptr) {
        pool.blocks =
            static_cast<rt::Vector<Address>*>(rt::allocate(sizeof(rt::Vector<Address>), "memspy.pool"));
        new (pool.blocks) rt::Vector<Address>();
    }
    pool.red_zone = red_zone;
    pool.zeroed = zeroed;
    pool.auto_free = auto_free;
}

void destroy_pool(u32 thread, Address address) {
    Pool* pool = pool_at(thread, address);
    if (pool == nullptr) return;
    for (Address payload : *pool->blocks)
        if (Block* block = heap::find_foreign(payload, AllocKind::Pool)) drop(thread, *block);
    pool->blocks->clear();
    rt::release(pool->blocks);
    pools->erase(address);
}

void pool_alloc(u32 thread, Address address, Address payload, usize size) {
    Pool* pool = pool_at(thread, address);
    if (pool == nullptr) return;
    pool->blocks->push_back(payload);
    add(thread, payload, size, pool->red_zone, pool->zeroed, AllocKind::Pool);
}

void pool_free(u32 thread, Address address, Address payload) {
    Pool* pool = pool_at(thread, address);
    if (pool == nullptr) return;
    Block* block = take_from(*pool, payload) ? heap::find_foreign(payload, AllocKind::Pool) : nullptr;
    if (block == nullptr) {
        report(thread, findings::FindingKind::InvalidFree, payload);
        return;
    }
    if (pool->auto_free) {
        // Blocks carved from the pool's blocks go with them.
        const Address end = block->payload + block->size;
        for (Address a = block->payload; a < end;) {
            Block* inner = heap::find_near(a);
            if (inner != nullptr && inner->kind == AllocKind::Foreign &&
                inner->state == heap::BlockState::Live && inner->payload >= block->payload &&
                inner->payload < end) {
                a = inner->payload + (inner->size == 0 ? 1 : inner->size);
                drop(thread, *inner);
            } else {
                a += 8;
            }
        }
    }
    drop(thread, *block);
}

void pool_trim(u32 thread, Address address, Address begin, usize bytes) {
    Pool* pool = pool_at(thread, address);
    if (pool == nullptr) return;
    Address end = begin + bytes;
    for (usize i = pool->blocks->size(); i-- > 0;) {
        Block* block = heap::find_foreign((*pool->blocks)[i], AllocKind::Pool);
        if (block == nullptr) {
            remove_at(*pool->blocks, i);
            continue;
        }
        Address low = block->payload, high = block->payload + block->size;
        if (low >= begin && high <= end) continue;
        if (high <= begin || low >= end) {
            drop(thread, *block);
            remove_at(*pool->blocks, i);
            continue;
        }
        // The block crosses the bounds: the part inside stays, with its own start.
        Address kept = low < begin ? begin : low;
        usize kept_size = (high > end ? end : high) - kept;
        guarded->erase(low);
        client::tell_released(*block);
        shadow::set_range(low, kept - low, State::Unaddressable);
        shadow::set_range(kept + kept_size, high - kept - kept_size, State::Unaddressable);
        client::tell_allocated(*heap::move_foreign(*block, kept, kept_size, pool->red_zone));
        (*pool->blocks)[i] = kept;
    }
}

void move_pool(u32 thread, Address from, Address to) {
    Pool* pool = pool_at(thread, from);
    if (pool == nullptr) return;
    Pool moved = *pool;
    pools->erase(from);
    (*pools)[to] = moved;
}

void pool_change(u32 thread, Address address, Address old_payload, Address new_payload, usize size) {
    Pool* pool = pool_at(thread, address);
    if (pool == nullptr) return;
    Block* block = take_from(*pool, old_payload) ? heap::find_foreign(old_payload, AllocKind::Pool) : nullptr;
    if (block == nullptr) {
        report(thread, findings::FindingKind::InvalidFree, old_payload);
        return;
    }
    guarded->erase(old_payload);
    client::tell_released(*block);
    client::tell_allocated(*heap::move_foreign(*block, new_payload, size, pool->red_zone));
    pool->blocks->push_back(new_payload);
}

bool pool_exists(Address pool) { return pools->find(pool) != nullptr; }

}  // namespace memspy::defects
