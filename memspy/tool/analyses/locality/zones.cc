// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/zones.h"

#include <new>

namespace memspy::locality {

void Ranges::add_other(u64 begin, u64 end) {
    // Merges the ranges that [begin, end) touches.
    u32 first = 0;
    while (first < size_ && ranges_[first].end < begin) ++first;
    u32 behind = first;
    while (behind < size_ && ranges_[behind].begin <= end) {
        if (ranges_[behind].begin < begin) begin = ranges_[behind].begin;
        if (ranges_[behind].end > end) end = ranges_[behind].end;
        ++behind;
    }
    if (behind == first) {
        for (u32 i = size_; i > first; --i) ranges_[i] = ranges_[i - 1];
        ++size_;
    } else {
        for (u32 i = behind; i < size_; ++i) ranges_[first + 1 + i - behind] = ranges_[i];
        size_ -= behind - first - 1;
    }
    ranges_[first] = ZoneRange{begin, end};
    last_ = first;
    if (size_ <= kMost) return;
    joined_ = true;
    u32 nearest = 0;
    for (u32 i = 1; i + 1 < size_; ++i)
        if (ranges_[i + 1].begin - ranges_[i].end < ranges_[nearest + 1].begin - ranges_[nearest].end)
            nearest = i;
    ranges_[nearest].end = ranges_[nearest + 1].end;
    for (u32 i = nearest + 1; i + 1 < size_; ++i) ranges_[i] = ranges_[i + 1];
    --size_;
    last_ = nearest;
}

Zone& Zones::of(u32 object, u32 thread, u32 function) {
    const auto is_it = [&](const Zone& zone) {
        return zone.object == object && zone.thread == thread && zone.function == function;
    };
    if (latest_ != nullptr && is_it(*latest_)) return *latest_;
    u32& head = heads_[(u64{object} << 32 | function) * 31 + thread];
    for (u32 i = head; i != 0; i = next_[i - 1])
        if (is_it(*zones_[i - 1])) return *(latest_ = zones_[i - 1]);
    latest_ = new (rt::allocate(sizeof(Zone), "memspy.zone")) Zone;
    latest_->object = object;
    latest_->thread = thread;
    latest_->function = function;
    latest_->number = static_cast<u32>(zones_.size());
    zones_.push_back(latest_);
    next_.push_back(head);
    head = static_cast<u32>(zones_.size());
    return *latest_;
}

}  // namespace memspy::locality
