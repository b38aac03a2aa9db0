// SPDX-License-Identifier: GPL-2.0-or-later
//
// BlockBytes: for each byte of each living block whether it was loaded and stored never, once or more often,
// and for each row of the profile how many bytes accesses to its blocks had, and how often each place in them
// was accessed. A unit test compares it with a plain model (tests/unit/block_bytes_test.cc).
//
// A table by address leads to leaves. A leaf has a byte of history for each byte, and for each *grain* of 16
// bytes the number of its block: no two blocks share one. Whole pages of a block have it in one place, so
// that a large block that is hardly used costs little. Pages of a leaf become real where they are touched.
#pragma once

#include "analyses/heap_profile/heap_rows.h"

namespace memspy::heap_profile {

inline constexpr u32 kUseLeafBits = 22;

// Places of larger blocks are counted modulo this. So an array's members are known if the size of its elements
// is a divisor, as are all multiples of 8 up to 80, and of 16 up to 160 but 88, 104, 136 and 152.
inline constexpr u32 kPlacePeriod = 40'320;

class BlockBytes {
public:
    // Call before any other.
    void start();
    // A block of the row is allocated at an address that the allocator aligned.
    void added(Address block, usize size, u32 row);
    // realloc kept bytes: they have the history of the old ones, and were loaded and stored by it.
    void moved(Address from, usize old_size, Address to, usize size, u32 row);
    // What was done to the bytes of a block, and forgets it. `loaded` and `stored` are of rows.
    BlockUse take(Address block, usize size);
    BlockUse use_of(Address block, usize size) const;  // without forgetting
    // Bytes of accesses to blocks of the row.
    struct RowAccesses {
        u64 loaded = 0, stored = 0;
    };
    RowAccesses of_row(u32 row) const;
    // How often each byte of the row's blocks was accessed, by place in its block.
    struct PlaceCounts {
        u64 loads = 0, stores = 0;
        bool operator==(const PlaceCounts&) const = default;
    };
    void places_of_row(u32 row, rt::Vector<PlaceCounts>& to) const;
    void clear();

    enum class UseWay : u8 { Load, Store };
    template <u32 bytes, UseWay way>
    void access(Address a) {
        const UseLeaf* const leaf = leaves_[leaf_of(a)];
        if (leaf == nullptr) return;
        const usize offset = a & kLeafMask;
        const u32 number = number_at(*leaf, offset);
        if (number == 0) return;
        if (offset > kLeafBytes - bytes) [[unlikely]]
            return access_across(number, a, bytes, way);
        // As wide as the access, so that the processor finds what the last one wrote.
        using Lanes =
            std::conditional_t<bytes == 1, u8,
                               std::conditional_t<bytes == 2, u16, std::conditional_t<bytes == 4, u32, u64>>>;
        for (u32 done = 0; done < bytes; done += sizeof(Lanes))
            note(leaf->histories + offset + done, static_cast<Lanes>(kEach), way);
        count(number, a, bytes, way);  // last, so that its rare call needs no register saved
    }
    // Of any size, over any number of blocks.
    void access_range(Address begin, usize bytes, UseWay way);

    // For generated code: null where no block ever was.
    const void* const* leaves() const { return reinterpret_cast<const void* const*>(leaves_); }

private:
    static constexpr usize kLeafBytes = usize{1} << kUseLeafBits;
    static constexpr usize kLeafMask = kLeafBytes - 1;
    static constexpr u32 kLeaves = 1u << (kClientAddressBits - kUseLeafBits);
    static constexpr u64 kEach = 0x0101'0101'0101'0101;
    static constexpr usize kGrain = 16, kPage = 4096;
    static constexpr usize kOverrun = 32;  // bytes beyond a block that an access has at most
    static constexpr usize kSlack = kGrain + kOverrun;
    // Histories: two bits for loads, two for stores, that stay at 2.
    static constexpr u8 kLoads = 3, kStores = 12, kOnce = 1 | 4;

    struct UseLeaf {
        u8* histories;
        u32* grains;                    // the block's number; 0: no block, or a whole page of one
        u32 pages[kLeafBytes / kPage];  // the same of whole pages
    };
    static u32 leaf_of(Address a) { return static_cast<u32>(a >> kUseLeafBits) & (kLeaves - 1); }
    static u32 number_at(const UseLeaf& leaf, usize offset) {
        const u32 number = leaf.pages[offset / kPage];
        return number != 0 ? number : leaf.grains[offset / kGrain];
    }
    // Where accesses begin (+1) and end (-1): the sum up to a place is the count of its byte, and an access of
    // any size costs two additions. With a large block it is these that an access waits for. So they have 16 bits,
    // loads apart from stores, and both are mostly in one cache line; what they cannot hold is carried.
    using PlaceStep = std::int16_t;
    static constexpr PlaceStep kLeastStep = -32768, kMostStep = 32767;
    struct RowPlaces {
        PlaceStep* loads = nullptr;
        PlaceStep* stores = nullptr;  // behind those of loads
        i64* carried = nullptr;       // to be added to both; null while no step was too large
        u32 room = 0;                 // bytes of a block that there are steps for, besides kSlack
        PlaceStep* steps(UseWay way) const { return way == UseWay::Load ? loads : stores; }
        usize count() const { return room + kSlack + kOverrun; }  // of the steps of each way
        i64 step(UseWay way, usize place) const {
            const PlaceStep* const at = steps(way) + place;
            return carried == nullptr ? *at : *at + carried[at - loads];
        }
    };
    struct BlockSlot {
        Address start = 0;
        u32 row = 0;
    };
    void count(u32 number, Address a, usize bytes, UseWay way) {
        const BlockSlot& block = slots_[number];
        const RowPlaces& row = rows_[block.row];
        usize place = a - block.start;
        if (place >= kPlacePeriod) [[unlikely]]
            place %= kPlacePeriod;
        PlaceStep* const steps = row.steps(way) + place;
        steps[0] = static_cast<PlaceStep>(steps[0] + 1);
        steps[bytes] = static_cast<PlaceStep>(steps[bytes] - 1);
        if (steps[0] == kLeastStep || steps[bytes] == kMostStep) [[unlikely]]
            carry(block.row, steps, steps + bytes);
    }
    void carry(u32 row, PlaceStep* begin, PlaceStep* end);
    void access_across(u32 number, Address a, usize bytes, UseWay way);
    template <typename T>
    static T* make_places(usize room, usize number);
    static void release_places(const RowPlaces& row);
    void make_room(RowPlaces& row, usize size);
    u32 take_slot(Address block, u32 row);
    // Adds one to the loads or the stores of the bytes that have 1 in `wanted`, up to two of each. Bytes that
    // are used much have two already.
    template <typename Lanes>
    static void note(u8* histories, Lanes wanted, UseWay way) {
        Lanes all;
        __builtin_memcpy(&all, histories, sizeof all);
        const auto more =
            static_cast<Lanes>(way == UseWay::Load ? wanted & ~(all >> 1) : (wanted & ~(all >> 3)) << 2);
        if (more == 0) return;
        all = static_cast<Lanes>(all + more);
        __builtin_memcpy(histories, &all, sizeof all);
    }
    UseLeaf& make_leaf(Address a);
    void forget_overrun(Address begin, usize bytes);
    void note_range(Address begin, usize bytes, UseWay way);
    void set_number(Address block, usize size, u32 number);
    template <typename F>
    void for_each_part(Address begin, usize bytes, F f) const;

    UseLeaf** leaves_ = nullptr;
    rt::Vector<RowPlaces> rows_;
    rt::Vector<BlockSlot> slots_;  // by number; 0 is none
    rt::Vector<u32> free_slots_;
};

}  // namespace memspy::heap_profile
