// SPDX-License-Identifier: GPL-2.0-or-later
#include "threads/frame_slots.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/paged_array.h"

namespace memspy::threads {
namespace {

bool keeps = false;
// By node, in bytes. Stack pointers are even, so that a distance is.
constexpr i32 kUnknown = 0, kVaries = 1;
rt::Global<rt::PagedArray<i32, 16 * 1024>> distances;
rt::Global<rt::HashMap<Address>> slots;  // by thread and path
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
    if (known != 0 && known != slot) ++age;
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
    const i32 now = is_usual ? static_cast<i32>(bytes) : kVaries;
    if (known == now) return;
    if (known != kUnknown) ++age;
    known = known == kUnknown ? now : kVaries;
}

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
