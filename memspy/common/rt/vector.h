// SPDX-License-Identifier: GPL-2.0-or-later
//
// Vector: a growable array of trivially copyable elements on rt::allocate, or on what `Memory` gives. An
// empty one owns no memory. References are valid until the next push_back or resize.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

struct OwnMemory {
    static void* allocate(usize bytes) { return rt::allocate(bytes, "memspy.vector"); }
    static void release(void* memory, usize bytes) { rt::release(memory, bytes); }
};

template <typename T, typename Memory = OwnMemory>
class Vector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    constexpr Vector() = default;
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    Vector(Vector&& other) : items_(other.items_), size_(other.size_), capacity_(other.capacity_) {
        other.items_ = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    Vector& operator=(Vector&& other) {
        if (this == &other) return *this;
        clear();
        items_ = other.items_;
        size_ = other.size_;
        capacity_ = other.capacity_;
        other.items_ = nullptr;
        other.size_ = other.capacity_ = 0;
        return *this;
    }
    ~Vector() { clear(); }

    usize size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return items_; }
    const T* data() const { return items_; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }
    const T* begin() const { return items_; }
    const T* end() const { return items_ + size_; }
    T& operator[](usize i) {
        DCHECK_LT(i, size_);
        return items_[i];
    }
    const T& operator[](usize i) const {
        DCHECK_LT(i, size_);
        return items_[i];
    }
    T& back() { return (*this)[size_ - 1]; }
    const T& back() const { return (*this)[size_ - 1]; }

    void push_back(const T& item) {
        T copy = item;  // `item` may live in the array that reserve() is about to replace
        if (size_ == capacity_) reserve(capacity_ < kSmall ? usize{capacity_} + 2 : usize{capacity_} * 2);
        items_[size_++] = copy;
    }
    void pop_back() {
        DCHECK_LT(0u, size_);
        --size_;
    }
    // New elements are value-initialised.
    void resize(usize size) {
        if (size > capacity_) reserve(size);
        for (usize i = size_; i < size; ++i) items_[i] = T{};
        size_ = static_cast<u32>(size);
    }
    void reserve(usize capacity) {
        if (capacity <= capacity_) return;
        CHECK_LE(capacity, usize{~u32{0}});
        T* items = static_cast<T*>(Memory::allocate(capacity * sizeof(T)));
        for (usize i = 0; i < size_; ++i) items[i] = items_[i];
        if (items_ != nullptr) Memory::release(items_, capacity_ * sizeof(T));
        items_ = items;
        capacity_ = static_cast<u32>(capacity);
    }
    void clear() {
        if (items_ != nullptr) Memory::release(items_, capacity_ * sizeof(T));
        items_ = nullptr;
        size_ = capacity_ = 0;
    }

private:
    static constexpr u32 kSmall = 8;  // there are many of a few elements, so up to here they grow by two

    T* items_ = nullptr;
    u32 size_ = 0;
    u32 capacity_ = 0;
};

}  // namespace memspy::rt
