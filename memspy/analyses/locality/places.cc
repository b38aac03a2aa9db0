// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/places.h"

#include "client/replacement.h"
#include "threads/registry.h"

namespace memspy::locality {
namespace {

using places::Extent;

constexpr u32 kSlots = 1 << 14;
constexpr u32 kLineBits = 6;
Extent* known = nullptr;  // by line
bool any = false;

Extent& slot_of(Address a) { return known[(a >> kLineBits) % kSlots]; }

void forget_all() {
    if (!any) return;
    for (u32 i = 0; i < kSlots; ++i) known[i] = Extent{};
    any = false;
}

void forget(Address begin, usize bytes) {
    if (bytes >> kLineBits >= kSlots / 4) return forget_all();
    for (Address line = begin >> kLineBits; line <= (begin + bytes) >> kLineBits; ++line)
        slot_of(line << kLineBits) = Extent{};
}

Extent find(Address a) {
    const heap::Block* block = heap::find_near(a);
    if (block != nullptr && block->contains(a))
        return {block->payload, block->payload + block->size, places::heap_object(*block), block->payload};
    // Memory between blocks may belong to a block the next time.
    if (heap::is_heap_memory(a)) {
        Extent extent = places::find_extent(a);
        extent.begin = a;
        extent.end = a + 1;
        return extent;
    }
    return places::find_whole(a);
}

}  // namespace

void start_places() {
    known = static_cast<Extent*>(rt::map_zeroed(kSlots * sizeof(Extent), "memspy.extents"));
    client::listen({.acquired = forget,
                    .released = [](const heap::Block& block) { forget(block.payload, block.size); }});
    threads::listen({.created = [](threads::Thread, threads::Thread, u32) { forget_all(); },
                     .exited = [](threads::Thread, u32) { forget_all(); },
                     .mapped = forget,
                     .unmapped = forget});
}

const Extent& extent_of(Address a) {
    Extent& extent = slot_of(a);
    if (a >= extent.begin && a < extent.end) [[likely]]
        return extent;
    any = true;
    return extent = find(a);
}

}  // namespace memspy::locality
