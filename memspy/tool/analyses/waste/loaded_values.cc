// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/loaded_values.h"

#include <algorithm>

namespace memspy::waste {
namespace {

// Pages that are not real stay so.
void empty_bytes(u8* begin, usize bytes) {
    constexpr usize kPage = 4096;
    u8* const end = begin + bytes;
    u8* const first = begin + (0 - reinterpret_cast<usize>(begin)) % kPage;
    u8* const last = end - reinterpret_cast<usize>(end) % kPage;
    if (first >= last) {
        __builtin_memset(begin, 0, bytes);
        return;
    }
    __builtin_memset(begin, 0, static_cast<usize>(first - begin));
    rt::empty_pages(first, static_cast<usize>(last - first));
    __builtin_memset(last, 0, static_cast<usize>(end - last));
}

}  // namespace

void LoadedValues::make_leaf(ValueLeaf& leaf, Address a) {
    leaf.values = static_cast<u8*>(rt::map_zeroed(kKnownAt + kKnownBytes, "memspy.waste_values"));
    leaf.pending = states_->pending_of_leaf(a);
}

void LoadedValues::switch_to(u32 serial) {
    ThreadValues*& values = threads_[serial];
    if (values == nullptr && !spare_.empty()) {
        values = spare_.back();
        spare_.pop_back();
    }
    if (values == nullptr)
        values = static_cast<ThreadValues*>(rt::map_zeroed(sizeof(ThreadValues), "memspy.waste_thread"));
    running_ = values;
}

void LoadedValues::empty(ThreadValues& values) {
    for (const ValueLeaf& leaf : values.leaves)
        if (leaf.values != nullptr) rt::empty_pages(leaf.values, kKnownAt + kKnownBytes);
}

void LoadedValues::forget(u32 serial) {
    ThreadValues** const found = threads_.find(serial);
    if (found == nullptr) return;
    ThreadValues* const values = *found;
    empty(*values);
    spare_.push_back(values);
    threads_.erase(serial);
    if (running_ == values) running_ = nullptr;
}

void LoadedValues::clear() {
    threads_.for_each([](u64, ThreadValues*& values) {
        for (const ValueLeaf& leaf : values->leaves)
            if (leaf.values != nullptr) empty_bytes(leaf.values + kKnownAt, kKnownBytes);
    });
}

void LoadedValues::clear_range(Address begin, usize bytes) {
    threads_.for_each([&](u64, ThreadValues*& values) {
        for (Address at = begin; at < begin + bytes;) {
            const Address stop = std::min((at | kStateLeafMask) + 1, begin + bytes);
            // Whole groups of eight: mappings are whole pages.
            if (const ValueLeaf& leaf = values->leaves[state_leaf_of(at)]; leaf.values != nullptr)
                empty_bytes(leaf.values + kKnownAt + ((at & kStateLeafMask) >> 3), (stop - at) >> 3);
            at = stop;
        }
    });
}

void LoadedValues::moved(Address from, Address to, usize bytes) {
    const auto group_of = [](const ValueLeaf& leaf, Address a) {
        return leaf.values + kKnownAt + ((a & kStateLeafMask) >> 3);
    };
    threads_.for_each([&](u64, ThreadValues*& values) {
        for (usize i = 0; i < bytes; i += 8) {
            const ValueLeaf& source = values->leaves[state_leaf_of(from + i)];
            ValueLeaf& target = values->leaves[state_leaf_of(to + i)];
            const u8 known = source.values == nullptr ? u8{0} : *group_of(source, from + i);
            if (target.values == nullptr && known == 0) continue;
            if (target.values == nullptr) make_leaf(target, to + i);
            *group_of(target, to + i) = known;
            if (known == 0) continue;
            __builtin_memcpy(target.values + ((to + i) & kStateLeafMask),
                             source.values + ((from + i) & kStateLeafMask), 8);
        }
    });
}

}  // namespace memspy::waste
