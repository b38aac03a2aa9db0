// SPDX-License-Identifier: GPL-2.0-or-later
#include "threads/frame_slots.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/paged_array.h"

namespace memspy::threads {
namespace {

bool keeps = false;
GrowthListener growth_listener;
// By node, in bytes. Stack pointers are even, so that a distance is.
constexpr i32 kUnknown = 0, kVaries = 1;
rt::Global<rt::PagedArray<i32, 16 * 1024>> distances;
rt::Global<rt::HashMap<Address>> slots;  // by thread and path
rt::Global<rt::HashMap<u32>> turns;      // of recursions, by node
rt::Global<rt::HashMap<u8>> growing;     // by node
bool grows(CallPath path) { return growing->find(static_cast<u32>(path)) != nullptr; }
// Grows when a slot that was found may have become wrong.
u32 age = 1;

u64 key_of(u32 serial, CallPath path) { return u64{serial} << 32 | static_cast<u32>(path); }

i32& distance_of(CallPath path) {
    const auto index = static_cast<u32>(path);
    while (distances->size() <= index) distances->push_back(kUnknown);
    return (*distances)[index];
}

// Slots found lately.
struct FoundSlot {
    u32 serial, age;
    CallPath path;
    Address slot;
};
constexpr u32 kFound = 4096;
FoundSlot found_slots[kFound];

FoundSlot& found_slot(u32 serial, CallPath path) {
    return found_slots[(static_cast<u32>(path) * 31 + serial) % kFound];
}

// Without a look at those found lately.
Address find_slot(u32 serial, CallPath path) {
    Address below = 0;
    for (CallPath at = path;; at = parent_of(at)) {
        if (const Address* slot = slots->find(key_of(serial, at))) return *slot - below;
        if (at == CallPath::Root) return 0;
        const i32 distance = static_cast<u32>(at) < distances->size() ? distance_of(at) : kUnknown;
        if (distance == kUnknown || distance == kVaries) return 0;
        below += static_cast<u64>(i64{distance});
        const FoundSlot& parent = found_slot(serial, parent_of(at));
        if (parent.serial == serial && parent.age == age && parent.path == parent_of(at))
            return parent.slot == 0 ? 0 : parent.slot - below;
    }
}

}  // namespace

void keep_frame_slots() { keeps = true; }
bool keeps_frame_slots() { return keeps; }

void frame_is_at(u32 serial, CallPath path, Address slot) {
    if (!keeps) return;
    Address& known = (*slots)[key_of(serial, path)];
    if (known != slot) ++age;
    known = slot;
}

void frame_is_below(CallPath child, Address callers_slot, Address slot) {
    // A thread's first function may take what it finds on the stack before it calls another one.
    constexpr i64 kMostBytes = i64{1} << 30, kMostAbove = 4096;
    if (!keeps || child == CallPath::Root) return;
    const auto bytes = static_cast<i64>(callers_slot - slot);
    const bool is_usual = bytes > -kMostAbove && bytes < kMostBytes && bytes % 2 == 0 && bytes != kUnknown;
    i32& known = distance_of(child);
    if (known == kVaries) return;
    const i32 now = is_usual && !grows(parent_of(child)) ? static_cast<i32>(bytes) : kVaries;
    if (known == now) return;
    if (known != kUnknown) ++age;
    known = known == kUnknown ? now : kVaries;
}

void frame_grows(CallPath path) {
    if (!keeps) return;
    u8& known = (*growing)[static_cast<u32>(path)];
    if (known == 0) ++age;
    known = 1;
}

void listen_to_growth(const GrowthListener& listener) { growth_listener = listener; }
bool follows_growth() { return keeps || growth_listener.took != nullptr; }
bool takes_as_it_goes(Address code) {
    return growth_listener.takes != nullptr && growth_listener.takes(code);
}
void tell_growth(const Growth& growth) {
    if (growth_listener.took != nullptr) growth_listener.took(growth);
}

bool has_varying_slot(CallPath path) {
    return static_cast<u32>(path) < distances->size() && distance_of(path) == kVaries;
}

void frame_recurs(CallPath path, CallPath caller, u64 bytes) {
    constexpr u64 kMostBytes = 1 << 20;
    if (!keeps) return;
    u32& known = (*turns)[static_cast<u32>(path)];
    bool is_usual = bytes > kVaryingTurns && bytes < kMostBytes && (known == 0 || known == bytes);
    for (; is_usual && !grows(caller) && caller != path && caller != CallPath::Root;)
        caller = parent_of(caller);
    is_usual = is_usual && !grows(caller);
    const u32 now = is_usual ? static_cast<u32>(bytes) : kVaryingTurns;
    if (known != now) ++age;
    known = now;
}

Recursion recursion_of(CallPath path) {
    if (turns->size() == 0) return {};
    u64 below = 0;
    for (CallPath at = path; at != CallPath::Root; at = parent_of(at)) {
        if (const u32* const turn = turns->find(static_cast<u32>(at)))
            // Callees of a turn may be where the next turn is.
            return {at, below < *turn ? *turn : kVaryingTurns};
        const i32 distance = static_cast<u32>(at) < distances->size() ? distance_of(at) : kUnknown;
        if (distance == kUnknown || distance == kVaries) below = ~u64{0} / 2;
        below += static_cast<u64>(i64{distance});
    }
    return {};
}

u32 age_of_slots() { return age; }

Address slot_of(u32 serial, CallPath path) {
    if (!keeps) return 0;
    FoundSlot& found = found_slot(serial, path);
    if (found.serial == serial && found.age == age && found.path == path) return found.slot;
    const Address slot = find_slot(serial, path);
    // What is not known may become so.
    if (slot != 0) found = {serial, age, path, slot};
    return slot;
}

}  // namespace memspy::threads
