// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/owners.h"

#include "analyses/waste/contexts.h"
#include "client/replacement.h"
#include "places/objects.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::waste {

// Ages of the heap are even, the others odd.
u32 heap_owner_age = 2, other_owner_age = 1;
u32 owner_epoch = 1;

namespace {

using places::Object;

constexpr Address kPage = 4096;
constexpr u64 kAnywhere = ~u64{0};

OwnedSpan of_extent(const places::Extent& extent) {
    OwnedSpan owned{extent.begin, extent.end - extent.begin, other_owner_age,
                    static_cast<u32>(extent.object)};
    return owned;
}

// Owners outside the heap found lately, for the addresses of kUnit bytes each: to ask for symbols is slow.
struct NearOwner {
    OwnedSpan owned;
    bool is_stack;
};
constexpr u32 kKnown = 1 << 14, kUnit = 16;
NearOwner known_owners[kKnown];

OwnedSpan find_whole(Address a, bool* is_stack) {
    const places::Extent whole = places::find_whole(a);
    const Object::StorageKind kind = places::object(whole.object).kind;
    *is_stack = kind == Object::StorageKind::Stack;
    OwnedSpan owned = of_extent(whole);
    // Any page of a mapping may become the heap's.
    if (kind == Object::StorageKind::Unknown) {
        const Address first = a / kPage * kPage;
        const Address begin = whole.begin > first ? whole.begin : first;
        const Address end = whole.end < first + kPage ? whole.end : first + kPage;
        owned.begin = begin;
        owned.size = end - begin;
    }
    return owned;
}

OwnedSpan of_whole(Address a, bool* is_stack) {
    NearOwner& known = known_owners[a / kUnit % kKnown];
    if (!is_owned(known.owned, a)) known.owned = find_whole(a, &known.is_stack);
    *is_stack = known.is_stack;
    return known.owned;
}

bool find_block(Address a, OwnedSpan* owned) {
    if (!heap::is_heap_memory(a)) return false;
    const heap::Block* const block = heap::find_block(a);
    if (block == nullptr) return false;
    *owned = {block->payload, block->size, heap_owner_age, static_cast<u32>(places::heap_object(*block))};
    return true;
}

// To find a variable of a frame, the stack is unwound and debug information is read, which takes as long as
// some hundred accesses: it is done at once in short programs, and then not more often than for so many bytes
// accessed.
constexpr u64 kAskedAtOnce = 1'000, kBytesBetween = 1 << 16;
u64 asked = 0;
bool may_ask(u64 accessed) { return asked < kAskedAtOnce + accessed / kBytesBetween; }

rt::Global<rt::HashMap<u32>> direct_owners;  // by instruction: object

void pass(u32& age) {
    age += 2;
    ++owner_epoch;
}

// The next byte is a new question.
OwnedSpan just(OwnedSpan owned, Address a) {
    owned.begin = a;
    owned.size = 1;
    return owned;
}

// Variables of frames are the program's.
bool has_variables(const SiteCounts& site) {
    return !site.pushes && !places::is_library_code(place_of(site).instruction);
}

}  // namespace

OwnedSpan owner_in(const LeftFrame& frame, Address a, u64 accessed) {
    OwnedSpan owned{};
    if (find_block(a, &owned)) return owned;
    bool is_stack = false;
    owned = of_whole(a, &is_stack);
    if (!is_stack || frame.end == 0 || places::is_library_code(frame.code)) return owned;
    if (!may_ask(accessed)) return just(owned, a);
    ++asked;
    const places::Extent extent = places::find_in_left_frame(frame.code, frame.begin, frame.end, a);
    owned = of_extent(extent);
    return owned;
}

OwnedSpan owner_of(Address a, const SiteCounts& site, u64 accessed) {
    OwnedSpan owned{};
    if (find_block(a, &owned)) return owned;
    bool is_stack = false;
    owned = of_whole(a, &is_stack);
    if (!is_stack) return owned;
    // An instruction that accesses the frame at a fixed place always accesses the same variable.
    if (site.direct) {
        if (const u32* const known = direct_owners->find(place_of(site).instruction)) {
            owned.object = *known;
            owned.begin = 0;
            owned.size = kAnywhere;
            return owned;
        }
    }
    // What lies in no variable is the stack's.
    if (!has_variables(site)) return owned;
    if (!may_ask(accessed)) return just(owned, a);
    ++asked;
    const places::Extent extent = places::find_extent(a);
    const Object& object = places::object(extent.object);
    owned.object = static_cast<u32>(extent.object);
    if (site.direct) {
        (*direct_owners)[place_of(site).instruction] = owned.object;
        owned.begin = 0;
        owned.size = kAnywhere;
    } else if (object.variable != nullptr && object.size != 0) {
        owned.begin = extent.start;
        owned.size = object.size;
    }
    return owned;
}

void refresh_owners(instrument::EffectBlock* block) {
    for (usize i = 0; i < block->stretch->sites->size(); ++i) {
        OwnedSpan& owned = block->sites()[i].same.owned;
        if (owned.age != heap_owner_age && owned.age != other_owner_age) owned.size = 0;
    }
    block->epoch = owner_epoch;
}

void start_owners() {
    const auto changed = [](Address, usize) { pass(other_owner_age); };
    threads::listen({.exited = [](threads::Thread, u32) { pass(other_owner_age); }, .unmapped = changed});
    client::listen({.acquired = changed,
                    .resized = [](const heap::Block&, const heap::Block&) { pass(heap_owner_age); },
                    .released = [](const heap::Block&) { pass(heap_owner_age); }});
}

}  // namespace memspy::waste
