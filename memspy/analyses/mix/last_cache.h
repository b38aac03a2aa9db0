// SPDX-License-Identifier: GPL-2.0-or-later
//
// The modelled last cache of --mix=memory: one for all threads, write-back, with a true order of use in each set
// of kWays lines. It sees all accesses in the order of the run. No Valgrind here.
#pragma once

#include "rt/vector.h"

namespace memspy::mix {

class LastCache {
public:
    static constexpr u32 kWays = 16;

    // `bytes` and `line_bytes` are powers of two.
    void start(u64 bytes, u32 line_bytes);
    bool is_on() const { return sets_ != 0; }

    struct Traffic {
        bool fetched = false, written = false;  // the line came in; another one went back to memory
    };
    // An access to one line, by the number of the line.
    Traffic access(u64 line, bool stores) {
        CacheWay* const set = ways_ + (line & (sets_ - 1)) * kWays;
        if (set[0] >> 1 == line + 1) {
            set[0] |= CacheWay{stores};
            return {};
        }
        return search(set, line, stores);
    }

private:
    // Twice (line number + 1), plus one if it has been written; 0: empty. The last used one is first.
    using CacheWay = u64;
    Traffic search(CacheWay* set, u64 line, bool stores);

    CacheWay* ways_ = nullptr;
    u64 sets_ = 0;
};

}  // namespace memspy::mix
