// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/heap_profile/heap_rows.h"

#include <algorithm>

namespace memspy::heap_profile {

void BlockUse::add(const BlockUse& other) {
    loaded += other.loaded;
    stored += other.stored;
    never_read += other.never_read;
    never_written += other.never_written;
    used_once += other.used_once;
    unused_end += other.unused_end;
}

u32 HeapRows::row_of(ContextId context, bool custom) {
    u32& number = numbers_[u64{static_cast<u32>(context)} << 1 | u64{custom}];
    if (number == 0) {
        rows_.push_back({.context = context, .custom = custom, .peak_seen = peaks_});
        number = static_cast<u32>(rows_.size());
    }
    return number - 1;
}

void HeapRows::before_change(HeapRow& row) {
    if (row.peak_seen == peaks_) return;
    row.peak_seen = peaks_;
    row.peak_blocks = row.live_blocks;
    row.peak_bytes = row.live_bytes;
}

// The total is about to sink. Of equal peaks the last one counts.
void HeapRows::pass_peak() {
    if (total_.live_bytes == total_.peak_bytes && total_.live_bytes != 0) ++peaks_;
}

void HeapRows::changed(HeapRow& row, i64 blocks, i64 bytes, u64 now) {
    before_change(row);
    row.live_blocks += static_cast<u64>(blocks);
    row.live_bytes += static_cast<u64>(bytes);
    row.max_bytes = std::max(row.max_bytes, row.live_bytes);
    if (row.custom) return;
    total_.live_blocks += static_cast<u64>(blocks);
    total_.live_bytes += static_cast<u64>(bytes);
    if (blocks < 0 || bytes < 0 || total_.live_bytes < total_.peak_bytes) return;
    total_.peak_bytes = total_.live_bytes;
    total_.peak_blocks = total_.live_blocks;
    total_.peak_time = now;
}

void HeapRows::count(HeapRow& row, u64 size) {
    ++row.blocks;
    row.bytes += size;
    row.least = std::min(row.least, size);
    row.most = std::max(row.most, size);
    if (row.custom) return;
    ++total_.blocks;
    total_.bytes += size;
}

void HeapRows::end_life(HeapRow& row, const LiveBlock& block, u64 now) const {
    row.lifetimes += now - block.born;
}

void HeapRows::allocated(Address block, u64 size, ContextId context, bool custom, u64 now) {
    // One of a custom allocator that was described again, or that its pool forgot.
    if (live_.find(key_of(block, custom)) != nullptr) released(block, custom, {}, now);
    const u32 number = row_of(context, custom);
    count(rows_[number], size);
    changed(rows_[number], 1, static_cast<i64>(size), now);
    live_[key_of(block, custom)] = {.row = number, .size = size, .born = now};
    last_key_ = key_of(block, custom);
}

void HeapRows::resized(Address from, Address to, u64 size, u64 now) {
    LiveBlock* const found = live_.find(key_of(from, false));
    if (found == nullptr) return;
    LiveBlock block = *found;
    HeapRow& row = rows_[block.row];
    if (size < block.size) pass_peak();
    count(row, size);
    ++row.resized;
    row.copied += std::min(size, block.size);
    changed(row, 0, static_cast<i64>(size) - static_cast<i64>(block.size), now);
    block.size = size;
    last_key_ = 0;
    live_.erase(key_of(from, false));
    live_[key_of(to, false)] = block;
}

void HeapRows::released(Address at, bool custom, const BlockUse& use, u64 now) {
    LiveBlock* const found = live_.find(key_of(at, custom));
    if (found == nullptr) return;
    const LiveBlock block = *found;
    live_.erase(key_of(at, custom));
    HeapRow& row = rows_[block.row];
    // As std::vector grows: a larger block of the same place, and the old one is freed next.
    if (const LiveBlock* const last = last_key_ == 0 ? nullptr : live_.find(last_key_);
        last != nullptr && last->row == block.row && last->size > block.size) {
        ++row.grown;
        row.grown_bytes += block.size;
    }
    last_key_ = 0;
    if (!custom) pass_peak();
    end_life(row, block, now);
    row.temporary += now - block.born < temporary_below_ ? 1 : 0;
    row.use.add(use);
    changed(row, -1, -static_cast<i64>(block.size), now);
}

void HeapRows::settle(u64 now) {
    pass_peak();
    for (HeapRow& row : rows_) before_change(row);
    total_.end_time = now;
}

void HeapRows::copy_rows(rt::Vector<HeapRow>& to, u64 now) {
    to.resize(0);
    for (const HeapRow& row : rows_) to.push_back(row);
    live_.for_each([&](u64, LiveBlock& block) { end_life(to[block.row], block, now); });
}

void HeapRows::clear() {
    rows_.resize(0);
    numbers_.clear();
    live_.clear();
    total_ = {};
    peaks_ = 0;
    last_key_ = 0;
}

}  // namespace memspy::heap_profile
