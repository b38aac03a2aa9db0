// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/regions.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::places {
namespace {

rt::Global<rt::Vector<ObjectRegion>> regions;
rt::Global<rt::HashMap<Address>> known_regions;  // by begin and object: the highest end
rt::Global<rt::Vector<Address>> highest_ends;    // of each subtree of `regions`, see index_regions
bool regions_indexed = false;

// The regions found: an implicit balanced tree over the array in order of (begin, object). The root of [low,
// high) is its middle, and highest_ends has the highest end in the subtree.

Int compare_regions(const void* a, const void* b) {
    const auto& left = *static_cast<const ObjectRegion*>(a);
    const auto& right = *static_cast<const ObjectRegion*>(b);
    if (left.begin != right.begin) return left.begin < right.begin ? -1 : 1;
    if (left.object != right.object) return left.object < right.object ? -1 : 1;
    return left.end == right.end ? 0 : left.end > right.end ? -1 : 1;
}

Address index_range(usize low, usize high) {
    if (low >= high) return 0;
    const usize middle = low + (high - low) / 2;
    Address end = (*regions)[middle].end;
    if (const Address left = index_range(low, middle); left > end) end = left;
    if (const Address right = index_range(middle + 1, high); right > end) end = right;
    return (*highest_ends)[middle] = end;
}

void index_regions() {
    if (regions_indexed) return;
    VG_(ssort)(regions->data(), regions->size(), sizeof(ObjectRegion), compare_regions);
    // If a region grew, its largest state is kept.
    usize kept = 0;
    for (usize i = 0; i < regions->size(); ++i) {
        const ObjectRegion region = (*regions)[i];
        if (kept > 0 && (*regions)[kept - 1].begin == region.begin &&
            (*regions)[kept - 1].object == region.object)
            continue;
        (*regions)[kept++] = region;
    }
    regions->resize(kept);
    highest_ends->resize(kept);
    index_range(0, kept);
    regions_indexed = true;
}

template <typename F>
void for_overlapping(usize low, usize high, Address begin, Address end, F& f) {
    if (low >= high) return;
    const usize middle = low + (high - low) / 2;
    if ((*highest_ends)[middle] <= begin) return;
    for_overlapping(low, middle, begin, end, f);
    const ObjectRegion& region = (*regions)[middle];
    if (region.begin >= end) return;
    if (region.end > begin) f(region);
    for_overlapping(middle + 1, high, begin, end, f);
}

}  // namespace

void remember(const ObjectRegion& region) {
    Address& end = (*known_regions)[mix(region.begin, static_cast<u64>(region.object))];
    if (end >= region.end) return;
    end = region.end;
    regions->push_back(region);
    regions_indexed = false;
}

void for_each_known_extent(Address begin, Address end, void (*f)(const Extent&, void*), void* argument) {
    index_regions();
    auto give = [&](const ObjectRegion& region) { f(clip(region, begin, end), argument); };
    for_overlapping(0, regions->size(), begin, end, give);
}

}  // namespace memspy::places
