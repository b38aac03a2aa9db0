// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pairs of a dead store's context and the context that killed it, with the bytes of each object.
#pragma once

#include "analyses/waste/contexts.h"
#include "analyses/waste/owners.h"

namespace memspy::waste {

struct DeadPair {
    ContextNumber dead, killer;
    OwnedAmount bytes;
};

// Bytes from `a` on, stored by `dead`, are killed by `killer`. `left`: with their frame; null: it is still
// there. `accessed`: as for owner_of().
void add_dead(Address a, ContextNumber dead, SiteCounts& killer, u32 bytes, const LeftFrame* left,
              u64 accessed);
void for_each_dead(void (*f)(const DeadPair& pair, const ObjectAmount& of, void* argument), void* argument);
void clear_dead();
usize pair_count();

}  // namespace memspy::waste
