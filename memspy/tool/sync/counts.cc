// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/counts.h"

#include <new>

namespace memspy::sync {

u32 StoreTimes::counts = 0;

StoreTimes* StoreTimes::begin(u64 first, u64 time) {
    if (counts == kMostCounts) return nullptr;
    ++counts;
    auto* const count = new (rt::allocate(sizeof(StoreTimes), "memspy.counts")) StoreTimes;
    if (first != 0) count->stored(first);
    count->stored(time);
    return count;
}

void StoreTimes::end(StoreTimes* count) {
    rt::release(count);
    --counts;
}

StoreTimes::CountReader* StoreTimes::find(u32 serial) {
    for (u32 i = 0; i < readers_; ++i)
        if (reader_[i].serial == serial) return &reader_[i];
    return nullptr;
}

u64 StoreTimes::take(u32 reader, u64 now, u64 last) {
    CountReader* known = find(reader);
    if (known == nullptr) {
        if (readers_ == kReaders) return last;
        // The first time it needs no more than is there.
        u64 next = oldest();
        while (next + 1 < stores_ && time_of(next + 1) <= now) ++next;
        known = &reader_[readers_++];
        *known = {reader, next};
    }
    if (known->next == stores_) return 0;
    if (known->next < oldest()) known->next = oldest();
    return time_of(known->next++);
}

void StoreTimes::pass_all(u32 reader) {
    if (CountReader* const known = find(reader))
        known->next = stores_;
    else if (readers_ != kReaders)
        reader_[readers_++] = {reader, stores_};
}

}  // namespace memspy::sync
