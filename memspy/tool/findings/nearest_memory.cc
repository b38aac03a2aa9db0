// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/nearest_memory.h"

#include "heap/heap.h"
#include "vg/client_arena.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::findings {
namespace {

// `end` is the first byte behind the memory, in which `a` is not.
u64 distance_of(Address a, Address begin, Address end) { return a < begin ? begin - a : a - end; }

struct BlockSearch {
    Address a;
    u64 distance;
    const heap::Block* block;
};
void compare(heap::Block& block, void* argument) {
    auto& search = *static_cast<BlockSearch*>(argument);
    if (block.contains(search.a)) return;
    const u64 distance = distance_of(search.a, block.payload, block.payload + block.size);
    if (distance >= search.distance) return;
    search.distance = distance;
    search.block = &block;
}

// What an index of 32 bits reaches in an array of eight bytes each. Memory further away says nothing of the address.
constexpr u64 kNear = u64{1} << 34;

// A page of the core's own file is the program's, since that returns there from signal handlers.
bool is_of_the_core(const NSegment& mapping) {
    const NSegment* core = VG_(am_find_nsegment)(reinterpret_cast<Address>(&kNear));
    return mapping.kind == SkFileC && core != nullptr && mapping.dev == core->dev && mapping.ino == core->ino;
}

const NSegment* nearest_mapping(Address a) {
    Int count = 0;
    Addr* starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &count);
    const NSegment* nearest = nullptr;
    u64 least = ~u64{0};
    for (Int i = 0; i < count; ++i) {
        const NSegment* mapping = VG_(am_find_nsegment)(starts[i]);
        if (mapping == nullptr || (mapping->start <= a && a <= mapping->end)) continue;
        if (!vg::has_client_memory(mapping->start) || is_of_the_core(*mapping)) continue;
        const u64 distance = distance_of(a, mapping->start, mapping->end + 1);
        if (distance >= least || distance > kNear) continue;
        least = distance;
        nearest = mapping;
    }
    VG_(free)(starts);
    return nearest;
}

}  // namespace

NearestMemory nearest_memory(Address a) {
    using NearestKind = NearestMemory::NearestKind;
    constexpr Address kFirstMapped = 0x10000;  // vm.mmap_min_addr: what is below is a null pointer's
    if (a < kFirstMapped || a >> kClientAddressBits != 0 || vg::has_client_memory(a)) return {};
    const NSegment* mapping = nearest_mapping(a);
    if (mapping == nullptr) return {};
    const bool is_above = a > mapping->end;
    const Address edge = is_above ? mapping->end : mapping->start;
    const HChar* file = mapping->kind == SkFileC ? VG_(am_get_filename)(mapping) : nullptr;
    // The heap's own mapping says less than a block of it. Other anonymous ones lie beside it.
    BlockSearch search{a, ~u64{0}, nullptr};
    const u64 distance = distance_of(a, mapping->start, mapping->end + 1);
    if (file == nullptr) heap::for_each_live(compare, &search);
    const bool is_block =
        search.block != nullptr && (heap::is_heap_memory(edge) || search.distance - distance <= distance / 8);
    if (is_block)
        return {.what = NearestKind::Block,
                .is_below = search.block->payload < a,
                .distance = search.distance,
                .size = search.block->size,
                .allocated = search.block->allocated};
    return {.what = NearestKind::Mapping,
            .is_below = is_above,
            .distance = distance,
            .file = file == nullptr ? nullptr : vg::intern(file)};
}

}  // namespace memspy::findings
