// SPDX-License-Identifier: GPL-2.0-or-later
//
// SmallBlocks: memory for many small arrays and records that grow. They share lists of free blocks by size,
// so that what one has outgrown is taken by another. Slabs are never freed. A block has no header (in the
// core's arenas it has 32 bytes). Blocks of whole host cache lines begin at one. All zeros is an empty
// object, see rt/global.h.
#pragma once

#include "rt/global.h"

namespace memspy::rt {

// `kWhat` names it to --profile-heap=yes.
template <const char* kWhat>
class SmallBlocks {
public:
    // The memory is not zeroed. Aligned to 16 bytes.
    void* take(usize bytes) {
        const usize units = units_of(bytes);
        if (units > kMostUnits) return allocate(bytes, kWhat);
        if (Free* block = free_[units]) {
            free_[units] = block->next;
            return block;
        }
        const usize size = units * kUnit;
        Slab& slab = slabs_[size % kHostLine == 0];
        if (size > slab.left) renew(slab);
        const Address block = slab.next;
        slab.next += size;
        slab.left -= size;
        return reinterpret_cast<void*>(block);
    }

    // `bytes` as passed to take().
    void give(void* memory, usize bytes) {
        const usize units = units_of(bytes);
        if (units > kMostUnits) return release(memory, bytes);
        auto* block = static_cast<Free*>(memory);
        block->next = free_[units];
        free_[units] = block;
    }

private:
    struct Free {
        Free* next;
    };
    struct Slab {
        Address next;
        usize left;
    };
    static constexpr usize kHostLine = 64, kUnit = 16;
    static constexpr usize kMostUnits = 64;  // the core's allocator joins larger blocks when they are free
    static constexpr usize kSlab = usize{1} << 18;

    static usize units_of(usize bytes) { return (bytes + kUnit - 1) / kUnit; }

    // The rest of the old slab is lost: less than a KiB of 256.
    static void renew(Slab& slab) {
        const auto raw = reinterpret_cast<Address>(allocate(kSlab + kHostLine, kWhat));
        slab = {(raw + kHostLine - 1) & ~Address{kHostLine - 1}, kSlab};
    }

    Free* free_[kMostUnits + 1];
    Slab slabs_[2];
};

template <const char* kWhat>
SmallBlocks<kWhat>& small_blocks() {
    static constinit Global<SmallBlocks<kWhat>> blocks;
    return *blocks;
}

// For Vector.
template <const char* kWhat>
struct OnSmallBlocks {
    static void* allocate(usize bytes) { return small_blocks<kWhat>().take(bytes); }
    static void release(void* memory, usize bytes) { small_blocks<kWhat>().give(memory, bytes); }
};

}  // namespace memspy::rt
