// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/tlb.h"

namespace memspy::cost {

void Tlb::start(u64 entries, u64 ways) {
    ways_ = ways == 0 ? entries : ways;
    sets_ = entries / ways_;
    CHECK_LT(sets_ * ways_, u64{1} << 16);
    pages_ = static_cast<u64*>(rt::allocate(sets_ * ways_ * sizeof(u64), "memspy.cost.tlb"));
    stamps_ = static_cast<u64*>(rt::allocate(sets_ * ways_ * sizeof(u64), "memspy.cost.tlb"));
    bounds_ = static_cast<u64*>(rt::allocate(sets_ * groups() * sizeof(u64), "memspy.cost.tlb"));
    lines_ = static_cast<u64*>(rt::allocate(sets_ * ways_ * sizeof(u64), "memspy.cost.tlb"));
    for (u64 i = 0; i < sets_ * ways_; ++i) {
        pages_[i] = kEmpty;
        stamps_[i] = lines_[i] = 0;
    }
    for (u64 i = 0; i < sets_ * groups(); ++i) bounds_[i] = 0;
}

void Tlb::stop() {
    if (pages_ != nullptr) rt::release(pages_);
    if (stamps_ != nullptr) rt::release(stamps_);
    if (bounds_ != nullptr) rt::release(bounds_);
    if (lines_ != nullptr) rt::release(lines_);
    pages_ = stamps_ = bounds_ = lines_ = nullptr;
}

bool Tlb::find(u64 page) {
    if (present_[hint_of(page)] == 0) return false;
    const u32 first = first_of(page);
    for (u32 entry = first; entry < first + ways_; ++entry) {
        if (pages_[entry] != page) continue;
        hints_[hint_of(page)] = static_cast<u16>(entry);
        used(entry);
        return true;
    }
    return false;
}

// Of the set that begins at `first`. Minima of (order, number), so that the processor need not guess.
u32 Tlb::oldest_of(u32 first) {
    constexpr u32 kNumberBits = 16;
    u64* const bounds = bounds_ + first / ways_ * groups();
    const u32 end = first + static_cast<u32>(ways_);
    for (;;) {
        u64 least = ~u64{0}, next = ~u64{0};
        for (u32 i = 0; i < groups(); ++i) {
            const u64 bound = bounds[i] << kNumberBits | i;
            const u64 more = bound > least ? bound : least;
            least = bound < least ? bound : least;
            next = more < next ? more : next;
        }
        const u32 group = static_cast<u32>(least & ((1u << kNumberBits) - 1));
        const u32 begin = first + group * kGroup;
        const u32 group_end = begin + kGroup < end ? begin + kGroup : end;
        u64 oldest = ~u64{0};
        for (u32 entry = begin; entry < group_end; ++entry) {
            const u64 stamp = stamps_[entry] << kNumberBits | entry;
            oldest = stamp < oldest ? stamp : oldest;
        }
        bounds[group] = oldest >> kNumberBits;
        if (bounds[group] <= next >> kNumberBits) return static_cast<u32>(oldest & ((1u << kNumberBits) - 1));
    }
}

Tlb::EvictedPage Tlb::insert(u64 page) {
    const u32 entry = oldest_of(first_of(page));
    const EvictedPage gone{pages_[entry], lines_[entry]};
    lines_[entry] = 0;
    if (pages_[entry] != kEmpty) --present_[hint_of(pages_[entry])];
    pages_[entry] = page;
    ++present_[hint_of(page)];
    hints_[hint_of(page)] = static_cast<u16>(entry);
    used(entry);
    return gone;
}

void Tlb::remove_between(u64 first, u64 last) {
    for (u64 i = 0; i < sets_ * ways_; ++i) {
        if (pages_[i] < first || pages_[i] >= last || pages_[i] == kEmpty) continue;
        --present_[hint_of(pages_[i])];
        pages_[i] = kEmpty;
        stamps_[i] = lines_[i] = 0;
        bounds_[i / ways_ * groups() + i % ways_ / kGroup] = 0;
    }
}

}  // namespace memspy::cost
