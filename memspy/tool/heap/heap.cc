// SPDX-License-Identifier: GPL-2.0-or-later
#include "heap/heap.h"

#include "heap/followed.h"
#include "heap/foreign.h"
#include "heap/slots.h"

namespace memspy::heap {
namespace {

struct Queue {
    Block* oldest;
    Block* newest;
};

Limits limits;
HeapTotals counts;
Slots slots;
Queue small_queue, big_queue;
ForeignIndex foreign;
FollowedBlocks followed;
// Freed foreign blocks. Only their records take memory of the tool, so their number is limited.
ForeignNode* oldest_foreign;
ForeignNode* newest_foreign;
usize foreign_freed;
constexpr usize kMaxForeignFreed = 10'000;

// --- Quarantine -----------------------------------------------------------------------------------------

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

usize volume_of(const Block& block) { return block.size < kStep ? kStep : block.size; }

// Makes a freed block's memory available again, as a spare block.
void evict(Block& block) {
    counts.quarantine_bytes -= volume_of(block);
    slots.give_back(block);
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

// Not memset, which may be a byte loop in the host. `p` is aligned to 16, and the space to be cleared is a
// multiple of 16.
void clear(Address payload, usize bytes) {
    struct alignas(16) SixteenBytes {
        u64 words[2];
    };
    auto* p = reinterpret_cast<SixteenBytes*>(payload);
    for (usize i = 0; i < bytes / sizeof(SixteenBytes); ++i) p[i] = SixteenBytes{};
}

// A pool's blocks are not in use besides the memory that they are carved from.
void count_live(i64 blocks, i64 bytes, AllocKind kind) {
    if (kind == AllocKind::Pool) return;
    counts.live_blocks += static_cast<u64>(blocks);
    counts.live_bytes += static_cast<u64>(bytes);
}

void count_allocation(usize size, AllocKind kind) {
    count_live(1, static_cast<i64>(size), kind);
    ++counts.allocations;
    counts.bytes += size;
}

// A block outside the slots, which has been counted.
Block new_block(Address payload, usize size, AllocKind kind, ContextId context, u32 thread) {
    Block block{};
    block.set_payload(payload);
    block.set_size(size);
    block.allocated = context;
    block.set_allocated_by(thread);
    block.kind = kind;
    block.state = BlockState::Live;
    count_allocation(size, kind);
    return block;
}

void count_free(const Block& block) {
    count_live(-1, -static_cast<i64>(block.size), block.kind);
    ++counts.frees;
}

// --- Looking around -------------------------------------------------------------------------------------

usize distance(const Block& block, Address a) {
    if (a < block.payload) return block.payload - a;
    // The byte behind the last one is at distance one, as is the byte before the first.
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
    usize slot = slots.slot_of(region, a < region.begin ? region.begin : a);
    Block* best = nullptr;
    auto consider = [&](usize i) {
        if (i < region.handed_out && region.blocks[i].state != BlockState::Unused)
            offer(best, region.blocks[i], a);
    };
    consider(slot);
    // In the zone between two slots both are candidates.
    bool in_zone = a < slots.slot_start(region, slot);
    if (in_zone && slot > 0) consider(slot - 1);
    if (best != nullptr && within) return best;
    for (usize step = 1; (step - 1) * region.slot_bytes <= kNear; ++step) {
        if (slot >= step) consider(slot - step);
        consider(slot + step);
    }
    return best != nullptr && distance(*best, a) <= kNear ? best : nullptr;
}

// An inner block is more specific than the one that it was carved from, even if `a` is only in its red zone.
bool is_carved_from(const Block& inner, const Block& outer) {
    return inner.size < outer.size && inner.payload - outer.payload <= outer.size - inner.size;
}

Block* near_foreign(Address begin, Address end, Address a) {
    Block* best = nullptr;
    foreign.for_overlapping(begin, end, [&](ForeignNode& node) {
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
    slots.initialise(limits.red_zone, new_source);
}

Block* allocate(usize size, usize alignment, AllocKind kind, ContextId context, u32 thread, bool zeroed) {
    if (alignment < kStep) alignment = kStep;
    DCHECK_EQ(alignment & (alignment - 1), 0u);
    if (size > kMaxBlock || alignment > kMaxBlock) return nullptr;
    if (counts.quarantine_bytes > limits.quarantine_volume) evict_to(limits.quarantine_volume);

    bool zeros = false;
    Block* block = slots.take(size, alignment, &zeros);
    if (block == nullptr) [[unlikely]] {
        // Forgetting freed blocks is better than telling the client that there is no memory.
        evict_to(0);
        block = slots.take(size, alignment, &zeros);
        if (block == nullptr) return nullptr;
    }
    block->set_size(size);
    block->allocated = context;
    block->freed = ContextId::None;
    block->set_allocated_by(thread);
    block->kind = kind;
    block->state = BlockState::Live;
    block->set_next(nullptr);
    if (zeroed && !zeros) clear(block->payload, round_up(size, kStep));
    count_allocation(size, kind);
    return block;
}

namespace {

Block* find_exactly(Address payload, bool freed) {
    auto fits = [&](const Block& block) {
        return freed ? block.is_freed() : block.state == BlockState::Live;
    };
    if (Region* region = slots.region_at(payload)) {
        Block* block = slots.block_at(*region, payload);
        if (block != nullptr && block->payload == payload && fits(*block)) return block;
    }
    if (Block* block = followed.find(payload); block != nullptr && !freed) return block;
    return foreign.empty() ? nullptr : foreign.find(payload, fits);
}

}  // namespace

Block* find_live(Address payload) { return find_exactly(payload, false); }
Block* find_freed(Address payload) { return find_exactly(payload, true); }

Block* find_near(Address a) {
    if (!foreign.empty())
        if (Block* block = near_foreign(a, a + 1, a)) return block;
    if (Block* block = followed.around(a)) return block;
    Region* region = slots.region_at(a);
    // The guards of a large block belong to its neighbourhood, too.
    if (region == nullptr) region = slots.region_at(a - kNear);
    if (region == nullptr) region = slots.region_at(a + kNear);
    if (region == nullptr) return nullptr;
    return near_in_region(*region, a);
}

Block* find_block(Address a) {
    if (Region* region = slots.region_at(a)) {
        Block* block = slots.block_at(*region, a);
        return block != nullptr && block->state == BlockState::Live && block->contains(a) ? block : nullptr;
    }
    return followed.around(a);
}

Block* find_foreign_beside(Address a) { return near_foreign(a - kBeside, a + kBeside + 1, a); }

void free(Block& block, ContextId context, u32 thread) {
    DCHECK(block.state == BlockState::Live);
    count_free(block);
    block.state = BlockState::Freed;
    block.freed = context;
    block.set_freed_by(thread);
    // Evict first, then add: the block freed last stays known even if it is larger than the whole quarantine,
    // and is the first to leave.
    usize volume = volume_of(block);
    evict_to(volume < limits.quarantine_volume ? limits.quarantine_volume - volume : 0);
    counts.quarantine_bytes += volume;
    push(block.size >= limits.quarantine_big_block ? big_queue : small_queue, block);
}

bool resize_in_place(Block& block, usize size) {
    if (is_foreign(block)) {
        if (size > Block::kMost) size = Block::kMost;
        count_live(0, static_cast<i64>(size) - static_cast<i64>(block.size), block.kind);
        foreign.resize(static_cast<ForeignNode*>(&block), size);
        return true;
    }
    if (size > kMaxBlock || block.payload + size > slots.room_end(block)) return false;
    counts.live_bytes += size - block.size;
    block.set_size(size);
    return true;
}

Extents extents(const Block& block) {
    if (is_foreign(block)) {
        const auto& node = static_cast<const ForeignNode&>(block);
        return {node.payload - node.red_zone, node.end()};
    }
    return slots.extents(block);
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
    return foreign.add(new_block(payload, size, kind, context, thread), red_zone);
}

void free_foreign(Block& block, ContextId context, u32 thread) {
    DCHECK(is_foreign(block) && block.state == BlockState::Live);
    count_free(block);
    block.state = BlockState::Freed;
    block.freed = context;
    block.set_freed_by(thread);
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
    count_free(node);
    foreign.remove(&node);
}

Block* move_foreign(Block& block, Address payload, usize size, usize red_zone) {
    const Block old = block;
    HeapTotals totals = counts;
    forget_foreign(block);
    Block* moved = add_foreign(payload, size, old.kind, old.allocated, old.allocated_by, red_zone);
    totals.live_bytes = counts.live_bytes;
    counts = totals;
    return moved;
}

Block* find_foreign(Address payload, AllocKind kind) {
    return foreign.find(
        payload, [&](const Block& block) { return block.state == BlockState::Live && block.kind == kind; });
}

// --- The whole heap -------------------------------------------------------------------------------------

Block* follow(Address payload, usize size, AllocKind kind, ContextId context, u32 thread) {
    DCHECK(kind < AllocKind::Foreign);
    const Address end = payload + (size == 0 ? 1 : size);
    if (Block* stale = followed.around(payload)) forget_followed(*stale);
    while (Block* stale = followed.first_in(payload, end)) forget_followed(*stale);
    return followed.add(new_block(payload, size, kind, context, thread));
}

void forget_followed(Block& block) {
    count_free(block);
    followed.remove(block);
}

void forget_heap_memory(Address begin, usize bytes) {
    for (Address from = begin; Block* block = followed.first_in(from, begin + bytes);) {
        from = block->payload;
        forget_followed(*block);
    }
    followed.remove_memory(begin, bytes);
}

bool is_heap_memory(Address a) { return slots.is_in_chunk(a) || followed.is_memory(a); }

void cut_at_heap_memory(Address a, Address* begin, Address* end) { followed.cut(a, begin, end); }

HeapTotals totals() { return counts; }

void note_peak() {
    if (counts.live_bytes < counts.peak_bytes) return;
    counts.peak_bytes = counts.live_bytes;
    counts.peak_blocks = counts.live_blocks;
}

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
    slots.for_each_region([&](const Region& region) {
        for (usize slot = 0; slot < region.handed_out; ++slot) {
            Block& block = region.blocks[slot];
            if (block.state != BlockState::Live) continue;
            foreign_before(block.payload, block.size);
            f(block, argument);
        }
    });
    for (Address from = 0; Block* block = followed.first_in(from, ~Address{0}); from = block->payload + 1) {
        foreign_before(block->payload, block->size);
        f(*block, argument);
    }
    foreign_before(~Address{0}, 0);
}

void reset() {
    evict_to(0);
    slots.reset();
    small_queue = big_queue = {};
    oldest_foreign = newest_foreign = nullptr;
    foreign_freed = 0;
    foreign.clear();
    followed.clear();
    counts = {};
}

}  // namespace memspy::heap
