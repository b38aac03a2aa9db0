// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks of custom allocators, as the client describes them (VALGRIND_MALLOCLIKE_BLOCK, MEMPOOL requests).
//
// A block's red zones become Unaddressable with it. When it is freed, those bytes of them that were
// accessible before are so again: the allocator works on its own headers then, and they are guarded again
// as soon as the memory is handed out again.
#pragma once

#include "rt/base.h"

namespace memspy::defects {

void malloclike_block(u32 thread, Address payload, usize size, usize red_zone, bool zeroed);
void freelike_block(u32 thread, Address payload);
void resize_in_place(u32 thread, Address payload, usize new_size, usize red_zone);

void create_pool(u32 thread, Address pool, usize red_zone, bool zeroed, bool auto_free);
void destroy_pool(u32 thread, Address pool);
void pool_alloc(u32 thread, Address pool, Address payload, usize size);
void pool_free(u32 thread, Address pool, Address payload);
// Frees what lies outside [begin, begin + bytes), cuts what straddles it.
void pool_trim(u32 thread, Address pool, Address begin, usize bytes);
void move_pool(u32 thread, Address from, Address to);
void pool_change(u32 thread, Address pool, Address old_payload, Address new_payload, usize size);
bool pool_exists(Address pool);

}  // namespace memspy::defects
