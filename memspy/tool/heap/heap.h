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
// The pages of a large spare block are given back to the kernel, but its addresses are kept; the heap's
// caller may give those of a freed block back before. Payload alignment is the larger of 16 and the requested
// one.
//
// The heap depends neither on shadow memory nor on errors: its caller marks the bytes. Marking is cheapest if
// ChunkSource::acquire makes each new chunk unaddressable as a whole: then a *fresh* block needs only its
// payload marked, any other its whole extents(). Blocks that a client describes by request
// (VALGRIND_MALLOCLIKE_BLOCK, MEMPOOL) are in memory that is not the heap's (add_foreign, below).
#pragma once

#include "heap/block.h"

namespace memspy::heap {

struct HeapTotals {
    u64 live_blocks, live_bytes;    // now, without blocks of pools
    u64 allocations, frees, bytes;  // since start
    u64 peak_blocks, peak_bytes;    // at the last note_peak() with most bytes
    u64 quarantine_bytes;
};

// A process has one heap.
void initialise(const Limits& limits, const ChunkSource& source);

// `thread` is a serial here and below; 0: not known.
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
void free(Block& block, ContextId context, u32 thread = 0);

// Changes the recorded size within the space that the block has; false if it does not fit. A foreign block
// always fits.
bool resize_in_place(Block& block, usize size);

Extents extents(const Block& block);

// Blocks in memory that is not the heap's, or inside a block of the heap; they may be nested. A new one makes
// the heap forget the freed foreign blocks that it overlaps, because their memory is in use again.
Block* add_foreign(Address payload, usize size, AllocKind kind, ContextId context, u32 thread,
                   usize red_zone);
// It can be found for some time, and is then forgotten.
void free_foreign(Block& block, ContextId context, u32 thread = 0);
void forget_foreign(Block& block);  // gone at once
// The same live block in another place, or of another size: neither freed nor allocated.
Block* move_foreign(Block& block, Address payload, usize size, usize red_zone);
// The live foreign block of this kind that starts exactly at `payload`, or nullptr.
Block* find_foreign(Address payload, AllocKind kind);

// Blocks of the program's own allocator, where that works; the heap itself then has none. A new one makes the
// heap forget those that it overlaps: they were freed unseen.
Block* follow(Address payload, usize size, AllocKind kind, ContextId context, u32 thread);
void forget_followed(Block& block);                   // it is freed: gone at once
void forget_heap_memory(Address begin, usize bytes);  // it is unmapped

// Inside a chunk of the heap, including guard gaps, or in a page in which the program's allocator had a
// block.
bool is_heap_memory(Address a);
// Cuts [*begin, *end) down to the bytes around `a`, which is no heap memory, that are none.
void cut_at_heap_memory(Address a, Address* begin, Address* end);
inline bool is_foreign(const Block& block) { return block.kind >= AllocKind::Foreign; }
HeapTotals totals();
// Call when the program has got memory. While realloc works there are two blocks, which the program never
// has.
void note_peak();

// Calls f(block) for each live block, including foreign ones, by ascending payload address; an outer block
// before an inner one at the same address. f must not allocate or free.
void for_each_live(void (*f)(Block& block, void* argument), void* argument);

// For tests: gives all memory back and forgets all blocks.
void reset();

}  // namespace memspy::heap
