// SPDX-License-Identifier: GPL-2.0-or-later
//
// Slots: the client memory of the heap's own blocks, by size and by address.
//
//   chunk    from the source; kGuard untouched bytes at both ends, *slabs* or one large block between
//   slab     zone | room | zone | room | zone ...: slots of one size class; a payload is in a room; a zone is
//            the red zone of both its neighbours, wider for larger rooms
//   Region   a slab or a large block (a region of one slot): where its slots and its
//            array of Blocks are
//
// A table leads from each granule of 64 KiB to its region, so any address finds its slot by a load, a
// multiplication and an addition. No granule has bytes of two regions, because no slab is smaller than a
// granule and the guards are one granule each.
//
// Slots owns the chunks, the regions and the records of blocks. A slot is taken or free. The record of a free
// slot is Unused or, if it was taken before, Spare and describes the block that was there. The record of a
// taken slot is filled in by the caller, except its payload's address. Only heap.cc uses Slots; the code of
// each free and each search is in this header, so that it can be inlined.
#pragma once

#include "heap/block.h"
#include "rt/vector.h"

namespace memspy::heap {

constexpr usize round_up(usize value, usize to) { return (value + to - 1) & ~(to - 1); }

// The alignment of payloads, and of the sizes of rooms and zones.
constexpr usize kStep = 16;
// The addresses that Valgrind gives to a client (as in shadow/shadow_map.h).
constexpr unsigned kAddressBits = 37;
constexpr usize kMaxBlock = usize{1} << kAddressBits;
constexpr unsigned kGranuleBits = 16;
constexpr usize kGranule = usize{1} << kGranuleBits;
static_assert(kGuard == kGranule, "else a granule could have bytes of two chunks");

// Size classes by room: 16-byte steps up to 256, then eight steps per doubling, so that a block above 256
// bytes wastes at most a ninth of its size. Four steps would save a few slabs and waste twice as much.
constexpr usize kFineLimit = 256;
constexpr usize kSmallLimit = usize{64} << 10;
constexpr unsigned kFineClasses = kFineLimit / kStep;
constexpr unsigned kClasses = kFineClasses + 8 * 8;
static_assert(kFineLimit << 8 == kSmallLimit);

struct Region {
    Address begin;  // the first room's start minus the zone
    Address end;
    Address chunk;  // large blocks: the address from the source; slabs: 0
    usize chunk_bytes;
    Block* blocks;
    usize slot_bytes;  // room + one zone
    usize room;
    usize zone;
    u32 reciprocal;  // ceil(2^32 / (slot_bytes / 16)); slabs only
    u32 slots;
    u32 handed_out;  // slots [0, handed_out) have been used at least once
    u32 occupied;    // live or in quarantine
    u8 size_class;
    u8 shape;
    bool virgin;        // its memory was never part of another region since the chunk was acquired
    bool listed;        // in its class's list of regions with free slots, or a spare large one
    Block* free_slots;  // last in, first out: most likely to be in the cache
    Region* previous;
    Region* next;
    Block single;  // the one block of a large region
};

// There is one, at namespace scope. All zeros is an empty object: the tool runs no constructor.
class Slots {
public:
    void initialise(usize red_zone, const ChunkSource& source);

    // A slot for a payload of `size` bytes, at most kMaxBlock, aligned to `alignment`, a power of two from
    // kStep to kMaxBlock; nullptr if the source has no memory. Sets the record's `payload` and `fresh`, and
    // `*zeros` if the room is known to be zeros.
    Block* take(usize size, usize alignment, bool* zeros) {
        // Even a block of size 0 must start within its room, because its address would lead to the next slot
        // otherwise.
        usize needed = (size == 0 ? 1 : size) + alignment - kStep;
        return needed <= kSmallLimit ? take_small(needed, alignment, zeros)
                                     : take_large(size, alignment, zeros);
    }

    // Makes a taken slot available again. The record may be gone afterwards.
    void give_back(Block& block) {
        Region& region = *region_at(block.payload);
        block.state = BlockState::Spare;
        if (region.chunk != 0) return retire_large(region);
        block.set_next(region.free_slots);
        region.free_slots = &block;
        --region.occupied;
        ++classes_[region.size_class].spare;
        if (!region.listed) list(region);
        if (region.occupied == 0) retire_slab(region);
    }

    // The region in whose granules `a` is, or nullptr. The granules of a large block may begin and end with
    // bytes of its guards.
    Region* region_at(Address a) const {
        if (a >> kAddressBits != 0) return nullptr;
        return granules_[a >> kGranuleBits];
    }
    Address slot_start(const Region& region, usize slot) const {
        return region.begin + region.zone + slot * region.slot_bytes;
    }
    // The slot with `a` in its front zone or room; may be `slots` for the last zone or the unused tail.
    usize slot_of(const Region& region, Address a) const {
        if (region.chunk != 0) return 0;
        u64 units = (a - region.begin) / kStep;
        // Exact: units < 2^16 and slot_bytes / kStep < 2^13, so the reciprocal's error stays below one unit.
        usize slot = static_cast<usize>((units * region.reciprocal) >> 32);
        return slot < region.slots ? slot : region.slots;
    }
    // The record of that slot, or nullptr if it was never taken.
    Block* block_at(Region& region, Address a) const {
        usize slot = slot_of(region, a);
        return slot < region.handed_out ? &region.blocks[slot] : nullptr;
    }
    Extents extents(const Block& block) const {
        const Region& region = *region_at(block.payload);
        Address begin = slot_start(region, static_cast<usize>(&block - region.blocks));
        return {begin - region.zone, begin + region.room + region.zone};
    }
    Address room_end(const Block& block) const {
        const Region& region = *region_at(block.payload);
        return slot_start(region, static_cast<usize>(&block - region.blocks)) + region.room;
    }

    // Calls f(region) for each region, by ascending address. f may drop the region.
    template <typename F>
    void for_each_region(F&& f) {
        for (usize i = lowest_granule_; i < highest_granule_; ++i) {
            Region* region = granules_[i];
            if (region == nullptr) continue;
            i = (region->end - 1) >> kGranuleBits;
            f(*region);
        }
    }
    bool is_in_chunk(Address a) const;  // including guard gaps

    void reset();  // gives everything back to the source

private:
    // A kind of slab that can be reused for another class of the same shape: its size, and the number of
    // Blocks in its array. There are three shapes of 64 KiB, so that the records of few large slots do not
    // take as much address space (and a page of their own) as those of thousands of small ones.
    struct RoomShape {
        usize bytes;
        u32 blocks;
    };
    static constexpr unsigned kShapes = 7;

    struct SizeClass {
        Region* with_room;  // regions that have a free slot or one never handed out
        usize slot_bytes;
        usize room;
        usize zone;
        u64 handed_out;  // those of its slots that have been used at least once
        u64 spare;       // those of them that are free
        u8 shape;
        u8 widest;  // the last class that may lend a slot to this one
    };

    struct SlabChunk {
        Address begin;
        usize bytes;
    };

    Block* take_small(usize room, usize alignment, bool* zeros);
    Block* take_large(usize size, usize alignment, bool* zeros);
    Region* spare_large(usize bytes);
    void unlist_spare(Region& region);
    bool release_oldest_spare();
    void retire_large(Region& region);
    void release_large(Region& region);
    Region* lender_for(unsigned size_class);
    Region* slab_for(unsigned size_class);
    void retire_slab(Region& slab);

    void list(Region& region) {
        SizeClass& size_class = classes_[region.size_class];
        region.previous = nullptr;
        region.next = size_class.with_room;
        if (region.next != nullptr) region.next->previous = &region;
        size_class.with_room = &region;
        region.listed = true;
    }
    void unlist(Region& region);

    Address acquire(usize bytes);
    bool acquire_slab_chunk();
    Region* new_slab(unsigned shape);
    Region* new_region();
    void drop_region(Region* region);
    Block* new_block_array(u32 blocks);
    void map_region(const Region& region, Region* to);

    usize zone_for(usize room) const;

    usize red_zone_;  // the minimum
    ChunkSource source_;
    // Large regions without a taken block, the most recently freed one first, and the bytes of their chunks.
    Region* spare_;
    Region* oldest_spare_;
    usize spare_bytes_;
    // Free slabs; those whose pages went back to the system are taken last.
    Region* free_slabs_[kShapes];
    Region* discarded_slabs_[kShapes];
    usize free_bytes_;           // of free_slabs_
    Region* free_regions_;       // records without memory
    Address carve_, carve_end_;  // the rest of the current chunk
    u8* block_store_;
    usize block_store_left_;
    rt::Vector<SlabChunk>* slab_chunks_;      // by address
    usize lowest_granule_, highest_granule_;  // regions have been in [lowest, highest)
    RoomShape shapes_[kShapes];
    SizeClass classes_[kClasses];
    Region* granules_[usize{1} << (kAddressBits - kGranuleBits)];
};

}  // namespace memspy::heap
