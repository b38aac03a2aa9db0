// SPDX-License-Identifier: GPL-2.0-or-later
//
// How memory is laid out:
//
//   chunk    from the source; kGuard untouched bytes at both ends, *slabs* or one large block between
//   slab     zone | room | zone | room | zone ...: slots of one size class; a payload stands in a room,
//            a zone is the red zone of both its neighbours
//   Region   what is known of a slab or of a large block (a region of one slot): where its slots and its
//            array of Blocks are
//
// A table leads from each granule of 64 KiB to its region, so any address finds its slot by a load, a
// multiplication and an addition. Since no slab is smaller than a granule and the guards are one granule
// each, no granule has bytes of two regions.
#include "heap/heap.h"

#include <bit>
#include <new>

#include "heap/foreign.h"
#include "rt/vector.h"

namespace memspy::heap {
namespace {

constexpr unsigned kGranuleBits = 16;
constexpr usize kGranule = usize{1} << kGranuleBits;
// As far as Valgrind gives memory to a client (as in shadow/shadow_map.h).
constexpr unsigned kAddressBits = 37;
constexpr usize kMaxBlock = usize{1} << kAddressBits;
static_assert(kGuard == kGranule, "else a granule could have bytes of two chunks");

// Untouched parts of a chunk cost only address space; a larger one saves little.
constexpr usize kChunkUsable = usize{4} << 20;
constexpr usize kLargestSlab = usize{1} << 20;
static_assert(kChunkUsable % kLargestSlab == 0);

// Size classes by room: 16-byte steps to 256, then eight steps per doubling, so that a block wastes at most a
// ninth of its size above 256. Four steps would save a few slabs and waste twice as much.
constexpr usize kStep = 16;
constexpr usize kFineLimit = 256;
constexpr usize kSmallLimit = usize{64} << 10;
constexpr unsigned kFineClasses = kFineLimit / kStep;
constexpr unsigned kClasses = kFineClasses + 8 * 8;
static_assert(kFineLimit << 8 == kSmallLimit);

unsigned class_of(usize size) {
    if (size <= kFineLimit) return size == 0 ? 0 : static_cast<unsigned>((size - 1) / kStep);
    // The three bits below the highest one of size - 1 tell the eighth of the doubling.
    unsigned top = 63 - static_cast<unsigned>(std::countl_zero(u64{size - 1}));
    unsigned eighth = static_cast<unsigned>((size - 1) >> (top - 3)) & 7;
    return kFineClasses + (top - 8) * 8 + eighth;
}

usize room_of(unsigned size_class) {
    if (size_class < kFineClasses) return (size_class + 1) * kStep;
    unsigned steps = size_class - kFineClasses;
    return (usize{32} << (steps / 8)) * (9 + steps % 8);
}

// A shape is a kind of slab that can be used again for another class of the same shape: its size, and how
// many Blocks its array has. Three shapes of 64 KiB, so that few large slots do not take as much address
// space (and a page of its own) for their records as thousands of small ones.
struct Shape {
    usize bytes;
    u32 blocks;
};
constexpr u32 kFewBlocks = 32, kSomeBlocks = 256;
constexpr unsigned kShapes = 7;

struct Region {
    Address begin;  // the first room's start minus the red zone
    Address end;
    Address chunk;  // large blocks: what the source gave; slabs: 0
    usize chunk_bytes;
    Block* blocks;
    usize slot_bytes;  // room + one zone
    usize room;
    u32 reciprocal;  // ceil(2^32 / (slot_bytes / 16)); slabs only
    u32 slots;
    u32 handed_out;  // slots [0, handed_out) have been used at least once
    u32 occupied;    // live or in quarantine
    u8 size_class;
    u8 shape;
    bool virgin;        // its memory was never part of another region since the chunk was acquired
    bool listed;        // in its class's list of regions with room
    Block* free_slots;  // last in, first out: the likeliest to be in the cache
    Region* previous;
    Region* next;
    Block single;  // the one block of a large region
};

struct Class {
    Region* with_room;  // regions that have a free slot or one never handed out
    usize slot_bytes;
    usize room;
    u64 handed_out;  // slots of all its regions that have been used at least once
    u64 spare;       // those of them that are free
    u8 shape;
    u8 widest;  // the last class that may lend a slot to this one
};

struct Queue {
    Block* oldest;
    Block* newest;
};

struct SlabChunk {
    Address begin;
    usize bytes;
};

Limits limits;
ChunkSource source;
Totals counts;
Shape shapes[kShapes];
Class classes[kClasses];
Region* granules[usize{1} << (kAddressBits - kGranuleBits)];
usize lowest_granule, highest_granule;  // [lowest, highest) have had regions
Region* free_slabs[kShapes];
Region* free_regions;      // records without memory
Address carve, carve_end;  // the current chunk's rest
u8* block_store;
usize block_store_left;
rt::Vector<SlabChunk>* slab_chunks;  // by address
Queue small_queue, big_queue;
ForeignIndex foreign;
// Freed foreign blocks. They hold no memory of ours but their records, so their number is what is bounded.
ForeignNode* oldest_foreign;
ForeignNode* newest_foreign;
usize foreign_freed;
constexpr usize kMaxForeignFreed = 10'000;

constexpr usize round_up(usize value, usize to) { return (value + to - 1) & ~(to - 1); }

Region* region_at(Address a) {
    if (a >> kAddressBits != 0) return nullptr;
    return granules[a >> kGranuleBits];
}

void map_region(const Region& region, Region* to) {
    usize first = region.begin >> kGranuleBits, last = (region.end - 1) >> kGranuleBits;
    for (usize i = first; i <= last; ++i) granules[i] = to;
    if (to == nullptr) return;
    if (lowest_granule == highest_granule) {
        lowest_granule = first;
        highest_granule = last + 1;
    }
    if (first < lowest_granule) lowest_granule = first;
    if (last >= highest_granule) highest_granule = last + 1;
}

Address slot_start(const Region& region, usize slot) {
    return region.begin + limits.red_zone + slot * region.slot_bytes;
}

// The slot whose front zone or room `a` lies in; may be `slots` for the last zone or the unused tail.
usize slot_of(const Region& region, Address a) {
    if (region.chunk != 0) return 0;
    u64 units = (a - region.begin) / kStep;
    // Exact: units < 2^16 and slot_bytes / kStep < 2^13, so the reciprocal's error stays below one unit.
    usize slot = static_cast<usize>((units * region.reciprocal) >> 32);
    return slot < region.slots ? slot : region.slots;
}

Block* block_at(Region& region, Address a) {
    usize slot = slot_of(region, a);
    return slot < region.handed_out ? &region.blocks[slot] : nullptr;
}

void push(Queue& queue, Block& block) {
    block.set_next(nullptr);
    if (queue.oldest == nullptr)
        queue.oldest = &block;
    else
        queue.newest->set_next(&block);
    queue.newest = &block;
}

Block* pop(Queue& queue) {
    Block* block = queue.oldest;
    if (block == nullptr) return nullptr;
    queue.oldest = block->next();
    return block;
}

// --- Regions and chunks ---------------------------------------------------------------------------------

Region* new_region() {
    if (free_regions == nullptr) {
        constexpr usize kBatch = 64;
        auto* batch = static_cast<Region*>(rt::map_zeroed(kBatch * sizeof(Region), "memspy.heap.regions"));
        for (usize i = kBatch; i-- > 0;) {
            batch[i].next = free_regions;
            free_regions = &batch[i];
        }
    }
    Region* region = free_regions;
    free_regions = region->next;
    return new (region) Region{};
}

void drop_region(Region* region) {
    region->next = free_regions;
    free_regions = region;
}

// Zeros that are touched as slots are handed out.
Block* new_block_array(u32 blocks) {
    constexpr usize kStore = usize{1} << 20;
    usize bytes = blocks * sizeof(Block);
    if (bytes > block_store_left) {
        usize store = bytes > kStore ? bytes : kStore;
        block_store = static_cast<u8*>(rt::map_zeroed(store, "memspy.heap.blocks"));
        block_store_left = store;
    }
    u8* array = block_store;
    block_store += bytes;
    block_store_left -= bytes;
    return reinterpret_cast<Block*>(array);
}

Address acquire(usize bytes) {
    auto chunk = reinterpret_cast<Address>(source.acquire(bytes));
    if (chunk == 0) return 0;
    if ((chunk + bytes - 1) >> kAddressBits == 0) return chunk;
    source.release(reinterpret_cast<void*>(chunk), bytes);
    return 0;
}

bool acquire_slab_chunk() {
    // Granules must not be shared with the guards' neighbours, and slabs start at granules.
    constexpr usize kBytes = kGuard + kGranule + kChunkUsable + kGuard;
    Address chunk = acquire(kBytes);
    if (chunk == 0) return false;
    carve = round_up(chunk + kGuard, kGranule);
    carve_end = carve + kChunkUsable;
    slab_chunks->push_back({chunk, kBytes});
    for (usize i = slab_chunks->size() - 1; i > 0 && (*slab_chunks)[i - 1].begin > chunk; --i) {
        (*slab_chunks)[i] = (*slab_chunks)[i - 1];
        (*slab_chunks)[i - 1] = {chunk, kBytes};
    }
    return true;
}

Region* new_slab(unsigned shape) {
    if (Region* slab = free_slabs[shape]) {
        free_slabs[shape] = slab->next;
        return slab;
    }
    usize bytes = shapes[shape].bytes;
    if (bytes > carve_end - carve && !acquire_slab_chunk()) return nullptr;
    Region* slab = new_region();
    slab->begin = carve;
    slab->end = carve + bytes;
    slab->blocks = new_block_array(shapes[shape].blocks);
    slab->shape = static_cast<u8>(shape);
    slab->virgin = true;
    carve += bytes;
    return slab;
}

void list(Region& region) {
    Class& size_class = classes[region.size_class];
    region.previous = nullptr;
    region.next = size_class.with_room;
    if (region.next != nullptr) region.next->previous = &region;
    size_class.with_room = &region;
    region.listed = true;
}

void unlist(Region& region) {
    if (region.previous != nullptr)
        region.previous->next = region.next;
    else
        classes[region.size_class].with_room = region.next;
    if (region.next != nullptr) region.next->previous = region.previous;
    region.listed = false;
}

Region* slab_for(unsigned size_class) {
    Class& wanted = classes[size_class];
    Region* slab = new_slab(wanted.shape);
    if (slab == nullptr) return nullptr;
    slab->size_class = static_cast<u8>(size_class);
    slab->slot_bytes = wanted.slot_bytes;
    slab->room = wanted.room;
    slab->slots = static_cast<u32>((slab->end - slab->begin - limits.red_zone) / wanted.slot_bytes);
    CHECK_LE(slab->slots, shapes[wanted.shape].blocks);
    u64 units = wanted.slot_bytes / kStep;
    slab->reciprocal = static_cast<u32>(((u64{1} << 32) + units - 1) / units);
    slab->handed_out = slab->occupied = 0;
    slab->free_slots = nullptr;
    map_region(*slab, slab);
    list(*slab);
    return slab;
}

// An empty slab goes back for any class of its shape, but a class keeps its last one.
void retire_slab(Region& slab) {
    if (slab.previous == nullptr && slab.next == nullptr) return;
    unlist(slab);
    classes[slab.size_class].handed_out -= slab.handed_out;
    classes[slab.size_class].spare -= slab.handed_out;
    map_region(slab, nullptr);
    slab.virgin = false;
    slab.next = free_slabs[slab.shape];
    free_slabs[slab.shape] = &slab;
}

// --- Quarantine -----------------------------------------------------------------------------------------

usize volume_of(const Block& block) { return block.size < kStep ? kStep : block.size; }

// Makes a freed block's memory available again.
void evict(Block& block) {
    counts.quarantine_bytes -= volume_of(block);
    Region& region = *region_at(block.payload);
    block.state = BlockState::Unused;
    if (region.chunk != 0) {
        map_region(region, nullptr);
        source.release(reinterpret_cast<void*>(region.chunk), region.chunk_bytes);
        drop_region(&region);
        return;
    }
    block.set_next(region.free_slots);
    region.free_slots = &block;
    --region.occupied;
    ++classes[region.size_class].spare;
    if (!region.listed) list(region);
    if (region.occupied == 0) retire_slab(region);
}

bool evict_oldest() {
    Block* block = pop(big_queue);
    if (block == nullptr) block = pop(small_queue);
    if (block == nullptr) return false;
    evict(*block);
    return true;
}

void evict_to(usize volume) {
    while (counts.quarantine_bytes > volume && evict_oldest()) {
    }
}

// --- Allocation -----------------------------------------------------------------------------------------

// Not memset, which may be a byte loop in the host. `p` is aligned to 16, and the room to be cleared is a
// multiple of 16.
void clear(Address payload, usize bytes) {
    struct alignas(16) Line {
        u64 words[2];
    };
    auto* p = reinterpret_cast<Line*>(payload);
    for (usize i = 0; i < bytes / sizeof(Line); ++i) p[i] = Line{};
}

// When a program turns to blocks of another size, the slabs of its former ones empty slowly and at random,
// and would stand beside as many new ones until the last block of each has left the quarantine. So a class
// takes free slots of a wider class that has use for less than half of its own, before it takes a new slab.
Region* lender_for(unsigned size_class) {
    const Class& borrower = classes[size_class];
    if (free_slabs[borrower.shape] != nullptr) return nullptr;
    for (unsigned i = size_class + 1; i <= borrower.widest; ++i) {
        const Class& lender = classes[i];
        if (lender.spare * 2 < lender.handed_out || lender.spare == 0) continue;
        if (lender.with_room->free_slots != nullptr) return lender.with_room;
    }
    return nullptr;
}

Block* allocate_small(usize room, usize alignment, bool* zeros) {
    unsigned wanted = class_of(room);
    Region* region = classes[wanted].with_room;
    if (region == nullptr) [[unlikely]] {
        region = lender_for(wanted);
        if (region == nullptr) region = slab_for(wanted);
        if (region == nullptr) return nullptr;
    }
    Class& owner = classes[region->size_class];
    Block* block = region->free_slots;
    usize slot;
    if (block != nullptr) {
        region->free_slots = block->next();
        slot = static_cast<usize>(block - region->blocks);
        block->fresh = false;
        --owner.spare;
    } else {
        slot = region->handed_out++;
        ++owner.handed_out;
        block = &region->blocks[slot];
        block->fresh = region->virgin;
        *zeros = region->virgin && kChunkUsable >= source.zeroed_from;
    }
    ++region->occupied;
    if (region->free_slots == nullptr && region->handed_out == region->slots) unlist(*region);
    block->payload = round_up(slot_start(*region, slot), alignment);
    return block;
}

Block* allocate_large(usize size, usize alignment, bool* zeros) {
    usize room = round_up(size, kStep) + alignment - kStep;
    usize bytes = kGuard + limits.red_zone + room + limits.red_zone + kGuard;
    Address chunk = acquire(bytes);
    if (chunk == 0) return nullptr;
    Region* region = new_region();
    region->chunk = chunk;
    region->chunk_bytes = bytes;
    region->begin = chunk + kGuard;
    region->end = chunk + bytes - kGuard;
    region->room = room;
    region->slot_bytes = room + limits.red_zone;
    region->slots = region->handed_out = region->occupied = 1;
    region->blocks = &region->single;
    region->virgin = true;
    map_region(*region, region);
    Block* block = &region->single;
    block->fresh = true;
    block->payload = round_up(slot_start(*region, 0), alignment);
    *zeros = bytes >= source.zeroed_from;
    return block;
}

void count_allocation(usize size) {
    ++counts.live_blocks;
    counts.live_bytes += size;
    ++counts.allocations;
    counts.bytes += size;
}

void count_free(usize size) {
    --counts.live_blocks;
    counts.live_bytes -= size;
    ++counts.frees;
}

// --- Looking around -------------------------------------------------------------------------------------

usize distance(const Block& block, Address a) {
    if (a < block.payload) return block.payload - a;
    // Behind the last byte is at distance one, as is before the first.
    return a - block.payload < block.size ? 0 : a - (block.payload + block.size) + 1;
}

// Keeps the better of two answers to find_near.
void offer(Block*& best, Block& block, Address a) {
    if (best == nullptr) {
        best = &block;
        return;
    }
    usize mine = distance(block, a), others = distance(*best, a);
    if (mine != others) {
        if (mine < others) best = &block;
    } else if (mine == 0 && block.size != best->size) {
        if (block.size < best->size) best = &block;
    } else if (block.state != best->state) {
        if (block.state == BlockState::Live) best = &block;
    } else if (block.payload < best->payload) {
        best = &block;
    }
}

Block* near_in_region(Region& region, Address a) {
    bool within = a - region.begin < region.end - region.begin;
    usize slot = slot_of(region, a < region.begin ? region.begin : a);
    Block* best = nullptr;
    auto consider = [&](usize i) {
        if (i < region.handed_out && region.blocks[i].state != BlockState::Unused)
            offer(best, region.blocks[i], a);
    };
    consider(slot);
    // In the zone between two slots both are candidates.
    bool in_zone = a < slot_start(region, slot);
    if (in_zone && slot > 0) consider(slot - 1);
    if (best != nullptr && within) return best;
    for (usize step = 1; (step - 1) * region.slot_bytes <= kNear; ++step) {
        if (slot >= step) consider(slot - step);
        consider(slot + step);
    }
    return best != nullptr && distance(*best, a) <= kNear ? best : nullptr;
}

// An inner block tells more than the one that it was carved from, even if only its red zone is met.
bool is_carved_from(const Block& inner, const Block& outer) {
    return inner.size < outer.size && inner.payload - outer.payload <= outer.size - inner.size;
}

Block* near_foreign(Address a) {
    Block* best = nullptr;
    foreign.for_overlapping(a, a + 1, [&](ForeignNode& node) {
        if (best != nullptr && is_carved_from(node, *best))
            best = &node;
        else if (best == nullptr || !is_carved_from(*best, node))
            offer(best, node, a);
        return false;
    });
    return best;
}

}  // namespace

void initialise(const Limits& new_limits, const ChunkSource& new_source) {
    limits = new_limits;
    limits.red_zone = round_up(limits.red_zone, kStep);
    if (limits.red_zone < kStep) limits.red_zone = kStep;
    CHECK_LE(limits.red_zone, 4096u);
    source = new_source;
    shapes[0] = {kGranule, static_cast<u32>((kGranule - limits.red_zone) / (kStep + limits.red_zone))};
    shapes[1] = {kGranule, kSomeBlocks};
    shapes[2] = {kGranule, kFewBlocks};
    for (unsigned i = 3; i < kShapes; ++i) shapes[i] = {shapes[i - 1].bytes * 2, kFewBlocks};
    CHECK_EQ(shapes[kShapes - 1].bytes, kLargestSlab);
    for (unsigned i = 0; i < kClasses; ++i) {
        usize room = room_of(i), slot_bytes = room + limits.red_zone;
        // The smallest slab with at least 15 slots; the next smaller one had less than 15, so no large
        // shape needs more than kFewBlocks.
        unsigned shape = 2;
        auto slots = [&] { return (shapes[shape].bytes - limits.red_zone) / slot_bytes; };
        while (shape + 1 < kShapes && slots() < 15) ++shape;
        if (shape == 2 && slots() > kFewBlocks) shape = slots() > kSomeBlocks ? 0 : 1;
        // Slots of up to four times a very small room, of little more than twice a larger one.
        usize widest_room = room * 2 + 2 * kStep;
        unsigned widest = widest_room < kSmallLimit ? class_of(widest_room) : kClasses - 1;
        classes[i] = {nullptr, slot_bytes, room, 0, 0, static_cast<u8>(shape), static_cast<u8>(widest)};
    }
    if (slab_chunks == nullptr)
        slab_chunks = new (rt::allocate(sizeof *slab_chunks, "memspy.heap.chunks")) rt::Vector<SlabChunk>;
}

Block* allocate(usize size, usize alignment, AllocKind kind, ContextId context, u32 thread, bool zeroed) {
    if (alignment < kStep) alignment = kStep;
    DCHECK_EQ(alignment & (alignment - 1), 0u);
    if (size > kMaxBlock || alignment > kMaxBlock) return nullptr;
    if (counts.quarantine_bytes > limits.quarantine_volume) evict_to(limits.quarantine_volume);

    // Even a block of no size must start within its room, else its address would lead to the next slot.
    usize needed = (size == 0 ? 1 : size) + alignment - kStep;
    bool small = needed <= kSmallLimit;
    bool zeros = false;
    auto attempt = [&] {
        return small ? allocate_small(needed, alignment, &zeros) : allocate_large(size, alignment, &zeros);
    };
    Block* block = attempt();
    if (block == nullptr) [[unlikely]] {
        // Rather forget freed blocks than tell the client that there is no memory.
        evict_to(0);
        block = attempt();
        if (block == nullptr) return nullptr;
    }
    block->set_size(size);
    block->allocated = context;
    block->freed = ContextId::None;
    block->allocated_by = static_cast<u16>(thread);
    block->kind = kind;
    block->state = BlockState::Live;
    block->set_next(nullptr);
    if (zeroed && !zeros) clear(block->payload, round_up(size, kStep));
    count_allocation(size);
    return block;
}

namespace {

Block* find_in_state(Address payload, BlockState state) {
    if (Region* region = region_at(payload)) {
        Block* block = block_at(*region, payload);
        if (block != nullptr && block->payload == payload && block->state == state) return block;
    }
    if (foreign.empty()) return nullptr;
    return foreign.find(payload, [&](const Block& block) { return block.state == state; });
}

}  // namespace

Block* find_live(Address payload) { return find_in_state(payload, BlockState::Live); }
Block* find_freed(Address payload) { return find_in_state(payload, BlockState::Freed); }

Block* find_near(Address a) {
    if (!foreign.empty())
        if (Block* block = near_foreign(a)) return block;
    Region* region = region_at(a);
    // The guards of a large block belong to its neighbourhood, too.
    if (region == nullptr) region = region_at(a - kNear);
    if (region == nullptr) region = region_at(a + kNear);
    if (region == nullptr) return nullptr;
    return near_in_region(*region, a);
}

void free(Block& block, ContextId context) {
    DCHECK(block.state == BlockState::Live);
    count_free(block.size);
    block.state = BlockState::Freed;
    block.freed = context;
    // First make room, then queue: the block freed last stays known even if it is larger than the whole
    // quarantine, and is the first to go.
    usize volume = volume_of(block);
    evict_to(volume < limits.quarantine_volume ? limits.quarantine_volume - volume : 0);
    counts.quarantine_bytes += volume;
    push(block.size >= limits.quarantine_big_block ? big_queue : small_queue, block);
}

bool resize_in_place(Block& block, usize size) {
    if (is_foreign(block)) {
        if (size > Block::kMost) size = Block::kMost;
        counts.live_bytes += size - block.size;
        foreign.resize(static_cast<ForeignNode*>(&block), size);
        return true;
    }
    if (size > kMaxBlock || block.payload + size > extents(block).end - limits.red_zone) return false;
    counts.live_bytes += size - block.size;
    block.set_size(size);
    return true;
}

Extents extents(const Block& block) {
    if (is_foreign(block)) {
        const auto& node = static_cast<const ForeignNode&>(block);
        return {node.payload - node.red_zone, node.end()};
    }
    Region& region = *region_at(block.payload);
    Address begin = slot_start(region, static_cast<usize>(&block - region.blocks));
    return {begin - limits.red_zone, begin + region.room + limits.red_zone};
}

// --- Foreign blocks -------------------------------------------------------------------------------------

namespace {

// Forgets a freed foreign block.
void forget_freed(ForeignNode& node) {
    (node.older != nullptr ? node.older->newer : oldest_foreign) = node.newer;
    (node.newer != nullptr ? node.newer->older : newest_foreign) = node.older;
    --foreign_freed;
    foreign.remove(&node);
}

}  // namespace

Block* add_foreign(Address payload, usize size, AllocKind kind, ContextId context, u32 thread,
                   usize red_zone) {
    if (size > Block::kMost) size = Block::kMost;
    while (foreign_freed != 0) {
        ForeignNode* stale = nullptr;
        foreign.for_overlapping(payload, payload + (size == 0 ? 1 : size), [&](ForeignNode& node) {
            bool overlaps = node.payload < payload + size && payload < node.payload + node.size;
            if (node.state == BlockState::Freed && (overlaps || node.payload == payload)) stale = &node;
            return stale != nullptr;
        });
        if (stale == nullptr) break;
        forget_freed(*stale);
    }
    Block block{};
    block.payload = payload;
    block.set_size(size);
    block.allocated = context;
    block.allocated_by = static_cast<u16>(thread);
    block.kind = kind;
    block.state = BlockState::Live;
    count_allocation(size);
    return foreign.add(block, red_zone);
}

void free_foreign(Block& block, ContextId context) {
    DCHECK(is_foreign(block) && block.state == BlockState::Live);
    count_free(block.size);
    block.state = BlockState::Freed;
    block.freed = context;
    auto& node = static_cast<ForeignNode&>(block);
    node.older = newest_foreign;
    node.newer = nullptr;
    (newest_foreign != nullptr ? newest_foreign->newer : oldest_foreign) = &node;
    newest_foreign = &node;
    if (++foreign_freed > kMaxForeignFreed) forget_freed(*oldest_foreign);
}

void forget_foreign(Block& block) {
    auto& node = static_cast<ForeignNode&>(block);
    if (node.state == BlockState::Freed) return forget_freed(node);
    count_free(node.size);
    foreign.remove(&node);
}

Block* find_foreign(Address payload, AllocKind kind) {
    return foreign.find(
        payload, [&](const Block& block) { return block.state == BlockState::Live && block.kind == kind; });
}

// --- The whole heap -------------------------------------------------------------------------------------

bool is_heap_memory(Address a) {
    auto in_large = [&](Address probe) {
        Region* region = region_at(probe);
        return region != nullptr && region->chunk != 0 && a - region->chunk < region->chunk_bytes;
    };
    if (in_large(a) || in_large(a - kGuard) || in_large(a + kGuard)) return true;
    if (slab_chunks == nullptr) return false;
    usize low = 0, high = slab_chunks->size();
    while (low < high) {
        usize middle = (low + high) / 2;
        if ((*slab_chunks)[middle].begin <= a)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && a - (*slab_chunks)[low - 1].begin < (*slab_chunks)[low - 1].bytes;
}

Totals totals() { return counts; }

void for_each_live(void (*f)(Block& block, void* argument), void* argument) {
    ForeignNode* pending = foreign.first();
    auto foreign_before = [&](Address limit, usize size) {
        while (pending != nullptr &&
               (pending->payload < limit || (pending->payload == limit && pending->size > size))) {
            ForeignNode* node = pending;
            pending = foreign.after(node);
            if (node->state == BlockState::Live) f(*node, argument);
        }
    };
    for (usize i = lowest_granule; i < highest_granule; ++i) {
        Region* region = granules[i];
        if (region == nullptr) continue;
        for (usize slot = 0; slot < region->handed_out; ++slot) {
            Block& block = region->blocks[slot];
            if (block.state != BlockState::Live) continue;
            foreign_before(block.payload, block.size);
            f(block, argument);
        }
        i = (region->end - 1) >> kGranuleBits;
    }
    foreign_before(~Address{0}, 0);
}

void reset() {
    evict_to(0);
    for (usize i = lowest_granule; i < highest_granule; ++i) {
        Region* region = granules[i];
        if (region == nullptr) continue;
        map_region(*region, nullptr);
        if (region->chunk != 0) source.release(reinterpret_cast<void*>(region->chunk), region->chunk_bytes);
        drop_region(region);
    }
    for (Region*& slabs : free_slabs) slabs = nullptr;
    if (slab_chunks != nullptr) {
        for (const SlabChunk& chunk : *slab_chunks)
            source.release(reinterpret_cast<void*>(chunk.begin), chunk.bytes);
        slab_chunks->clear();
    }
    carve = carve_end = 0;
    lowest_granule = highest_granule = 0;
    small_queue = big_queue = {};
    oldest_foreign = newest_foreign = nullptr;
    foreign_freed = 0;
    foreign.clear();
    counts = {};
    for (Class& size_class : classes) {
        size_class.with_room = nullptr;
        size_class.handed_out = size_class.spare = 0;
    }
}

}  // namespace memspy::heap
