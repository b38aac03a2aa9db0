// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/stack/stack_floor.h"

#include "heap/heap.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

// Declared by the core for itself only: the bounds of the registered stack around a stack pointer.
extern "C" void VG_(stack_limits)(Addr SP, Addr* start, Addr* end);

namespace memspy::instrument {
namespace {

rt::Global<rt::Vector<Address>> floors;      // by thread; 0: none
rt::Global<rt::HashMap<bool>> stack_blocks;  // by payload

Address& floor_of(ThreadId thread) {
    if (floors->size() <= thread) floors->resize(thread + 1);
    return (*floors)[thread];
}

const heap::Block* block_at(Address a) {
    if (!heap::is_heap_memory(a)) return nullptr;
    const heap::Block* block = heap::find_near(a);
    return block != nullptr && block->contains(a) ? block : nullptr;
}

// The start of the range that the program registered, or 0. The core registers threads' stacks itself, from
// the start of the mapping on, which may hold anything.
Address registered_start(Address sp) {
    Addr start = 0, end = 0;
    VG_(stack_limits)(sp, &start, &end);
    if (sp < start || sp > end) return 0;
    const NSegment* segment = VG_(am_find_nsegment)(sp);
    return segment != nullptr && (start != segment->start || end == segment->end) ? start : 0;
}

}  // namespace

void come_to_stack(ThreadId thread, Address sp) { floor_of(thread) = sp; }

Address lower_stack_floor(ThreadId thread, Address sp) {
    if (const heap::Block* block = block_at(sp - 1)) (*stack_blocks)[block->payload] = true;
    Address& floor = floor_of(thread);
    if (sp < floor || floor == 0) floor = sp & ~(kFloorStep - 1);
    return stack_floor(thread, sp);
}

Address stack_floor(ThreadId thread, Address sp) {
    Address floor = registered_start(sp);
    if (floor == 0) floor = floor_of(thread);
    const heap::Block* block = block_at(sp - 1);
    if (block != nullptr && block->payload > floor) floor = block->payload;
    return floor < sp ? floor : sp;
}

bool is_in_stack_block(Address a) {
    if (stack_blocks->empty()) return false;
    const heap::Block* block = block_at(a);
    return block != nullptr && stack_blocks->find(block->payload) != nullptr;
}

bool is_in_other_block(Address a, Address sp) { return block_at(a) != block_at(sp - 1); }

void forget_stack_block(Address payload) { stack_blocks->erase(payload); }

}  // namespace memspy::instrument
