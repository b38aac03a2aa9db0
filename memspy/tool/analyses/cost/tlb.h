// SPDX-License-Identifier: GPL-2.0-or-later
//
// A level of a data TLB: page numbers in sets, true LRU. Most translations are of a few pages, so an entry is
// found by a hint, and its order of use is a number that is only compared when a page has to go. All zeros is
// a valid object that is not started. No Valgrind here.
//
// Entries stand in groups of kGroup. Each group has a bound, below or equal to the order of all its entries:
// orders only grow, so the bound is brought up to date only for the group that seems to have the oldest
// entry.
#pragma once

#include "rt/base.h"

namespace memspy::cost {

class Tlb {
public:
    void start(u64 entries, u64 ways);
    void stop();  // frees its memory

    // The entry of the page, if the hint finds it; kNone else, though it may be there.
    u32 entry_of(u64 page) const {
        const u32 entry = hints_[hint_of(page)];
        return pages_[entry] == page ? entry : kNone;
    }
    // The entry is now the one used last.
    void used(u32 entry) { stamps_[entry] = ++clock_; }

    // For a caller that knows many entries, and keeps the order of the latest use in a register: give it back
    // with set_clock() before anything else uses the TLB.
    u64* stamps() const { return stamps_; }
    u64 clock() const { return clock_; }
    void set_clock(u64 clock) { clock_ = clock; }

    // Whether the page is there. It is now the one used last.
    bool touch(u64 page) {
        const u32 entry = entry_of(page);
        if (entry == kNone) return find(page);
        used(entry);
        return true;
    }
    // The page is not there. The one of its set that was used longest ago goes. It is returned with what
    // note_line() was told of its entry.
    struct EvictedPage {
        u64 page = kEmpty;
        u64 lines = 0;
    };
    EvictedPage insert(u64 page);
    void note_line(u32 entry, u32 bit) { lines_[entry] |= u64{1} << bit; }
    void remove_between(u64 first, u64 last);  // first <= page < last

    static constexpr u32 kNone = ~u32{0};

private:
    static constexpr u64 kHints = 512;
    // Arrays are often a power of two apart.
    static u64 hint_of(u64 page) { return (page ^ page >> 9) % kHints; }
    static constexpr u64 kEmpty = ~u64{0};
    static constexpr u32 kGroup = 8;
    bool find(u64 page);
    u32 first_of(u64 page) const { return static_cast<u32>((sets_ == 1 ? 0 : page % sets_) * ways_); }
    u32 oldest_of(u32 first);
    u32 groups() const { return static_cast<u32>((ways_ + kGroup - 1) / kGroup); }  // of a set

    u64* pages_ = nullptr;
    u64* stamps_ = nullptr;  // 0: empty
    u64* bounds_ = nullptr;
    u64* lines_ = nullptr;  // a bit for each line, or each so many lines, of the page
    u64 sets_ = 0, ways_ = 0, clock_ = 0;
    u16 hints_[kHints] = {};
    u16 present_[kHints] = {};  // pages in the TLB, by the same hash
};

}  // namespace memspy::cost
