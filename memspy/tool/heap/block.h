// SPDX-License-Identifier: GPL-2.0-or-later
//
// A block of the heap, and where the heap has its memory from (heap.h).
#pragma once

#include "rt/base.h"

namespace memspy::heap {

enum class AllocKind : u8 { Malloc, New, NewArray, Foreign, Pool };
enum class BlockState : u8 { Unused, Live, Freed, Spare };

// One for each slot that was ever handed out, so its size matters to programs with many small blocks.
struct Block {
    Address payload : 48;   // first byte handed to the client
    Address freed_by : 16;  // serial of the thread; 0: not known, as are those that do not fit
    usize size : 48;        // requested bytes; may be 0
    AllocKind kind;
    BlockState state : 4;
    bool fresh : 1;         // no part of extents() was ever handed out since its chunk was acquired
    ContextId allocated;    // stack of the allocation
    ContextId freed;        // stack of the free; None while live
    usize next_block : 48;  // for the heap: quarantine or free slots
    u16 allocated_by;       // as freed_by

    Block* next() const { return reinterpret_cast<Block*>(next_block); }
    void set_next(const Block* block) { next_block = reinterpret_cast<usize>(block) & kMost; }
    void set_payload(Address a) { payload = a & kMost; }
    void set_allocated_by(u32 serial) { allocated_by = fit(serial); }
    void set_freed_by(u32 serial) { freed_by = fit(serial); }
    void set_size(usize bytes) { size = bytes & kMost; }
    bool contains(Address a) const { return a - payload < size; }
    bool is_freed() const { return state == BlockState::Freed || state == BlockState::Spare; }

    static constexpr usize kMost = (usize{1} << 48) - 1;
    static u16 fit(u32 serial) { return serial <= 0xffff ? static_cast<u16>(serial) : u16{0}; }
};
static_assert(sizeof(Block) == 32);

inline constexpr usize kGuard = usize{64} << 10;
inline constexpr usize kWidestZone = 4096;

struct Limits {
    usize red_zone = 16;                     // bytes, a multiple of 16
    usize quarantine_volume = 20'000'000;    // bytes of freed payloads that wait for reuse
    usize quarantine_big_block = 1'000'000;  // freed blocks at least this large leave first
};

// The source of chunks of client memory. acquire returns memory aligned to 16 bytes, or nullptr if there is
// none. release gets the same size.
struct ChunkSource {
    void* (*acquire)(usize bytes);
    void (*release)(void* chunk, usize bytes);
    // Gives the pages of a part of a chunk back, but not the addresses: they read as zeros until they are
    // written again. All of it is freed.
    void (*discard)(void* begin, usize bytes);
    // Chunks of at least this size are known to be zeros, so that a fresh block need not be zeroed and its
    // pages stay untouched.
    usize zeroed_from;  // 0: no chunk is
    bool gives_zeros(usize bytes) const { return zeroed_from != 0 && bytes >= zeroed_from; }
};

// The bytes that belong to the block's slot: [begin, end) covers both red zones, all slack and the payload.
struct Extents {
    Address begin, end;
};

}  // namespace memspy::heap
