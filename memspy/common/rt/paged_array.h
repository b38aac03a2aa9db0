// SPDX-License-Identifier: GPL-2.0-or-later
//
// PagedArray: an array that only grows, page by page. Elements never move; address space is reserved as the
// array fills, so a large limit costs nothing. All zeros is an empty array, see rt/global.h. Pages begin at
// multiples of the host's page size.
#pragma once

#include "rt/vector.h"

namespace memspy::rt {

template <typename T, u32 kPage>
class PagedArray {
    static_assert(std::is_trivially_copyable_v<T> && (kPage & (kPage - 1)) == 0);

public:
    u32 size() const { return size_; }
    T& operator[](u32 i) {
        DCHECK_LT(i, size_);
        return pages_[i / kPage][i % kPage];
    }
    // Returns the index of the new element.
    u32 push_back(const T& item) {
        if (size_ == pages_.size() * kPage)
            pages_.push_back(static_cast<T*>(map_zeroed(kPage * sizeof(T), "memspy.paged_array")));
        pages_[size_ / kPage][size_ % kPage] = item;
        return size_++;
    }

private:
    Vector<T*> pages_;
    u32 size_ = 0;
};

}  // namespace memspy::rt
