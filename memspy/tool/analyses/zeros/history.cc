// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/history.h"

namespace memspy::zeros {

void LoadHistory::join_slots() {
    for (u32 i = 0; i < kSlots / 2; ++i) slots[i] = sum(2 * i, 2 * i + 2);
    for (u32 i = kSlots / 2; i < kSlots; ++i) slots[i] = LoadShare{};
}

LoadShare LoadHistory::sum(u32 begin, u32 end) const {
    LoadShare all;
    for (u32 i = begin; i < end; ++i) all.add(slots[i]);
    return all;
}

// Where the variance between what is before and what is behind is largest.
u32 LoadHistory::change() const {
    constexpr double kLeastStep = 0.25, kLeastShare = 0.5;
    // Fewer bytes behind it prove nothing, and fewer before it do not matter.
    constexpr u64 kLeastLoaded = 1024;
    const LoadShare whole = all();
    double best = 0;
    u32 found = 0;
    for (u32 i = 1; i < kSlots; ++i) {
        const LoadShare before = sum(0, i), behind = sum(i, kSlots);
        if (before.loaded == 0 || behind.loaded < kLeastLoaded) continue;
        const double early = static_cast<double>(before.redundant) / static_cast<double>(before.loaded);
        const double late = static_cast<double>(behind.redundant) / static_cast<double>(behind.loaded);
        if (late - early < kLeastStep || late < kLeastShare) continue;
        const double part = static_cast<double>(before.loaded) / static_cast<double>(whole.loaded);
        const double variance = part * (1 - part) * (late - early) * (late - early);
        if (variance > best) {
            best = variance;
            found = i;
        }
    }
    return found;
}

u32 Timeline::advance(u64 now) {
    u32 joins = 0;
    if (now > now_) now_ = now;
    reach(now);
    for (; now_ / length_ >= LoadHistory::kSlots; ++joins) length_ *= 2;
    return joins;
}

u32 Timeline::thousandths_before(u32 slot) const {
    const u64 begin = u64{slot} * length_;
    return end_ == 0 ? 0 : static_cast<u32>(begin >= end_ ? 1000 : begin * 1000 / end_);
}

}  // namespace memspy::zeros
