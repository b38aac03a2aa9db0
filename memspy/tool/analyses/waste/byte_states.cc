// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/byte_states.h"

#include <utility>

namespace memspy::waste {
namespace {

// An access reads and writes whole words that start at any byte.
constexpr usize kPad = 64;
constexpr usize kUnitBytes = (usize{1} << kStateLeafBits) + kPad;
constexpr usize kPartBytes = (usize{4} << kStateLeafBits) + kPad;
constexpr usize kPendingBytes = (usize{1} << (kStateLeafBits - 3)) + kPad;

}  // namespace

ByteStates::StateLeaf& ByteStates::new_leaf(Address a) {
    auto* const leaf = static_cast<StateLeaf*>(rt::map_zeroed(sizeof(StateLeaf), "memspy.waste_leaf"));
    leaf->units = static_cast<u32*>(rt::map_zeroed(kUnitBytes, "memspy.waste_contexts"));
    leaf->pending = static_cast<u8*>(rt::map_zeroed(kPendingBytes, "memspy.waste_pending"));
    leaf->parts = static_cast<ContextNumber*>(rt::map_zeroed(kPartBytes, "memspy.waste_parts"));
    return *(leaves_[state_leaf_of(a)] = leaf);
}

void ByteStates::moved(Address from, Address to, usize bytes) {
    for (usize i = 0; i < bytes; i += 8) {
        const StateLeaf* const source = leaves_[state_leaf_of(from + i)];
        if (source == nullptr) continue;
        const usize old_place = (from + i) & kStateLeafMask, place = (to + i) & kStateLeafMask;
        if (source->pending[old_place >> 3] == 0) continue;
        const StateLeaf& target = leaf_of(to + i);
        std::swap(target.pending[place >> 3], source->pending[old_place >> 3]);
        __builtin_memcpy(target.units + (place >> 2), source->units + (old_place >> 2), 2 * sizeof(u32));
        __builtin_memcpy(target.parts + place, source->parts + old_place, 8 * sizeof(ContextNumber));
    }
}

void ByteStates::clear() {
    for (StateLeaf* leaf : leaves_)
        if (leaf != nullptr) rt::empty_pages(leaf->pending, kPendingBytes);
}

}  // namespace memspy::waste
