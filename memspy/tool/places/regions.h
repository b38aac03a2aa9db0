// SPDX-License-Identifier: GPL-2.0-or-later
//
// The regions of memory that objects had when they were looked up.
#pragma once

#include "places/object.h"

namespace memspy::places {

// All bytes of one block, symbol, frame or mapping, as they were found.
struct ObjectRegion {
    Address begin = 0, end = 0;
    Address start = 0;
    ObjectId object{};
};

// No line is longer, see Extent.
inline constexpr Address kWindow = kExtentWindow;
constexpr Address window_begin(Address a) { return a & ~(kWindow - 1); }
constexpr Address window_end(Address a) { return window_begin(a) + kWindow; }

// The bytes around `a`, in its window and in [low, high), for which `same` gives the same result as for `a`.
template <typename Same>
ObjectRegion grow(Address a, Address low, Address high, Same same) {
    if (low < window_begin(a)) low = window_begin(a);
    if (high > window_end(a)) high = window_end(a);
    ObjectRegion region{a, a + 1, a, ObjectId::None};
    while (region.begin > low && same(region.begin - 1)) --region.begin;
    while (region.end < high && same(region.end)) ++region.end;
    return region;
}

void remember(const ObjectRegion& region);
inline Extent clip(const ObjectRegion& region, Address begin, Address end) {
    return {region.begin > begin ? region.begin : begin, region.end < end ? region.end : end, region.object,
            region.start};
}

// Calls f for each extent with bytes in [begin, end) that find_extent ever found, clipped to that range,
// including earlier owners of the same bytes. By ascending address of the whole block, symbol…
void for_each_known_extent(Address begin, Address end, void (*f)(const Extent&, void*), void* argument);

}  // namespace memspy::places
