// SPDX-License-Identifier: GPL-2.0-or-later
#include "sharing/byte_ranges.h"

#include <algorithm>
#include <utility>

namespace memspy::sharing {

void ByteRanges::RangeCounts::add(const RangeCounts& other) {
    loads += other.loads;
    stores += other.stores;
    sum_loads += other.sum_loads;
    sum_stores += other.sum_stores;
}

ByteRanges::RangeCounts ByteRanges::counts_of(const Range& range) const {
    return range.is_apart ? apart_[range.number()] : RangeCounts{range.loads, range.stores};
}

void ByteRanges::set(Range& range, const RangeCounts& counts) {
    if (range.is_apart) {
        apart_[range.number()] = counts;
    } else if (counts.loads <= kMostCount && counts.stores <= kMostCount && !range.has_sums) {
        range.loads = counts.loads & kMostCount;
        range.stores = counts.stores & kMostCount;
    } else {
        put_apart(range, counts);
    }
}

void ByteRanges::put_apart(Range& range, const RangeCounts& counts) {
    const u64 number = apart_.size();
    apart_.push_back(counts);
    range.is_apart = 1;
    range.loads = number & kMostCount;
    range.stores = number >> kCountBits & kMostCount;
}

bool ByteRanges::is_loaded_byte(const Range& range) const {
    if (!range.key().is_byte()) return false;
    const RangeCounts counts = counts_of(range);
    return counts.stores == 0 && counts.loads != 0;
}

// All counts until now become sums if there may have been some.
void ByteRanges::know_sums(Range& range, RangeCounts& counts) {
    if (range.has_sums) return;
    range.has_sums = 1;
    if (!range.may_be_sums) return;
    counts.sum_loads = counts.loads;
    counts.sum_stores = counts.stores;
}

void ByteRanges::count(u32 thread, const LineAccess& access, IsSummed is_summed) {
    Range& range = find_or_make(key_of(thread, access), access.stores, is_summed);
    const bool plain = access.sum == log::SumKind::None && !range.is_apart;
    if (plain && range.loads < kMostCount && range.stores < kMostCount) [[likely]] {
        if (range.loads == 0 && range.stores == 0) range.stored_first = !access.loads;
        range.loads = (range.loads + access.loads) & kMostCount;
        range.stores = (range.stores + access.stores) & kMostCount;
        return;
    }
    RangeCounts counts = counts_of(range);
    if (counts.none()) range.stored_first = !access.loads;
    if (access.sum != log::SumKind::None) {
        know_sums(range, counts);
        if (access.sum == log::SumKind::AddsAndTells) range.sums_told = 1;
        counts.sum_loads += access.loads;
        counts.sum_stores += access.stores;
        // The load of what is added to may have been an access before.
        if ((!access.loads || access.sum == log::SumKind::AddsAfterLoad) &&
            counts.sum_loads < counts.loads + access.loads)
            ++counts.sum_loads;
    }
    counts.loads += access.loads;
    counts.stores += access.stores;
    set(range, counts);
}

void ByteRanges::count(u32 thread, const LineAccess& part, const AccessCounts& accesses, IsSummed is_summed) {
    Range& range = find_or_make(key_of(thread, part), accesses.stores != 0, is_summed);
    RangeCounts counts = counts_of(range);
    if (counts.none()) range.stored_first = accesses.loads == 0;
    counts.loads += accesses.loads;
    counts.stores += accesses.stores;
    if (accesses.stores != 0 && range.has_sums) {
        counts.sum_loads += accesses.loads;
        counts.sum_stores += accesses.stores;
    } else if (accesses.stores != 0) {
        range.may_be_sums = 1;
    }
    set(range, counts);
}

void ByteRanges::add_to(rt::Vector<RangeRow>& rows, IsSummed is_summed) {
    if (is_summed != nullptr && count_ != 0) rebuild(room_, is_summed);
    const usize start = rows.size();
    for (u32 i = 0; i < room_; ++i) {
        const Range& range = ranges_[i];
        if (!range.is_used()) continue;
        const RangeCounts counts = counts_of(range);
        RangeRow row;
        row.thread = static_cast<u32>(range.thread);
        row.first = static_cast<u16>(range.first);
        row.bytes = static_cast<u16>(range.bytes);
        row.accesses = {counts.loads, counts.stores};
        row.stored_first = range.stored_first;
        if (range.has_sums) row.sums = {counts.sum_loads, counts.sum_stores};
        row.sums_told = range.sums_told;
        rows.push_back(row);
    }
    const auto order = [](const RangeRow& row) {
        return u64{row.thread} << 32 | u64{row.first} << 16 | row.bytes;
    };
    std::sort(rows.begin() + start, rows.end(),
              [&](const RangeRow& a, const RangeRow& b) { return order(a) < order(b); });
}

void ByteRanges::clear() {
    if (ranges_ != nullptr) lines::line_memory().give(ranges_, room_ * sizeof(Range));
    ranges_ = nullptr;
    count_ = room_ = 0;
    folded_ = false;
    apart_.clear();
}

// The place of the range, or a free one for it: there is one.
u32 ByteRanges::find_place(Key key) const {
    u32 i = home(key);
    while (ranges_[i].is_used() && ranges_[i].key() != key)
        if (++i == room_) i = 0;
    return i;
}

ByteRanges::Range* ByteRanges::find(Key key) const {
    if (room_ == 0) return nullptr;
    Range& range = ranges_[find_place(key)];
    return range.is_used() ? &range : nullptr;
}

ByteRanges::Range& ByteRanges::find_or_make(Key key, bool stores, IsSummed is_summed) {
    if (folded_ && !stores && key.is_byte()) {
        Range* const group = find(key.group());
        if (group != nullptr && group->holds_bytes) return *group;
    }
    if (Range* const known = find(key)) return *known;
    if (is_full()) grow(is_summed);
    ++count_;
    Range& range = ranges_[find_place(key)];
    range = std::bit_cast<Range>(key.bits);
    return range;
}

// Whether the thread has loaded each byte of the range's group alone, and stored to none of them, nor to the
// group: then one range will do for these loads.
bool ByteRanges::folds(const Range& range) const {
    if (!is_loaded_byte(range)) return false;
    const Key key = range.key();
    if (const Range* const group = find(key.group()); group != nullptr && counts_of(*group).stores != 0)
        return false;
    for (u32 i = 0; i < Key::kGroup; ++i) {
        const Range* const other = find(key.byte(i));
        if (other == nullptr || !is_loaded_byte(*other)) return false;
    }
    return true;
}

// Texts are read byte by byte, and each thread that reads one would need as many ranges as it has bytes.
// Returns whether there are such ranges: rebuild() puts them together.
bool ByteRanges::fold() {
    bool any = false;
    for (u32 i = 0; i < room_; ++i) any |= (ranges_[i].folds = folds(ranges_[i])) != 0;
    folded_ = folded_ || any;
    return any;
}

void ByteRanges::grow(IsSummed is_summed) {
    if (count_ >= kMany && (fold() || is_summed != nullptr)) {
        rebuild(room_, is_summed);
        if (count_ * 2 < room_) return;
    }
    rebuild(room_ < 8 ? room_ + 4 : room_ < 32 ? room_ + 8 : room_ / 4 * 5, is_summed);
}

// Makes a table of that size, and puts ranges together that have become one.
void ByteRanges::rebuild(u32 room, IsSummed is_summed) {
    Range* const old = ranges_;
    const u32 old_room = room_;
    ranges_ = static_cast<Range*>(lines::line_memory().take(room * sizeof(Range)));
    room_ = room & 0x7FFF'FFFF;
    count_ = 0;
    for (u32 i = 0; i < room; ++i) ranges_[i] = Range{};
    bool lost = false;
    for (u32 i = 0; i < old_room; ++i) {
        Range moved = old[i];
        if (!moved.is_used()) continue;
        if (moved.folds) {
            moved.first = moved.first & (kMostLineBytes - Key::kGroup);
            moved.bytes = Key::kGroup;
            moved.holds_bytes = 1;
            moved.folds = 0;
        }
        if (is_summed != nullptr && is_summed(static_cast<u32>(moved.thread))) moved.thread = 0;
        Range& range = ranges_[find_place(moved.key())];
        if (!range.is_used()) {
            range = moved;
            ++count_;
            continue;
        }
        RangeCounts counts = counts_of(range), more = counts_of(moved);
        if (moved.has_sums) know_sums(range, counts);
        if (range.has_sums) know_sums(moved, more);
        counts.add(more);
        range.may_be_sums |= moved.may_be_sums;
        set(range, counts);
        lost |= moved.is_apart != 0;
        range.sums_told |= moved.sums_told;
        range.holds_bytes |= moved.holds_bytes;
    }
    if (old != nullptr) lines::line_memory().give(old, old_room * sizeof(Range));
    if (lost) pack();
}

// Counts apart that belong to no range any more go.
void ByteRanges::pack() {
    const rt::Vector<RangeCounts, OnLineMemory> old(std::move(apart_));
    for (u32 i = 0; i < room_; ++i)
        if (ranges_[i].is_apart) put_apart(ranges_[i], old[ranges_[i].number()]);
}

}  // namespace memspy::sharing
