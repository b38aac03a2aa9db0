// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/places.h"

#include "client/replacement.h"
#include "places/block_types.h"
#include "places/thread_storage.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "threads/registry.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::locality {
namespace {

using places::Extent;
using places::ObjectId;

constexpr u32 kSlots = 1 << 14;
constexpr u32 kLineBits = 6;
Extent* known = nullptr;  // by line
bool any = false;
u64 epoch = 0;
u64 (*oldest_pending)() = nullptr;

Extent& slot_of(Address a) { return known[(a >> kLineBits) % kSlots]; }

// What memory was until the end of an epoch.
struct PastExtent {
    Extent extent;
    u64 epoch;
    u32 before;  // of the same page: index + 1
};
constexpr u32 kPageBits = 12;
// A larger extent is looked for on all pages.
constexpr u64 kMostPages = 64;
constexpr u64 kWide = ~u64{0};
constexpr usize kWorthForgetting = 4096;
usize most_past = kWorthForgetting;  // then those that nobody needs are forgotten
rt::Global<rt::Vector<PastExtent>> past;
rt::Global<rt::HashMap<u32>> past_by_page;  // index + 1 of the latest

void add_to_page(u64 page, const Extent& extent, u64 until) {
    u32& latest = (*past_by_page)[page];
    past->push_back(PastExtent{extent, until, latest});
    latest = static_cast<u32>(past->size());
}

void keep(const Extent& extent, u64 until) {
    const u64 first = extent.begin >> kPageBits, last = (extent.end - 1) >> kPageBits;
    if (last - first >= kMostPages) return add_to_page(kWide, extent, until);
    for (u64 page = first; page <= last; ++page) add_to_page(page, extent, until);
}

// Those that no pending access needs.
void forget_past() {
    const u64 oldest = oldest_pending();
    rt::Vector<PastExtent> all;
    for (const PastExtent& each : *past)
        if (each.epoch >= oldest) all.push_back(each);
    past->resize(0);
    past_by_page->clear();
    u64 last_begin = 0, last_epoch = ~u64{0};
    for (const PastExtent& each : all) {
        // One extent stands on each of its pages.
        if (each.extent.begin == last_begin && each.epoch == last_epoch) continue;
        last_begin = each.extent.begin;
        last_epoch = each.epoch;
        keep(each.extent, each.epoch);
    }
    most_past = past->size() * 2 > kWorthForgetting ? past->size() * 2 : kWorthForgetting;
}

const PastExtent* find_past(u64 page, Address a, u64 at) {
    const u32* latest = past_by_page->find(page);
    const PastExtent* found = nullptr;
    for (u32 i = latest == nullptr ? 0 : *latest; i != 0 && (*past)[i - 1].epoch >= at;
         i = (*past)[i - 1].before) {
        const PastExtent& each = (*past)[i - 1];
        if (a >= each.extent.begin && a < each.extent.end) found = &each;
    }
    return found;
}

// Blocks that are smaller belong to lists and trees, of which nobody looks at one node.
constexpr usize kLeastBlock = 64;
// Objects of the blocks of allocations.
rt::Global<rt::HashMap<u32>> blocks_of_objects;   // by the object of all: their number
rt::Global<rt::HashMap<ObjectId>> whole_objects;  // by the object of one
rt::Global<rt::HashMap<ObjectId>> live_blocks;    // by address: those with objects of their own, or of all

ObjectId find_block(const heap::Block& block) {
    const ObjectId all = places::heap_object(block);
    if (block.size < kLeastBlock) return all;
    ObjectId& object = (*live_blocks)[block.payload];
    if (object != ObjectId::None) return object;
    const u32 number = ++(*blocks_of_objects)[static_cast<u64>(all)];
    object = all;
    if (number == 1) places::look_for_owner(all, block.payload);
    if (number <= kMostBlocks) {
        object = places::single_block(block, number);
        (*whole_objects)[static_cast<u64>(object)] = all;
        places::look_for_owner(object, block.payload);
    }
    return object;
}

Extent extent_of(const places::ObjectRegion& region) {
    return {region.begin, region.end, region.object, region.start};
}

// The first thread has run code of the program's.
bool has_program_begun = false;

Extent find(Address a) {
    const heap::Block* block = heap::find_near(a);
    if (block != nullptr && block->contains(a))
        return {block->payload, block->payload + block->size, find_block(*block), block->payload};
    // Memory between blocks may belong to a block the next time.
    if (heap::is_heap_memory(a)) {
        Extent extent = places::find_extent(a);
        extent.begin = a;
        extent.end = a + 1;
        return extent;
    }
    if (!has_program_begun) [[unlikely]]
        if (const places::ThreadStack* stack = places::stack_around(a);
            stack != nullptr && places::in_tls(*stack, a))
            return extent_of(places::whole_tls(*stack));
    return places::find_whole(a);
}

void forget_all() {
    ++epoch;
    if (!any) return;
    for (u32 i = 0; i < kSlots; ++i) known[i] = Extent{};
    any = false;
}

void forget(Address begin, usize bytes) {
    if (bytes >> kLineBits >= kSlots / 4) return forget_all();
    ++epoch;
    for (Address line = begin >> kLineBits; line <= (begin + bytes) >> kLineBits; ++line)
        slot_of(line << kLineBits) = Extent{};
}

void released(const heap::Block& block) {
    if (block.size != 0 && oldest_pending() <= epoch) {
        if (past->size() >= most_past) forget_past();
        keep(find(block.payload), epoch);
    }
    live_blocks->erase(block.payload);
    forget(block.payload, block.size);
}

bool is_in_program(u32 guest_id) { return vg::module_of_code(VG_(get_IP)(guest_id)) == vg::main_module(); }

// Before a thread begins, who creates it, or the loader, sets up its storage: that is no use of its variables.
void thread_begins(threads::Thread thread, u32 guest_id, u64) {
    static rt::Global<rt::HashMap<u8>> begun;  // by serial
    u8& has_begun = (*begun)[thread.serial];
    if (has_begun != 0) return;
    const bool is_first = thread.serial == 1;
    if (is_first && (!places::first_thread_has_tls() || !is_in_program(guest_id))) return;
    has_begun = 1;
    has_program_begun |= is_first;
    for (const places::ThreadStack& stack : places::known_stacks())
        if (stack.serial == thread.serial && stack.tls_begin < stack.tls_end && oldest_pending() <= epoch)
            keep(extent_of(places::whole_tls(stack)), epoch);
    forget_all();
}

// Symbols of a file, or a mapping.
void unmapped(Address begin, usize bytes) {
    constexpr u32 kMost = 10'000;
    if (oldest_pending() <= epoch) {
        u32 count = 0;
        for (Address a = begin; a < begin + bytes && count < kMost; ++count) {
            const Extent extent = find(a);
            keep(extent, epoch);
            a = extent.end;
        }
    }
    forget(begin, bytes);
}

}  // namespace

void start_places(u64 (*oldest)()) {
    oldest_pending = oldest;
    known = static_cast<Extent*>(rt::map_zeroed(kSlots * sizeof(Extent), "memspy.extents"));
    places::follow_stacks();
    client::listen({.acquired = forget, .released = released});
    threads::listen({.created = [](threads::Thread, threads::Thread, u32) { forget_all(); },
                     .exited = [](threads::Thread, u32) { forget_all(); },
                     .started = thread_begins,
                     .mapped = forget,
                     .unmapped = unmapped});
}

u32 blocks_of(ObjectId object) {
    const u32* const found = blocks_of_objects->find(static_cast<u64>(object));
    return found == nullptr ? 0 : *found;
}
ObjectId object_of_block(ObjectId block) {
    const ObjectId* const found = whole_objects->find(static_cast<u64>(block));
    return found == nullptr ? ObjectId::None : *found;
}

u64 present_epoch() { return epoch; }

const Extent& extent_of(Address a, u64 at) {
    if (at != epoch && past->size() != 0) [[unlikely]] {
        const PastExtent* on_page = find_past(a >> kPageBits, a, at);
        const PastExtent* wide = find_past(kWide, a, at);
        if (on_page == nullptr || (wide != nullptr && wide->epoch < on_page->epoch)) on_page = wide;
        if (on_page != nullptr) return on_page->extent;
    }
    Extent& extent = slot_of(a);
    if (a >= extent.begin && a < extent.end) [[likely]]
        return extent;
    any = true;
    return extent = find(a);
}

}  // namespace memspy::locality
