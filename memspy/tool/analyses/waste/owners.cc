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

u32 owner_age = 1;
rt::Global<heap::Grains> heap_owners;

namespace {

using places::Object;

constexpr Address kPage = 4096;
constexpr u64 kMostSize = ~u32{0};

OwnedSpan of_extent(const places::Extent& extent) {
    const u64 size = extent.end - extent.begin;
    return {extent.begin, static_cast<u32>(size < kMostSize ? size : kMostSize), owner_age,
            static_cast<u32>(extent.object), 0};
}
// Wherever the byte is.
void make_wide(OwnedSpan& owned, Address a) {
    owned.begin = a - kMostSize / 2;
    owned.size = static_cast<u32>(kMostSize);
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
        owned.size = static_cast<u32>(end - begin);
    }
    return owned;
}

OwnedSpan of_whole(Address a, bool* is_stack) {
    NearOwner& known = known_owners[a / kUnit % kKnown];
    if (!is_owned(known.owned, a)) known.owned = find_whole(a, &known.is_stack);
    *is_stack = known.is_stack;
    return known.owned;
}

// Blocks of an own allocator that do not begin at grains.
bool has_grain(const heap::Block& block) {
    return block.payload % heap::Grains::kGrain == 0 && !heap::is_foreign(block);
}

bool find_block(Address a, OwnedSpan* owned) {
    if (const u32 object = heap_owners->at(a); object != 0) {
        *owned = {0, 0, owner_age, object, object};
        make_wide(*owned, a);
        return true;
    }
    if (!heap::is_heap_memory(a)) return false;
    const heap::Block* const block = heap::find_block(a);
    if (block == nullptr) return false;
    *owned = of_extent({.begin = block->payload,
                        .end = block->payload + block->size,
                        .object = places::heap_object(*block),
                        .start = block->payload});
    return true;
}

// To find a variable of a frame, the stack is unwound and debug information is read, which takes as long as
// some hundred accesses: it is done at once in short programs, and then not more often than for so many bytes
// accessed.
constexpr u64 kAskedAtOnce = 1'000, kBytesBetween = 1 << 16;
u64 asked = 0;
bool may_ask(u64 accessed) { return asked < kAskedAtOnce + accessed / kBytesBetween; }

rt::Global<rt::HashMap<u32>> direct_owners;  // by instruction: object
rt::Global<rt::HashMap<u64>> given;          // by object of the heap: bytes

void changed(Address, usize) { ++owner_age; }
void allocated(const heap::Block& block) {
    if (!has_grain(block)) return;
    const u32 object = static_cast<u32>(places::heap_object(block));
    heap_owners->set(block.payload, block.size, object);
    (*given)[object] += block.size;
}
void released(const heap::Block& block) {
    if (has_grain(block))
        heap_owners->set(block.payload, block.size, 0);
    else
        ++owner_age;
}
void resized(const heap::Block& from, const heap::Block& to) {
    released(from);
    allocated(to);
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
            make_wide(owned, a);
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
        make_wide(owned, a);
    } else if (object.variable != nullptr && object.size != 0) {
        owned.begin = extent.start;
        owned.size = static_cast<u32>(object.size < kMostSize ? object.size : kMostSize);
    }
    return owned;
}

u64 offset_of(Address a, const OwnedSpan& owned) {
    const Object& object = places::object(places::ObjectId{owned.object});
    if (object.kind == Object::StorageKind::Heap) {
        const heap::Block* const block = heap::find_block(a);
        return block == nullptr ? kNoOffset : a - block->payload;
    }
    if (!places::is_variable(object)) return kNoOffset;
    const Address start = object.kind == Object::StorageKind::Static ? object.start : owned.begin;
    return a - start < object.size ? a - start : kNoOffset;
}

u64 handed_out(u32 object) {
    const u64* const bytes = given->find(object);
    return bytes == nullptr ? 0 : *bytes;
}

void refresh_owners(instrument::EffectBlock* block) {
    for (usize i = 0; i < block->stretch->sites->size(); ++i) {
        OwnedSpan& owned = block->sites()[i].same.owned;
        if (owned.grain == 0 && owned.age != owner_age) owned.size = 0;
    }
    block->age = owner_age;
}

void start_owners() {
    heap_owners->start();
    threads::listen({.exited = [](threads::Thread, u32) { ++owner_age; }, .unmapped = changed});
    client::listen({.acquired = changed, .allocated = allocated, .resized = resized, .released = released});
}

}  // namespace memspy::waste
