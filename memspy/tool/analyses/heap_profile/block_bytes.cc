// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/heap_profile/block_bytes.h"

#include <algorithm>

namespace memspy::heap_profile {
namespace {

constexpr usize kPad = 64;  // the last bytes of a leaf are read and written as whole words

// Pages go back where there are many.
void forget_bytes(void* begin, usize bytes) {
    constexpr usize kPage = 4096, kMany = 16 * kPage;
    auto* const at = static_cast<u8*>(begin);
    const usize before = (0 - reinterpret_cast<usize>(at)) % kPage;
    if (bytes < kMany + before) {
        __builtin_memset(at, 0, bytes);
        return;
    }
    const usize whole = (bytes - before) / kPage * kPage;
    __builtin_memset(at, 0, before);
    rt::empty_pages(at + before, whole);
    __builtin_memset(at + before + whole, 0, bytes - before - whole);
}

}  // namespace

void BlockBytes::start() {
    leaves_ = static_cast<UseLeaf**>(rt::map_zeroed(kLeaves * sizeof(UseLeaf*), "memspy.use_leaves"));
}

BlockBytes::UseLeaf& BlockBytes::make_leaf(Address a) {
    UseLeaf*& leaf = leaves_[leaf_of(a)];
    if (leaf == nullptr) {
        leaf = static_cast<UseLeaf*>(rt::map_zeroed(sizeof(UseLeaf), "memspy.use_leaf"));
        leaf->histories = static_cast<u8*>(rt::map_zeroed(kLeafBytes + kPad, "memspy.use_histories"));
        leaf->grains =
            static_cast<u32*>(rt::map_zeroed(kLeafBytes / kGrain * sizeof(u32), "memspy.use_grains"));
    }
    return *leaf;
}

// Calls f(leaf, offset, bytes) for the parts of the range in leaves.
template <typename F>
void BlockBytes::for_each_part(Address begin, usize bytes, F f) const {
    while (bytes != 0) {
        const usize offset = begin & kLeafMask, part = std::min(bytes, kLeafBytes - offset);
        if (UseLeaf* const leaf = leaves_[leaf_of(begin)]) f(*leaf, offset, part);
        begin += part;
        bytes -= part;
    }
}

void BlockBytes::set_number(Address block, usize size, u32 number) {
    const usize whole = (size + kGrain - 1) / kGrain * kGrain;
    if (number != 0)
        for (Address at = block; at < block + whole; at = (at | kLeafMask) + 1) make_leaf(at);
    for_each_part(block, whole, [&](UseLeaf& leaf, usize offset, usize bytes) {
        for (const usize end = offset + bytes; offset < end;) {
            if (offset % kPage == 0 && end - offset >= kPage) {
                leaf.pages[offset / kPage] = number;
                offset += kPage;
            } else {
                leaf.grains[offset / kGrain] = number;
                offset += kGrain;
            }
        }
    });
}

u32 BlockBytes::take_slot(Address block, u32 row) {
    if (slots_.empty()) slots_.push_back({});
    if (free_slots_.empty()) {
        slots_.push_back({block, row});
        return static_cast<u32>(slots_.size()) - 1;
    }
    const u32 number = free_slots_.back();
    free_slots_.pop_back();
    slots_[number] = {block, row};
    return number;
}

// For a row that has room for so many bytes; one that has all is never released.
template <typename T>
T* BlockBytes::make_places(usize room, usize number) {
    const usize bytes = number * sizeof(T);
    if (room == kPlacePeriod) return static_cast<T*>(rt::map_zeroed(bytes, "memspy.use_places"));
    void* const made = rt::allocate(bytes, "memspy.use_places");
    __builtin_memset(made, 0, bytes);
    return static_cast<T*>(made);
}

void BlockBytes::release_places(const RowPlaces& row) {
    if (row.loads == nullptr || row.room == kPlacePeriod) return;
    rt::release(row.loads);
    if (row.carried != nullptr) rt::release(row.carried);
}

// Twice as much as is asked for, so that a block that grows does not copy its counts each time.
void BlockBytes::make_room(RowPlaces& row, usize size) {
    constexpr usize kSmall = 64, kMapped = 4096;
    if (row.loads != nullptr && size <= row.room) return;
    if (row.room == kPlacePeriod) return;
    usize room = row.loads == nullptr ? std::max(size, kSmall) : 2 * size;
    if (room > kMapped) room = kPlacePeriod;
    const RowPlaces old = row;
    row.room = static_cast<u32>(room);
    row.loads = make_places<PlaceStep>(room, 2 * row.count());
    row.stores = row.loads + row.count();
    if (old.loads == nullptr) return;
    const auto copy = [&](auto* to, const auto* from) {
        const usize bytes = old.count() * sizeof *from;
        __builtin_memcpy(to, from, bytes);
        __builtin_memcpy(to + row.count(), from + old.count(), bytes);
    };
    copy(row.loads, old.loads);
    if (old.carried != nullptr) {
        row.carried = make_places<i64>(room, 2 * row.count());
        copy(row.carried, old.carried);
    }
    release_places(old);
}

// One more than the most is the least, and the other way round.
void BlockBytes::carry(u32 number, PlaceStep* begin, PlaceStep* end) {
    RowPlaces& row = rows_[number];
    if (row.carried == nullptr) row.carried = make_places<i64>(row.room, 2 * row.count());
    constexpr i64 kAll = i64{kMostStep} - kLeastStep + 1;
    if (*begin == kLeastStep) row.carried[begin - row.loads] += kAll;
    if (*end == kMostStep) row.carried[end - row.loads] -= kAll;
}

void BlockBytes::access_across(u32 number, Address a, usize bytes, UseWay way) {
    note_range(a, bytes, way);
    count(number, a, bytes, way);
}

void BlockBytes::places_of_row(u32 row, rt::Vector<PlaceCounts>& to) const {
    to.resize(0);
    if (row >= rows_.size() || rows_[row].loads == nullptr) return;
    const RowPlaces& of = rows_[row];
    i64 loads = 0, stores = 0;
    for (usize i = 0; i < of.room + kSlack; ++i) {
        loads += of.step(UseWay::Load, i);
        stores += of.step(UseWay::Store, i);
        const PlaceCounts counts{static_cast<u64>(loads), static_cast<u64>(stores)};
        if (i < of.room) {
            to.push_back(counts);
        } else if (of.room == kPlacePeriod) {
            to[i - of.room].loads += counts.loads;
            to[i - of.room].stores += counts.stores;
        }
    }
}

// The sum over all places, also those behind the block: an access is one in each of its bytes. To add its bytes up
// would cost each access a tenth more.
BlockBytes::RowAccesses BlockBytes::of_row(u32 row) const {
    RowAccesses all;
    if (row >= rows_.size() || rows_[row].loads == nullptr) return all;
    const RowPlaces& of = rows_[row];
    i64 loads = 0, stores = 0;
    for (usize i = 0; i < of.count(); ++i) {
        loads += of.step(UseWay::Load, i);
        stores += of.step(UseWay::Store, i);
        all.loaded += static_cast<u64>(loads);
        all.stored += static_cast<u64>(stores);
    }
    return all;
}

void BlockBytes::added(Address block, usize size, u32 row) {
    while (rows_.size() <= row) rows_.push_back({});
    make_room(rows_[row], size);
    if (size != 0) set_number(block, size, take_slot(block, row));
    forget_overrun(block, std::min(size, kOverrun));
}

// Code may access bytes beyond its block's end, which may become another block's.
void BlockBytes::forget_overrun(Address begin, usize bytes) {
    for_each_part(begin, bytes, [](UseLeaf& leaf, usize offset, usize part) {
        __builtin_memset(leaf.histories + offset, 0, part);
    });
}

void BlockBytes::note_range(Address begin, usize bytes, UseWay way) {
    for_each_part(begin, bytes, [&](UseLeaf& leaf, usize offset, usize part) {
        constexpr usize kLanes = sizeof(u64);
        for (usize done = 0; done < part; done += kLanes) {
            const usize lanes = std::min(part - done, kLanes);
            note(leaf.histories + offset + done, kEach >> 8 * (kLanes - lanes), way);
        }
    });
}

void BlockBytes::access_range(Address begin, usize bytes, UseWay way) {
    while (bytes != 0) {
        const usize part = std::min(bytes, kGrain - begin % kGrain);
        const UseLeaf* const leaf = leaves_[leaf_of(begin)];
        if (const u32 number = leaf == nullptr ? 0 : number_at(*leaf, begin & kLeafMask); number != 0) {
            count(number, begin, part, way);
            note_range(begin, part, way);
        }
        begin += part;
        bytes -= part;
    }
}

void BlockBytes::moved(Address from, usize old_size, Address to, usize size, u32 row) {
    rt::Vector<u8> kept;
    for_each_part(from, std::min(old_size, size), [&](const UseLeaf& of, usize offset, usize bytes) {
        for (usize i = 0; i < bytes; ++i) kept.push_back(of.histories[offset + i]);
    });
    take(from, old_size);
    added(to, size, row);
    const u8* history = kept.begin();
    for_each_part(to, kept.size(), [&](UseLeaf& of, usize offset, usize bytes) {
        __builtin_memcpy(of.histories + offset, history, bytes);
        history += bytes;
    });
    access_range(to, kept.size(), UseWay::Load);
    access_range(to, kept.size(), UseWay::Store);
}

BlockUse BlockBytes::use_of(Address block, usize size) const {
    BlockUse use{.never_read = size, .never_written = size, .unused_end = size};
    usize before = 0;
    for_each_part(block, size, [&](const UseLeaf& leaf, usize offset, usize bytes) {
        const u8* const histories = leaf.histories + offset;
        for (usize i = 0; i < bytes; ++i) {
            use.never_read -= (histories[i] & kLoads) != 0;
            use.never_written -= (histories[i] & kStores) != 0;
            use.used_once += histories[i] == kOnce;
            if (histories[i] != 0) use.unused_end = size - before - i - 1;
        }
        before += bytes;
    });
    return use;
}

BlockUse BlockBytes::take(Address block, usize size) {
    const BlockUse use = use_of(block, size);
    if (const UseLeaf* const leaf = leaves_[leaf_of(block)])
        if (const u32 number = number_at(*leaf, block & kLeafMask)) free_slots_.push_back(number);
    const Address end = block + (size + kGrain - 1) / kGrain * kGrain;
    for_each_part(block, end - block, [&](UseLeaf& leaf, usize offset, usize bytes) {
        forget_bytes(leaf.histories + offset, bytes);
    });
    for (Address grain = end; grain < end + kOverrun; grain += kGrain) {
        const UseLeaf* const leaf = leaves_[leaf_of(grain)];
        if (leaf != nullptr && number_at(*leaf, grain & kLeafMask) == 0) forget_overrun(grain, kGrain);
    }
    set_number(block, size, 0);
    return use;
}

void BlockBytes::clear() {
    for (u32 i = 0; i < kLeaves; ++i) {
        if (leaves_[i] == nullptr) continue;
        rt::empty_pages(leaves_[i]->histories, kLeafBytes + kPad);
        rt::empty_pages(leaves_[i]->grains, kLeafBytes / kGrain * sizeof(u32));
        __builtin_memset(leaves_[i]->pages, 0, sizeof leaves_[i]->pages);
    }
    for (const RowPlaces& row : rows_) release_places(row);
    rows_.resize(0);
    slots_.resize(0);
    free_slots_.resize(0);
}

}  // namespace memspy::heap_profile
