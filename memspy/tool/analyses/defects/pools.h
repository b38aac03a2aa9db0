// SPDX-License-Identifier: GPL-2.0-or-later
//
// Blocks of custom allocators, as the client describes them (VALGRIND_MALLOCLIKE_BLOCK, MEMPOOL requests).
//
// A block's red zones become Unaddressable with it. When the block is freed, those of their bytes that were
// accessible before become so again, because the allocator then works on its own headers. They are guarded
// again when the memory is handed out again.
#pragma once

#include "rt/base.h"

namespace memspy::defects {

void malloclike_block(u32 thread, Address payload, usize size, usize red_zone, bool zeroed);
// A block of malloc's is freed, too, as one freed by the wrong function.
void freelike_block(u32 thread, Address payload);
// `claimed_size` is what the program takes for its size.
void resize_in_place(u32 thread, Address payload, usize claimed_size, usize new_size, usize red_zone);

void create_pool(u32 thread, Address pool, usize red_zone, bool zeroed, bool auto_free);
void destroy_pool(u32 thread, Address pool);
void pool_alloc(u32 thread, Address pool, Address payload, usize size);
void pool_free(u32 thread, Address pool, Address payload);
// Frees blocks outside [begin, begin + bytes), and cuts blocks that cross its bounds.
void pool_trim(u32 thread, Address pool, Address begin, usize bytes);
void move_pool(u32 thread, Address from, Address to);
void pool_change(u32 thread, Address pool, Address old_payload, Address new_payload, usize size);
bool pool_exists(Address pool);

}  // namespace memspy::defects
