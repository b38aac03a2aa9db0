// SPDX-License-Identifier: GPL-2.0-or-later
//
// A value for each key that was ever asked for, in little more memory than the values take: a command that
// sums a gigabyte of rows may have millions of sums.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "report/folding.h"

namespace memspy::report {

template <typename Value>
class SumsTable {
public:
    Value& operator[](u64 key) {
        if (2 * (entries_.size() + 1) > slots_.size()) grow();
        u32& slot = find(key);
        if (slot == kNone) {
            slot = static_cast<u32>(entries_.size());
            entries_.emplace_back(key, Value{});
        }
        return entries_[slot].second;
    }

    std::size_t size() const { return entries_.size(); }
    auto begin() const { return entries_.begin(); }  // pairs (key, value) in order of insertion
    auto end() const { return entries_.end(); }

private:
    static constexpr u32 kNone = ~u32{0};

    u32& find(u64 key) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = mixed(0, key) & mask;; at = (at + 1) & mask)
            if (slots_[at] == kNone || entries_[slots_[at]].first == key) return slots_[at];
    }

    void grow() {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kNone);
        for (std::size_t i = 0; i < entries_.size(); ++i) find(entries_[i].first) = static_cast<u32>(i);
    }

    std::deque<std::pair<u64, Value>> entries_;
    std::vector<u32> slots_;
};

}  // namespace memspy::report
