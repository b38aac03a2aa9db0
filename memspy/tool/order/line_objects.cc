// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose the bytes of a line are, and counts of accesses that are known together only.
#include <bit>

#include "order/line_life.h"
#include "places/block_types.h"
#include "rt/count_bits.h"

namespace memspy::order {

namespace {

OwnedBytes clipped_extent(u64 line, Address a) {
    OwnedBytes owned{.extent = places::find_extent(a)};
    places::look_for_owner(owned.extent.object, owned.extent.start);
    if (owned.extent.begin < line_begin(line)) owned.extent.begin = line_begin(line);
    if (owned.extent.end > line_end(line)) owned.extent.end = line_end(line);
    return owned;
}

void forget_ended(rt::Vector<OwnedBytes, OnLineMemory>& owners) {
    usize kept = 0;
    for (const OwnedBytes& owned : owners)
        if (owned.until > recording->merged_until) owners[kept++] = owned;
    owners.resize(kept);
}

}  // namespace

OwnedBytes& add_owner(SharedLine& shared, Address a) {
    auto& owners = shared.use->owners;
    forget_ended(owners);
    grow_by_one(owners);
    owners.push_back(clipped_extent(shared.line, a));
    return owners.back();
}

ObjectId object_at(SharedLine& shared, Address a, Time time) {
    const OwnedBytes* best = nullptr;
    for (const OwnedBytes& owned : shared.use->owners)
        if (owned.extent.begin <= a && a < owned.extent.end && time < owned.until &&
            (best == nullptr || owned.until < best->until))
            best = &owned;
    if (best != nullptr) return best->extent.object;
    return add_owner(shared, a).extent.object;
}

namespace {

// Deals out accesses to runs of bytes in equal parts.
class EqualShares {
public:
    EqualShares(u64 accesses, u64 runs) : accesses_(accesses), left_(rt::count_bits(runs)) {}
    u64 next() {
        const u64 share = accesses_ / left_--;
        accesses_ -= share;
        return share;
    }

private:
    u64 accesses_;
    u32 left_;
};

}  // namespace

// How many of the accesses had which bytes is not known.
void count_together(SharedLine& shared, Thread t, u64 read, u64 written, const AccessCounts& accesses,
                    Time time) {
    u64 starts = run_starts(read, written);
    EqualShares loads(accesses.loads, starts & read), stores(accesses.stores, starts & written);
    for (; starts != 0; starts &= starts - 1) {
        const auto first = static_cast<u32>(std::countr_zero(starts));
        const bool is_read = (read >> first & 1) != 0, is_written = (written >> first & 1) != 0;
        const u64 alike = (is_read ? read : ~read) & (is_written ? written : ~written);
        const LineAccess part{.first = static_cast<u8>(first),
                              .bytes = static_cast<u16>(run_length(alike, first)),
                              .loads = is_read,
                              .stores = is_written};
        const AccessCounts share{is_read ? loads.next() : 0, is_written ? stores.next() : 0};
        recording->options.observer.accessed_often(
            shared.notes, t, object_at(shared, line_begin(shared.line) + first, time), part, share);
    }
}

}  // namespace memspy::order
