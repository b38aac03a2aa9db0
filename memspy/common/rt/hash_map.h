// SPDX-License-Identifier: GPL-2.0-or-later
//
// HashMap: open addressing with linear probing over integer keys, for records found by address.
//
// Invariants: at most 3/4 of the slots are used; a key occurs once. A small map doubles; a large one grows by
// a half or a third, in turns, so that less of it is empty and less is needed while entries move. Erasing
// shifts the following run back, so there are no tombstones and lookups of absent keys stay short. A pointer
// to a value is valid until the next insertion or erasure. Values must be trivially copyable. An empty map
// owns no memory, so an unused map costs nothing. A map with many entries may keep its keys as ShortKey.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::rt {

// How a slot holds its key; all zeros is a free slot.
class AnyKey {
public:
    bool used() const { return used_; }
    u64 get() const { return key_; }
    void set(u64 key) { *this = AnyKey(key); }

    constexpr AnyKey() = default;

private:
    explicit AnyKey(u64 key) : key_(key), used_(true) {}
    u64 key_ = 0;
    bool used_ = false;
};
// In six bytes, for keys below 2^48 - 1.
class ShortKey {
public:
    bool used() const { return (low_ | middle_ | high_) != 0; }
    u64 get() const { return (u64{high_} << 32 | u64{middle_} << 16 | low_) - 1; }
    void set(u64 key) {
        ++key;
        CHECK_EQ(key >> 48, 0u);
        low_ = static_cast<u16>(key);
        middle_ = static_cast<u16>(key >> 16);
        high_ = static_cast<u16>(key >> 32);
    }

private:
    u16 low_ = 0, middle_ = 0, high_ = 0;
};

// The next one of 16, 32, ..., 4096, 6144, 8192, 12288, ...
constexpr usize grown_capacity(usize capacity) {
    constexpr usize kFirst = 16, kLarge = 4096;
    if (capacity < kLarge) return capacity == 0 ? kFirst : capacity * 2;
    return (capacity & (capacity - 1)) == 0 ? capacity / 2 * 3 : capacity / 3 * 4;
}

template <typename Value, typename Key = AnyKey>
class HashMap {
    static_assert(std::is_trivially_copyable_v<Value>);

public:
    constexpr HashMap() = default;
    HashMap(const HashMap&) = delete;
    HashMap& operator=(const HashMap&) = delete;
    ~HashMap() { clear(); }

    usize size() const { return size_; }
    bool empty() const { return size_ == 0; }
    // An insertion that leaves it as it is leaves values where they are.
    usize capacity() const { return capacity_; }

    // The value under `key`, or nullptr.
    Value* find(u64 key) {
        if (size_ == 0) return nullptr;
        for (usize i = home(key);; i = next(i)) {
            if (!slots_[i].key.used()) return nullptr;
            if (slots_[i].key.get() == key) return &slots_[i].value;
        }
    }

    // The value under `key`; a new one is zero-initialised.
    Value& operator[](u64 key) {
        if (Value* found = find(key)) return *found;
        if ((size_ + 1) * 4 > capacity_ * 3) grow();
        usize i = home(key);
        while (slots_[i].key.used()) i = next(i);
        slots_[i].key.set(key);
        slots_[i].value = Value{};
        ++size_;
        return slots_[i].value;
    }

    // Returns true if the key was there.
    bool erase(u64 key) {
        if (size_ == 0) return false;
        usize hole = home(key);
        for (;;) {
            if (!slots_[hole].key.used()) return false;
            if (slots_[hole].key.get() == key) break;
            hole = next(hole);
        }
        for (usize i = next(hole); slots_[i].key.used(); i = next(i)) {
            // An entry may move back into the hole unless its home lies between the hole and itself.
            usize distance_home = distance(home(slots_[i].key.get()), i);
            usize distance_hole = distance(hole, i);
            if (distance_home >= distance_hole) {
                slots_[hole] = slots_[i];
                hole = i;
            }
        }
        slots_[hole].key = Key();
        --size_;
        return true;
    }

    static constexpr usize slot_bytes() { return sizeof(Slot); }

    void clear() {
        if (slots_ != nullptr) release(slots_, capacity_ * sizeof(Slot));
        slots_ = nullptr;
        capacity_ = size_ = 0;
    }

    // Calls f(key, value&) for every entry, in no particular order; f must not change the map.
    template <typename F>
    void for_each(F&& f) {
        for (usize i = 0; i < capacity_; ++i)
            if (slots_[i].key.used()) f(slots_[i].key.get(), slots_[i].value);
    }

    // The keys in [begin, begin + bytes), of which all are multiples of `alignment`: in as many steps as the
    // range or the map has, whichever is less.
    Vector<u64> keys_in(u64 begin, usize bytes, usize alignment) {
        Vector<u64> inside;
        if (bytes / alignment < size_) {
            for (u64 at = (begin + alignment - 1) & ~(u64{alignment} - 1); at < begin + bytes;
                 at += alignment)
                if (find(at) != nullptr) inside.push_back(at);
        } else {
            for_each([&](u64 at, Value&) {
                if (at - begin < bytes) inside.push_back(at);
            });
        }
        return inside;
    }

private:
    struct Slot {
        Key key;
        Value value;
    };

    // Fibonacci hashing: addresses differ mostly in their middle bits, and the multiplication spreads these
    // into the top bits, which are used here.
    usize home(u64 key) const { return (key * 0x9E3779B97F4A7C15u >> 32) * capacity_ >> 32; }
    usize next(usize i) const { return i + 1 == capacity_ ? 0 : i + 1; }
    // The number of slots from one to another, as probing goes.
    usize distance(usize from, usize to) const { return to >= from ? to - from : to + capacity_ - from; }

    void grow() {
        Slot* old = slots_;
        usize old_capacity = capacity_;
        capacity_ = grown_capacity(old_capacity);
        slots_ = static_cast<Slot*>(allocate(capacity_ * sizeof(Slot), "memspy.hash_map"));
        for (usize i = 0; i < capacity_; ++i) slots_[i].key = Key();
        for (usize i = 0; i < old_capacity; ++i) {
            if (!old[i].key.used()) continue;
            usize j = home(old[i].key.get());
            while (slots_[j].key.used()) j = next(j);
            slots_[j] = old[i];
        }
        if (old != nullptr) release(old, old_capacity * sizeof(Slot));
    }

    Slot* slots_ = nullptr;
    usize capacity_ = 0;
    usize size_ = 0;
};

}  // namespace memspy::rt
