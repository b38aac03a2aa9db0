// SPDX-License-Identifier: GPL-2.0-or-later
//
// The regions of memory that objects had when they were looked up, for for_each_known_extent() of objects.h.
#pragma once

#include "places/objects.h"

namespace memspy::places {

// All bytes of one block, symbol, frame or mapping, as they were found.
struct ObjectRegion {
    Address begin = 0, end = 0;
    Address start = 0;
    ObjectId object{};
};

void remember(const ObjectRegion& region);
inline Extent clip(const ObjectRegion& region, Address begin, Address end) {
    return {region.begin > begin ? region.begin : begin, region.end < end ? region.end : end, region.object,
            region.start};
}

inline u64 mix(u64 a, u64 b) {
    u64 key = (a ^ (b * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    return key ^ (key >> 32);
}

}  // namespace memspy::places
