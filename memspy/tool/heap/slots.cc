// SPDX-License-Identifier: GPL-2.0-or-later
#include "heap/slots.h"

#include <bit>
#include <new>

namespace memspy::heap {
namespace {

// Untouched parts of a chunk only cost address space. Larger chunks would save little.
constexpr usize kChunkUsable = usize{4} << 20;
constexpr usize kLargestSlab = usize{1} << 20;
static_assert(kChunkUsable % kLargestSlab == 0);

constexpr u32 kFewBlocks = 32, kSomeBlocks = 256;

// Free slabs keep their pages up to this total. Much more would be left behind by each phase of a program;
// with less a class that needs a slab now and then would fault its pages in each time.
constexpr usize kMostFree = usize{1} << 20;

// Chunks of spare large blocks keep their addresses up to this total: a quarter of the address space.
constexpr usize kMostSpare = usize{1} << (kAddressBits - 2);

unsigned class_of(usize size) {
    if (size <= kFineLimit) return size == 0 ? 0 : static_cast<unsigned>((size - 1) / kStep);
    // The three bits below the highest one of size - 1 give the eighth of the doubling.
    unsigned top = 63 - static_cast<unsigned>(std::countl_zero(u64{size - 1}));
    unsigned eighth = static_cast<unsigned>((size - 1) >> (top - 3)) & 7;
    return kFineClasses + (top - 8) * 8 + eighth;
}

usize room_of(unsigned size_class) {
    if (size_class < kFineClasses) return (size_class + 1) * kStep;
    unsigned steps = size_class - kFineClasses;
    return (usize{32} << (steps / 8)) * (9 + steps % 8);
}

}  // namespace

usize Slots::zone_for(usize room) const {
    constexpr usize kShare = 16;  // 1/kShare: a zone costs about as much as the steps between rooms
    const usize grown = room / kShare / kStep * kStep;
    const usize zone = grown < kWidestZone ? grown : kWidestZone;
    return zone < red_zone_ ? red_zone_ : zone;
}

void Slots::initialise(usize red_zone, const ChunkSource& source) {
    red_zone = round_up(red_zone, kStep);
    red_zone_ = red_zone < kStep ? kStep : red_zone;
    CHECK_LE(red_zone_, 4096u);
    source_ = source;
    shapes_[0] = {kGranule, static_cast<u32>((kGranule - red_zone_) / (kStep + red_zone_))};
    shapes_[1] = {kGranule, kSomeBlocks};
    shapes_[2] = {kGranule, kFewBlocks};
    for (unsigned i = 3; i < kShapes; ++i) shapes_[i] = {shapes_[i - 1].bytes * 2, kFewBlocks};
    CHECK_EQ(shapes_[kShapes - 1].bytes, kLargestSlab);
    for (unsigned i = 0; i < kClasses; ++i) {
        const usize room = room_of(i), zone = zone_for(room), slot_bytes = room + zone;
        // The smallest slab with at least 15 slots. The next smaller one has less than 15, so no large shape
        // needs more than kFewBlocks.
        unsigned shape = 2;
        auto slots = [&] { return (shapes_[shape].bytes - zone) / slot_bytes; };
        while (shape + 1 < kShapes && slots() < 15) ++shape;
        if (shape == 2 && slots() > kFewBlocks) shape = slots() > kSomeBlocks ? 0 : 1;
        // Up to four times the size for a very small room, little more than twice for a larger one.
        usize widest_room = room * 2 + 2 * kStep;
        unsigned widest = widest_room < kSmallLimit ? class_of(widest_room) : kClasses - 1;
        classes_[i] = {
            nullptr, slot_bytes, room, zone, 0, 0, static_cast<u8>(shape), static_cast<u8>(widest)};
    }
    if (slab_chunks_ == nullptr)
        slab_chunks_ = new (rt::allocate(sizeof *slab_chunks_, "memspy.heap.chunks")) rt::Vector<SlabChunk>;
}

// --- Regions and chunks ---------------------------------------------------------------------------------

void Slots::map_region(const Region& region, Region* to) {
    usize first = region.begin >> kGranuleBits, last = (region.end - 1) >> kGranuleBits;
    for (usize i = first; i <= last; ++i) granules_[i] = to;
    if (to == nullptr) return;
    if (lowest_granule_ == highest_granule_) {
        lowest_granule_ = first;
        highest_granule_ = last + 1;
    }
    if (first < lowest_granule_) lowest_granule_ = first;
    if (last >= highest_granule_) highest_granule_ = last + 1;
}

Region* Slots::new_region() {
    if (free_regions_ == nullptr) {
        constexpr usize kBatch = 64;
        auto* batch = static_cast<Region*>(rt::map_zeroed(kBatch * sizeof(Region), "memspy.heap.regions"));
        for (usize i = kBatch; i-- > 0;) {
            batch[i].next = free_regions_;
            free_regions_ = &batch[i];
        }
    }
    Region* region = free_regions_;
    free_regions_ = region->next;
    return new (region) Region{};
}

void Slots::drop_region(Region* region) {
    region->next = free_regions_;
    free_regions_ = region;
}

// Zeroed memory that is touched as slots are handed out.
Block* Slots::new_block_array(u32 blocks) {
    constexpr usize kStore = usize{1} << 20;
    usize bytes = blocks * sizeof(Block);
    if (bytes > block_store_left_) {
        usize store = bytes > kStore ? bytes : kStore;
        block_store_ = static_cast<u8*>(rt::map_zeroed(store, "memspy.heap.blocks"));
        block_store_left_ = store;
    }
    u8* array = block_store_;
    block_store_ += bytes;
    block_store_left_ -= bytes;
    return reinterpret_cast<Block*>(array);
}

Address Slots::acquire(usize bytes) {
    auto chunk = reinterpret_cast<Address>(source_.acquire(bytes));
    while (chunk == 0 && release_oldest_spare()) chunk = reinterpret_cast<Address>(source_.acquire(bytes));
    if (chunk == 0) return 0;
    if ((chunk + bytes - 1) >> kAddressBits == 0) return chunk;
    source_.release(reinterpret_cast<void*>(chunk), bytes);
    return 0;
}

bool Slots::acquire_slab_chunk() {
    // Granules must not be shared with the guards' neighbours, and slabs start at granules.
    constexpr usize kBytes = kGuard + kGranule + kChunkUsable + kGuard;
    Address chunk = acquire(kBytes);
    if (chunk == 0) return false;
    carve_ = round_up(chunk + kGuard, kGranule);
    carve_end_ = carve_ + kChunkUsable;
    slab_chunks_->push_back({chunk, kBytes});
    for (usize i = slab_chunks_->size() - 1; i > 0 && (*slab_chunks_)[i - 1].begin > chunk; --i) {
        (*slab_chunks_)[i] = (*slab_chunks_)[i - 1];
        (*slab_chunks_)[i - 1] = {chunk, kBytes};
    }
    return true;
}

Region* Slots::new_slab(unsigned shape) {
    const usize bytes = shapes_[shape].bytes;
    if (Region* slab = free_slabs_[shape]) {
        free_slabs_[shape] = slab->next;
        free_bytes_ -= bytes;
        return slab;
    }
    if (Region* slab = discarded_slabs_[shape]) {
        discarded_slabs_[shape] = slab->next;
        return slab;
    }
    if (bytes > carve_end_ - carve_ && !acquire_slab_chunk()) return nullptr;
    Region* slab = new_region();
    slab->begin = carve_;
    slab->end = carve_ + bytes;
    slab->blocks = new_block_array(shapes_[shape].blocks);
    slab->shape = static_cast<u8>(shape);
    slab->virgin = true;
    carve_ += bytes;
    return slab;
}

void Slots::unlist(Region& region) {
    if (region.previous != nullptr)
        region.previous->next = region.next;
    else
        classes_[region.size_class].with_room = region.next;
    if (region.next != nullptr) region.next->previous = region.previous;
    region.listed = false;
}

Region* Slots::slab_for(unsigned size_class) {
    SizeClass& wanted = classes_[size_class];
    Region* slab = new_slab(wanted.shape);
    if (slab == nullptr) return nullptr;
    slab->size_class = static_cast<u8>(size_class);
    slab->slot_bytes = wanted.slot_bytes;
    slab->room = wanted.room;
    slab->zone = wanted.zone;
    slab->slots = static_cast<u32>((slab->end - slab->begin - wanted.zone) / wanted.slot_bytes);
    CHECK_LE(slab->slots, shapes_[wanted.shape].blocks);
    u64 units = wanted.slot_bytes / kStep;
    slab->reciprocal = static_cast<u32>(((u64{1} << 32) + units - 1) / units);
    slab->handed_out = slab->occupied = 0;
    slab->free_slots = nullptr;
    map_region(*slab, slab);
    list(*slab);
    return slab;
}

// An empty slab becomes available for any class of its shape, but a class keeps its last one. Its blocks can
// be found until another class takes the slab.
void Slots::retire_slab(Region& slab) {
    if (slab.previous == nullptr && slab.next == nullptr) return;
    unlist(slab);
    classes_[slab.size_class].handed_out -= slab.handed_out;
    classes_[slab.size_class].spare -= slab.handed_out;
    slab.virgin = false;
    const usize bytes = slab.end - slab.begin;
    const bool keeps_pages = free_bytes_ + bytes <= kMostFree;
    if (keeps_pages)
        free_bytes_ += bytes;
    else
        source_.discard(reinterpret_cast<void*>(slab.begin), bytes);
    Region*& list = (keeps_pages ? free_slabs_ : discarded_slabs_)[slab.shape];
    slab.next = list;
    list = &slab;
}

// --- Slots ----------------------------------------------------------------------------------------------

// If a program turns to blocks of another size, the slabs of the former sizes empty slowly and at random, and
// would take memory beside as many new slabs until the last block of each has left the quarantine. So before
// it takes a new slab, a class borrows free slots from a wider class that uses less than half of its own.
Region* Slots::lender_for(unsigned size_class) {
    const SizeClass& borrower = classes_[size_class];
    if (free_slabs_[borrower.shape] != nullptr) return nullptr;
    for (unsigned i = size_class + 1; i <= borrower.widest; ++i) {
        const SizeClass& lender = classes_[i];
        if (lender.spare * 2 < lender.handed_out || lender.spare == 0) continue;
        if (lender.with_room->free_slots != nullptr) return lender.with_room;
    }
    return nullptr;
}

Block* Slots::take_small(usize room, usize alignment, bool* zeros) {
    unsigned wanted = class_of(room);
    Region* region = classes_[wanted].with_room;
    if (region == nullptr) [[unlikely]] {
        region = lender_for(wanted);
        if (region == nullptr) region = slab_for(wanted);
        if (region == nullptr) return nullptr;
    }
    SizeClass& owner = classes_[region->size_class];
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
        *zeros = region->virgin && source_.gives_zeros(kChunkUsable);
    }
    ++region->occupied;
    if (region->free_slots == nullptr && region->handed_out == region->slots) unlist(*region);
    block->set_payload(round_up(slot_start(*region, slot), alignment));
    return block;
}

Block* Slots::take_large(usize size, usize alignment, bool* zeros) {
    const usize zone = zone_for(size);
    const usize room = round_up(size, kStep) + alignment - kStep;
    const usize bytes = kGuard + zone + room + zone + kGuard;
    Region* region = spare_large(bytes);
    if (region != nullptr) {
        *zeros = true;
        region->virgin = false;
    } else {
        const Address chunk = acquire(bytes);
        if (chunk == 0) return nullptr;
        region = new_region();
        region->chunk = chunk;
        region->chunk_bytes = bytes;
        region->begin = chunk + kGuard;
        region->end = chunk + bytes - kGuard;
        region->virgin = true;
        region->blocks = &region->single;
        map_region(*region, region);
        *zeros = source_.gives_zeros(bytes);
    }
    // The whole region, so that nothing of a former, longer block is left.
    region->zone = zone;
    region->room = region->end - region->begin - 2 * zone;
    region->slot_bytes = region->room + zone;
    region->slots = region->handed_out = region->occupied = 1;
    Block* block = &region->single;
    block->fresh = region->virgin;
    block->set_payload(round_up(slot_start(*region, 0), alignment));
    return block;
}

// The newest spare region that is large enough and wastes at most an eighth of its addresses, or null.
Region* Slots::spare_large(usize bytes) {
    constexpr unsigned kMostLooks = 64;
    unsigned looks = 0;
    for (Region* region = spare_; region != nullptr && looks < kMostLooks; region = region->next, ++looks) {
        if (region->chunk_bytes < bytes || region->chunk_bytes - bytes > bytes / 8) continue;
        unlist_spare(*region);
        // The program may have written there since.
        source_.discard(reinterpret_cast<void*>(region->begin), region->end - region->begin);
        return region;
    }
    return nullptr;
}

void Slots::unlist_spare(Region& region) {
    (region.previous != nullptr ? region.previous->next : spare_) = region.next;
    (region.next != nullptr ? region.next->previous : oldest_spare_) = region.previous;
    region.listed = false;
    spare_bytes_ -= region.chunk_bytes;
}

void Slots::retire_large(Region& region) {
    source_.discard(reinterpret_cast<void*>(region.begin), region.end - region.begin);
    region.occupied = 0;
    region.listed = true;
    region.previous = nullptr;
    region.next = spare_;
    (spare_ != nullptr ? spare_->previous : oldest_spare_) = &region;
    spare_ = &region;
    spare_bytes_ += region.chunk_bytes;
    while (spare_bytes_ > kMostSpare) release_oldest_spare();
}

bool Slots::release_oldest_spare() {
    if (oldest_spare_ == nullptr) return false;
    Region& oldest = *oldest_spare_;
    unlist_spare(oldest);
    release_large(oldest);
    return true;
}

void Slots::release_large(Region& region) {
    map_region(region, nullptr);
    source_.release(reinterpret_cast<void*>(region.chunk), region.chunk_bytes);
    drop_region(&region);
}

// --- All of them ----------------------------------------------------------------------------------------

bool Slots::is_in_chunk(Address a) const {
    auto in_large = [&](Address probe) {
        Region* region = region_at(probe);
        return region != nullptr && region->chunk != 0 && a - region->chunk < region->chunk_bytes;
    };
    if (in_large(a) || in_large(a - kGuard) || in_large(a + kGuard)) return true;
    if (slab_chunks_ == nullptr) return false;
    usize low = 0, high = slab_chunks_->size();
    while (low < high) {
        usize middle = (low + high) / 2;
        if ((*slab_chunks_)[middle].begin <= a)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && a - (*slab_chunks_)[low - 1].begin < (*slab_chunks_)[low - 1].bytes;
}

void Slots::reset() {
    for_each_region([&](Region& region) {
        if (region.chunk != 0) return release_large(region);
        map_region(region, nullptr);
        drop_region(&region);
    });
    for (Region*& slabs : free_slabs_) slabs = nullptr;
    for (Region*& slabs : discarded_slabs_) slabs = nullptr;
    free_bytes_ = 0;
    if (slab_chunks_ != nullptr) {
        for (const SlabChunk& chunk : *slab_chunks_)
            source_.release(reinterpret_cast<void*>(chunk.begin), chunk.bytes);
        slab_chunks_->clear();
    }
    carve_ = carve_end_ = 0;
    spare_ = oldest_spare_ = nullptr;
    spare_bytes_ = 0;
    lowest_granule_ = highest_granule_ = 0;
    for (SizeClass& size_class : classes_) {
        size_class.with_room = nullptr;
        size_class.handed_out = size_class.spare = 0;
    }
}

}  // namespace memspy::heap
