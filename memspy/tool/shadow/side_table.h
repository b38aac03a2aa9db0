// SPDX-License-Identifier: GPL-2.0-or-later
//
// SideTable: the exact bits and the origin of uninitialised data that the client has stored.
//
// A byte in state Uninitialised without an entry here is undefined in all eight bits and comes from the heap
// block or frame that it is in. An entry exists for each aligned group of eight bytes into which the client
// stored data that is not fully defined: the undefined bits of each byte (1 = undefined, as everywhere), and
// where the data came from (places/origins.h). An entry counts only for bytes in state Uninitialised. Stores
// of defined data change the state and leave stale entries, so code that makes a range Uninitialised again
// must call forget_range first.
#pragma once

#include "shadow/byte_masks.h"
#include "shadow/shadow_map.h"

namespace memspy::shadow {

// Packed, for programs with hundreds of thousands of entries.
struct [[gnu::packed, gnu::aligned(2)]] SideEntry {
    u8 undefined[8];       // bit mask per byte
    ContextId origins[2];  // of the first and of the last four bytes, for those that are `stored`
    u8 stored;             // a bit for each byte that was stored with an origin
    // On a stack: the distance from the group's start up to the stack pointer at which the frame is gone
    // (instrument/stack/stack_window.h); else 0.
    u8 dies_at;

    // None: the origin of the memory itself. Four bytes with data of two origins keep the last one.
    ContextId origin(Address a) const {
        return (stored >> (a & 7) & 1) != 0 ? origins[(a & 7) / 4] : ContextId::None;
    }
    // The bits of all eight bytes, that of the lowest address lowest.
    u64 bits() const {
        u64 all;
        __builtin_memcpy(&all, undefined, sizeof all);
        return all;
    }
    // For the bytes of the mask (byte_masks.h).
    void store_bytes(u64 mask, u64 bits, ContextId from) {
        const u64 all = (this->bits() & ~mask) | (bits & mask);
        __builtin_memcpy(undefined, &all, sizeof all);
        const u8 meant = one_bit_each(mask);
        if (from == ContextId::None) {
            stored = static_cast<u8>(stored & ~meant);
            return;
        }
        for (unsigned half = 0; half < 2; ++half) {
            const u8 four = half == 0 ? 0x0F : 0xF0;
            if ((meant & four) == 0) continue;
            if (origins[half] != from) stored = static_cast<u8>(stored & ~four);
            origins[half] = from;
        }
        stored |= meant;
    }
    void store(Address a, u8 bits, ContextId from) {
        const unsigned at = 8 * (a & 7);
        store_bytes(u64{0xff} << at, u64{bits} << at, from);
    }
    void forget(Address a) {
        undefined[a & 7] = 0xFF;
        stored = static_cast<u8>(stored & ~(1u << (a & 7)));
    }
};

bool side_empty();
SideEntry* side_find(Address a);  // the group of `a`, or nullptr
SideEntry& side_make(Address a);  // a new entry has all bits undefined and no origin
// A group that is only partly in the range keeps its entry for the other bytes; those in the range become
// undefined in all bits.
void side_forget_range(Address begin, usize bytes);
// Makes the destination's bytes equal to the source's: bytes of source groups with an entry get its bits and
// origin, the others have theirs forgotten. Ranges may overlap. Pointers to entries are invalid afterwards.
void side_copy_range(Address to, Address from, usize bytes);
usize side_count();

}  // namespace memspy::shadow
