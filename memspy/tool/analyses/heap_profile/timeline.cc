// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/heap_profile/timeline.h"

namespace memspy::heap_profile {

void HeapTimeline::take(const HeapRows& rows, u64 mapped) {
    if (count_ == kMost) {
        for (u32 i = 1; i < kMost / 2; ++i) {
            HeapMoment &to = moments_[i], &from = moments_[2 * i];
            to.time = from.time;
            to.blocks = from.blocks;
            to.bytes = from.bytes;
            to.mapped = from.mapped;
            to.rows.resize(0);
            for (const u64 bytes : from.rows) to.rows.push_back(bytes);
        }
        count_ = kMost / 2;
        distance_ *= 2;
        next_ = moments_[count_ - 1].time + distance_;
        return;
    }
    HeapMoment& moment = moments_[count_++];
    moment.time = next_;
    moment.blocks = rows.total().live_blocks;
    moment.bytes = rows.total().live_bytes;
    moment.mapped = mapped;
    moment.rows.resize(0);
    for (const HeapRow& row : rows.rows()) moment.rows.push_back(row.live_bytes);
    next_ += distance_;
}

void HeapTimeline::clear() {
    count_ = 0;
    distance_ = kFirstDistance;
    next_ = 0;
}

}  // namespace memspy::heap_profile
