// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/owners.h"

#include "client/replacement.h"
#include "options.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::cost {
namespace {

// Owners found lately, for the addresses of kUnit bytes each.
struct KnownOwner {
    OwnedExtent extent;
    u64 age = 0;
};
constexpr u32 kKnown = 1 << 14, kUnit = 64;
KnownOwner known_owners[kKnown];
// And those of at least kWide bytes, for as many addresses each.
constexpr u32 kKnownWide = 1 << 10, kWide = 1 << 14;
KnownOwner known_wide[kKnownWide];

rt::Global<rt::Vector<ObjectCost>> all_objects;
rt::Global<rt::HashMap<u32>> numbers;  // object id -> number

u32 number_of(places::ObjectId id) {
    u32& number = (*numbers)[static_cast<u64>(id)];
    if (number == 0) {
        number = static_cast<u32>(all_objects->size());
        all_objects->push_back(ObjectCost{});
        all_objects->back().object = id;
    }
    return number;
}

usize least_block() { return static_cast<usize>(options().cost_min_block); }

OwnedExtent look_up(Address a) {
    if (!heap::is_heap_memory(a)) {
        const places::Extent whole = places::find_whole(a);
        return {whole.begin, whole.end, number_of(whole.object)};
    }
    const heap::Block* const block = heap::find_near(a);
    if (block == nullptr || !block->contains(a)) return {a, a + 1, 0};
    const u32 number = block->size < least_block() ? 0 : number_of(places::heap_object(*block));
    return {block->payload, block->payload + block->size, number};
}

// Blocks come and go too often for a new age each time. The memory of small ones stays the same object's, whatever
// the allocator does with it; a block of the same slot is less than twice as large.
void heap_changed(Address begin, usize bytes) {
    if (bytes == 0) return;
    if (bytes >= least_block() / 2) {
        ++owner_age;
        return;
    }
    for (Address unit = begin / kUnit; unit <= (begin + bytes - 1) / kUnit; ++unit)
        known_owners[unit % kKnown].age = 0;
}

}  // namespace

u64 owner_age = 1;

OwnedExtent owner_of(Address a) {
    const auto has = [&](const KnownOwner& known) {
        return known.age == owner_age && a >= known.extent.begin && a < known.extent.end;
    };
    KnownOwner& known = known_owners[a / kUnit % kKnown];
    if (has(known)) return known.extent;
    KnownOwner& wide = known_wide[a / kWide % kKnownWide];
    known = has(wide) ? wide : KnownOwner{look_up(a), owner_age};
    if (known.extent.end - known.extent.begin >= kWide) wide = known;
    return known.extent;
}

rt::Vector<ObjectCost>& objects() { return *all_objects; }
void owners_changed() { ++owner_age; }

void start_owners() {
    all_objects->push_back(ObjectCost{});
    client::listen({.acquired = heap_changed,
                    .released = [](const heap::Block& block) { heap_changed(block.payload, block.size); }});
}

void forget_owners() {
    all_objects->clear();
    numbers->clear();
    ++owner_age;
    all_objects->push_back(ObjectCost{});
}

}  // namespace memspy::cost
