// SPDX-License-Identifier: GPL-2.0-or-later
//
// Grains: a number for each *grain* of 16 bytes of the client's memory, which no two blocks of the heap
// share. Who gives blocks numbers finds that of an address in two loads, without a search for the block.
//
// A table leads to chunks of 64 KiB of addresses. A chunk inside one block is the same for all blocks of
// its number, so that a large block costs little.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::heap {

class Grains {
public:
    static constexpr usize kGrain = 16;

    constexpr Grains() = default;
    Grains(const Grains&) = delete;
    Grains& operator=(const Grains&) = delete;
    ~Grains();
    // Call before any other.
    void start();
    // 0: none.
    u32 at(Address a) const {
        const u32* const chunk = table_[number_of(a)];
        return chunk == nullptr ? 0 : chunk[(a & kChunkMask) / kGrain];
    }
    // For all grains of a block, which begins at one; 0: no more.
    void set(Address block, usize bytes, u32 number);

private:
    static constexpr u32 kChunkBits = 16, kGrains = (1u << kChunkBits) / kGrain;
    static constexpr Address kChunkMask = (Address{1} << kChunkBits) - 1;
    static constexpr usize kChunks = usize{1} << (kClientAddressBits - kChunkBits);
    static usize number_of(Address a) { return (a >> kChunkBits) & (kChunks - 1); }

    u32* uniform(u32 number);
    // The chunk, as one whose grains can be set.
    u32* own_chunk(u32*& entry);
    void drop(u32* chunk);

    u32** table_ = nullptr;      // null: no number at all
    rt::HashMap<u32*> uniform_;  // by number; their last word behind the grains is 1
    rt::Vector<u32*> spare_;     // all zero
};

}  // namespace memspy::heap
