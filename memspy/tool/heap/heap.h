// SPDX-License-Identifier: GPL-2.0-or-later
//
// Heap: the places of the client's heap blocks, and a record of each.
//
// The client's memory comes in chunks from a source (Valgrind's client arena in the tool, plain memory in
// unit tests). Small blocks are in slabs of one size class, large ones have a chunk each. Every record of a
// block is outside it, in the tool's own memory, so that a program that overruns its blocks destroys only its
// own data. For the same reason both ends of every chunk have a guard gap of kGuard bytes that is never
// handed out, to protect the chunk's neighbours.
//
// Each payload has at least `red_zone` bytes on both sides that belong to no payload (two neighbours may
// share the zone between them), or a sixteenth of its size if that is more, up to kWidestZone. A freed block
// waits in the quarantine (a FIFO bounded by volume), and only then may its memory be reused. It can be
// found, as a freed block, until its memory is really reused: a block that leaves the quarantine is *spare*.
// The pages of a large spare block are given back to the kernel, but its addresses are kept; the heap's caller
// may give those of a freed block back before. Payload
// alignment is the larger of 16 and the requested one.
//
// The heap depends neither on shadow memory nor on errors: its caller marks the bytes. Marking is cheapest if
// ChunkSource::acquire makes each new chunk unaddressable as a whole: then a *fresh* block needs only its
// payload marked, any other its whole extents(). Blocks that a client describes by request
// (VALGRIND_MALLOCLIKE_BLOCK, MEMPOOL) are in memory that is not the heap's (add_foreign, below).
#pragma once

#include "rt/base.h"

namespace memspy::heap {

enum class AllocKind : u8 { Malloc, New, NewArray, Foreign, Pool };
enum class BlockState : u8 { Unused, Live, Freed, Spare };

// One for each slot that was ever handed out, so its size matters to programs with many small blocks.
struct Block {
    Address payload;  // first byte handed to the client
    usize size : 48;  // requested bytes; may be 0
    AllocKind kind;
    BlockState state : 4;
    bool fresh : 1;         // no part of extents() was ever handed out since its chunk was acquired
    ContextId allocated;    // stack of the allocation
    ContextId freed;        // stack of the free; None while live
    usize next_block : 48;  // for the heap: quarantine or free slots
    u16 allocated_by;       // guest thread id

    Block* next() const { return reinterpret_cast<Block*>(next_block); }
    void set_next(const Block* block) { next_block = reinterpret_cast<usize>(block) & kMost; }
    void set_size(usize bytes) { size = bytes & kMost; }
    bool contains(Address a) const { return a - payload < size; }
    bool is_freed() const { return state == BlockState::Freed || state == BlockState::Spare; }

    static constexpr usize kMost = (usize{1} << 48) - 1;
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

struct HeapTotals {
    u64 live_blocks, live_bytes;    // now, without blocks of pools
    u64 allocations, frees, bytes;  // since start
    u64 peak_blocks, peak_bytes;    // at the last note_peak() with most bytes
    u64 quarantine_bytes;
};

// A process has one heap.
void initialise(const Limits& limits, const ChunkSource& source);

// A live block of `size` bytes, or nullptr if memory is exhausted or the size absurd. `alignment` is a power
// of two or 0. The payload's bytes are unchanged, unless `zeroed`. References to blocks are valid until the
// block leaves the quarantine, which happens only in allocate and free.
Block* allocate(usize size, usize alignment, AllocKind kind, ContextId context, u32 thread, bool zeroed);

// The live block whose payload starts exactly at `payload`, or nullptr. A block of the heap has precedence
// over a foreign one, and an outer foreign one over an inner one.
Block* find_live(Address payload);

// The block (live or in quarantine) that `a` belongs to: inside its payload, its red zones or its alignment
// slack. Between two blocks the nearer one is taken; at equal distance a live one before a freed one, then
// the lower one. Foreign blocks have precedence over the heap's (they are carved from them), the innermost
// first. If `a` belongs to no known block, the nearest known one within kNear bytes in that neighbourhood,
// else nullptr. Check Block::contains() where it matters.
inline constexpr usize kNear = 256;
Block* find_near(Address a);
// The live block of the allocator with the byte at `a`, or nullptr. Foreign blocks are not looked at.
Block* find_block(Address a);

// The block described by a client whose red zone, widened by kBeside bytes, holds `a`, or nullptr.
inline constexpr usize kBeside = 16;
Block* find_foreign_beside(Address a);

// The freed block, in quarantine or spare, whose payload starts exactly at `payload`, or nullptr (double
// free).
Block* find_freed(Address payload);

// Moves a live block of the heap to the quarantine. Others may then leave it; the freed block itself leaves
// it only in a later allocate or free, however large it is.
void free(Block& block, ContextId context);

// Changes the recorded size within the space that the block has; false if it does not fit. A foreign block
// always fits.
bool resize_in_place(Block& block, usize size);

// The bytes that belong to the block's slot: [begin, end) covers both red zones, all slack and the payload.
struct Extents {
    Address begin, end;
};
Extents extents(const Block& block);

// Blocks in memory that is not the heap's, or inside a block of the heap; they may be nested. A new one makes
// the heap forget the freed foreign blocks that it overlaps, because their memory is in use again.
Block* add_foreign(Address payload, usize size, AllocKind kind, ContextId context, u32 thread,
                   usize red_zone);
void free_foreign(Block& block, ContextId context);  // it can be found for some time, and is then forgotten
void forget_foreign(Block& block);                   // gone at once
// The same live block in another place, or of another size: neither freed nor allocated.
Block* move_foreign(Block& block, Address payload, usize size, usize red_zone);
// The live foreign block of this kind that starts exactly at `payload`, or nullptr.
Block* find_foreign(Address payload, AllocKind kind);

// Blocks of the program's own allocator, where that works; the heap itself then has none. A new one makes the
// heap forget those that it overlaps: they were freed unseen.
Block* follow(Address payload, usize size, AllocKind kind, ContextId context, u32 thread);
void forget_followed(Block& block);                   // it is freed: gone at once
void forget_heap_memory(Address begin, usize bytes);  // it is unmapped

// Inside a chunk of the heap, including guard gaps, or in a page in which the program's allocator had a block.
bool is_heap_memory(Address a);
// Cuts [*begin, *end) down to the bytes around `a`, which is no heap memory, that are none.
void cut_at_heap_memory(Address a, Address* begin, Address* end);
inline bool is_foreign(const Block& block) { return block.kind >= AllocKind::Foreign; }
HeapTotals totals();
// Call when the program has got memory. While realloc works there are two blocks, which the program never has.
void note_peak();

// Calls f(block) for each live block, including foreign ones, by ascending payload address; an outer block
// before an inner one at the same address. f must not allocate or free.
void for_each_live(void (*f)(Block& block, void* argument), void* argument);

// For tests: gives all memory back and forgets all blocks.
void reset();

}  // namespace memspy::heap
