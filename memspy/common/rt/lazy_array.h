// SPDX-License-Identifier: GPL-2.0-or-later
//
// LazyArray: an array that only grows, in address space reserved once. Its pages become real as they are
// filled, so a large array is never copied and wastes less than a page. Elements never move. All zeros is an
// empty array, see rt/global.h.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

template <typename T, u32 kCapacity>
class LazyArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    u32 size() const { return size_; }
    T& operator[](u32 i) {
        DCHECK_LT(i, size_);
        return items_[i];
    }
    // Returns the index of the new element.
    u32 push_back(const T& item) {
        if (items_ == nullptr)
            items_ = static_cast<T*>(map_zeroed(usize{kCapacity} * sizeof(T), "memspy.lazy_array"));
        CHECK_LT(size_, kCapacity);
        items_[size_] = item;
        return size_++;
    }

private:
    T* items_ = nullptr;
    u32 size_ = 0;
};

}  // namespace memspy::rt
