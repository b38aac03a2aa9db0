// SPDX-License-Identifier: GPL-2.0-or-later
//
// The modelled last cache of --mix=memory: one for all threads, write-back, with a true order of use in each
// set of kWays lines. It sees all accesses in the order of the run. No Valgrind here.
#pragma once

#include "rt/set_cache.h"

namespace memspy::mix {

class LastCache {
public:
    static constexpr u32 kWays = 16;

    // `bytes` and `line_bytes` are powers of two.
    void start(u64 bytes, u32 line_bytes) {
        const u64 lines = bytes / line_bytes;
        cache_.start(lines < kWays ? 1 : lines / kWays, kWays, false, false);
        on_ = true;
    }
    void stop() { cache_.stop(); }  // frees its memory
    bool is_on() const { return on_; }

    struct Traffic {
        bool fetched = false, written = false;  // the line came in; another one went back to memory
    };
    // An access to one line, by the number of the line.
    Traffic access(u64 line, bool stores) {
        if (cache_.is_latest(line, stores)) return {};
        const rt::SetCache::TouchedLine touched = cache_.touch_or_insert(line);
        if (stores) cache_.mark_entry(touched.entry);
        return {.fetched = !touched.hit, .written = touched.gone.marked()};
    }

private:
    rt::SetCache cache_;  // the mark: it has been written
    bool on_ = false;
};

}  // namespace memspy::mix
