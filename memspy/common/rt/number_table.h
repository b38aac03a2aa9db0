// SPDX-License-Identifier: GPL-2.0-or-later
//
// NumberTable: finds records that are kept elsewhere, in an array, by a hash of what they hold. It holds only
// their numbers, four bytes each, so a table of many records stays small.
//
// Open addressing with linear probing, at most 3/4 full, of the same sizes as a HashMap. Numbers are never
// removed. An empty table owns no memory.
#pragma once

#include "rt/hash_map.h"

namespace memspy::rt {

class NumberTable {
public:
    constexpr NumberTable() = default;
    NumberTable(const NumberTable&) = delete;
    NumberTable& operator=(const NumberTable&) = delete;
    ~NumberTable() {
        if (slots_ != nullptr) release(slots_, capacity_ * sizeof(u32));
    }

    static constexpr u32 kNone = ~u32{0};

    // The number for which same(number) holds, or kNone. `hash` is the hash of what is looked for; its upper
    // half decides.
    template <typename Same>
    u32 find(u64 hash, Same&& same) const {
        if (capacity_ == 0) return kNone;
        for (u32 slot = home(hash);; slot = next(slot)) {
            if (slots_[slot] == 0) return kNone;
            if (same(slots_[slot] - 1)) return slots_[slot] - 1;
        }
    }

    // Adds a number that is not in the table. hash_of(number) gives the hash of each one that is.
    template <typename HashOf>
    void add(u64 hash, u32 number, HashOf&& hash_of) {
        if ((u64{size_} + 1) * 4 > u64{capacity_} * 3) grow(hash_of);
        put(hash, number);
        ++size_;
    }

    u32 size() const { return size_; }

private:
    u32 home(u64 hash) const { return static_cast<u32>((hash >> 32) * capacity_ >> 32); }
    u32 next(u32 slot) const { return slot + 1 == capacity_ ? 0 : slot + 1; }
    void put(u64 hash, u32 number) {
        u32 slot = home(hash);
        while (slots_[slot] != 0) slot = next(slot);
        slots_[slot] = number + 1;
    }
    template <typename HashOf>
    void grow(HashOf& hash_of) {
        const u32 old_capacity = capacity_;
        u32* const old = slots_;
        capacity_ = static_cast<u32>(grown_capacity(capacity_));
        slots_ = static_cast<u32*>(allocate(capacity_ * sizeof(u32), "memspy.number_table"));
        for (u32 slot = 0; slot < capacity_; ++slot) slots_[slot] = 0;
        for (u32 slot = 0; slot < old_capacity; ++slot)
            if (old[slot] != 0) put(hash_of(old[slot] - 1), old[slot] - 1);
        if (old != nullptr) release(old, old_capacity * sizeof(u32));
    }

    u32* slots_ = nullptr;  // number + 1, or 0
    u32 capacity_ = 0;
    u32 size_ = 0;
};

}  // namespace memspy::rt
