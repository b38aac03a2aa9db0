// SPDX-License-Identifier: GPL-2.0-or-later
//
// ByteRanges: how often each thread has loaded and stored which bytes of a line.
//
// Lines that threads hand to each other have many ranges with a few accesses each. So a range takes eight
// bytes, with counts of ten bits; larger counts, and those of which a part are sums, stand apart.
#pragma once

#include <bit>

#include "lines/line_memory.h"
#include "lines/line_observer.h"
#include "rt/vector.h"

namespace memspy::sharing {

using lines::AccessCounts;
using lines::Events;
using lines::kMostLineBytes;
using lines::kViews;
using lines::LineAccess;
using lines::OnLineMemory;
using lines::View;
using places::ObjectId;
using places::Place;
using threads::Thread;

// Accesses of one thread to the same bytes of a line.
struct RangeRow {
    u32 thread = 0;
    u16 first = 0, bytes = 0;
    AccessCounts accesses;
    bool stored_first = false;  // the first access only stored
    // Those that only add to what is there, or may: of many that are counted at once it is not known. Told:
    // the program uses values that it gets so (log::SumKind).
    AccessCounts sums{};
    bool sums_told = false;
};

class ByteRanges {
public:
    // Whether the thread's accesses are counted as those of thread 0. Null: those of no thread.
    using IsSummed = bool (*)(u32 thread);

    void count(u32 thread, const LineAccess& access, IsSummed is_summed);
    // Many at once: `part` has their bytes. Whether stores among them add to what is there is not known.
    void count(u32 thread, const LineAccess& part, const AccessCounts& accesses, IsSummed is_summed);
    [[gnu::always_inline]] void prefetch(u32 thread, const LineAccess& access) const {
        if (room_ != 0) __builtin_prefetch(&ranges_[home(key_of(thread, access))]);
    }
    // Ascending by thread, first, bytes. Appended.
    void add_to(rt::Vector<RangeRow>& rows, IsSummed is_summed);
    void clear();

private:
    // Threads beyond are counted as thread 0.
    static constexpr u32 kThreadBits = 20, kMostThread = (u32{1} << kThreadBits) - 1;
    static constexpr u32 kFirstBits = 8, kBytesBits = 9, kCountBits = 10;
    static constexpr u32 kMostCount = (u32{1} << kCountBits) - 1;

    // Of a thread's accesses to some bytes. Loads of single bytes may be counted with those of the bytes
    // beside them.
    struct Key {
        static constexpr u32 kBytesAt = kThreadBits + kFirstBits;
        static constexpr u32 kGroup = 8;

        u64 bits;  // as in a Range

        static Key of(u32 thread, u64 first, u64 bytes) {
            return {bytes << kBytesAt | first << kThreadBits | thread};
        }
        bool operator==(const Key&) const = default;
        bool is_byte() const { return bits >> kBytesAt == 1; }
        // Of a byte: all bytes that are counted with it, and one of these.
        Key group() const { return byte(0).with_bytes(kGroup); }
        Key byte(u64 i) const { return {(bits & ~(u64{kGroup - 1} << kThreadBits)) | i << kThreadBits}; }
        Key with_bytes(u64 bytes) const { return {(bits & ((u64{1} << kBytesAt) - 1)) | bytes << kBytesAt}; }
    };
    struct RangeCounts {
        u64 loads = 0, stores = 0;
        u64 sum_loads = 0,
            sum_stores = 0;  // of them, those that are or may be parts of sums, once one is known

        bool none() const { return loads == 0 && stores == 0; }
        void add(const RangeCounts& other);
    };
    struct Range {
        u64 thread : kThreadBits;
        u64 first : kFirstBits, bytes : kBytesBits;  // 0 bytes: none
        u64 stored_first : 1, has_sums : 1, sums_told : 1;
        u64 folds : 1;        // becomes part of its group
        u64 holds_bytes : 1;  // a group: loads of single bytes count here
        u64 may_be_sums : 1;  // no sum is known, but there may have been some
        u64 is_apart : 1;
        u64 loads : kCountBits, stores : kCountBits;  // of counts that stand apart, the number

        bool is_used() const { return bytes != 0; }
        Key key() const {
            constexpr u32 kBits = kThreadBits + kFirstBits + kBytesBits;
            return {std::bit_cast<u64>(*this) & ((u64{1} << kBits) - 1)};
        }
        u32 number() const { return static_cast<u32>(stores << kCountBits | loads); }
    };
    static_assert(sizeof(Range) == 8);

    // From so many on, ranges that can be one are put together before there are more.
    static constexpr u32 kMany = 48;

    static Key key_of(u32 thread, const LineAccess& access) {
        return Key::of(thread <= kMostThread ? thread : 0, access.first, access.bytes);
    }
    u32 home(Key key) const {
        const u64 mixed = key.bits * 0x9E37'79B9'7F4A'7C15u;
        return static_cast<u32>((mixed >> 32) * room_ >> 32);
    }
    u32 find_place(Key key) const;
    Range* find(Key key) const;
    Range& find_or_make(Key key, bool stores, IsSummed is_summed);
    bool is_full() const { return (count_ + 1) * 8 > room_ * 7; }
    bool folds(const Range& range) const;
    bool fold();
    void grow(IsSummed is_summed);
    void rebuild(u32 room, IsSummed is_summed);
    static void know_sums(Range& range, RangeCounts& counts);
    RangeCounts counts_of(const Range& range) const;
    void set(Range& range, const RangeCounts& counts);
    void put_apart(Range& range, const RangeCounts& counts);
    void pack();
    bool is_loaded_byte(const Range& range) const;

    Range* ranges_ = nullptr;  // a hash table
    u32 count_ = 0;
    u32 room_ : 31 = 0, folded_ : 1 = 0;
    rt::Vector<RangeCounts, OnLineMemory> apart_;
};

}  // namespace memspy::sharing
