// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a file's ids to indices: eight bytes for each. Files have their ids in ascending order; any other
// order costs a sort at the first lookup.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "report/fields.h"

namespace memspy::report {

class IdIndex {
public:
    static constexpr u32 kNone = ~u32{0};

    // If an id is set twice, the first one counts.
    void set(u32 id, u32 place) {
        sorted_ = sorted_ && (entries_.empty() || entries_.back().first < id);
        entries_.emplace_back(id, place);
    }

    // kNone for an unknown id.
    u32 find(u32 id) const {
        auto by_id = [](const auto& entry, u32 wanted) { return entry.first < wanted; };
        if (!sorted_) {
            std::stable_sort(entries_.begin(), entries_.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            sorted_ = true;
        }
        const auto at = std::lower_bound(entries_.begin(), entries_.end(), id, by_id);
        return at != entries_.end() && at->first == id ? at->second : kNone;
    }

    void clear() {
        entries_.clear();
        sorted_ = true;
    }

private:
    mutable std::vector<std::pair<u32, u32>> entries_;
    mutable bool sorted_ = true;
};

}  // namespace memspy::report
