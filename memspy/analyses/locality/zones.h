// SPDX-License-Identifier: GPL-2.0-or-later
//
// Zones: which bytes of each object each thread reads and writes in which function. Bytes count from where the
// object begins; of several heap blocks that are one object, from where each begins.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::locality {

struct ZoneRange {
    u64 begin = 0, end = 0;
};

// At most kMost ranges, apart and in order. When more come, the two that are nearest to each other become one.
class Ranges {
public:
    static constexpr u32 kMost = 6;

    void add(u64 begin, u64 end) {
        if (begin >= ranges_[last_].begin && end <= ranges_[last_].end) [[likely]]
            return;
        add_other(begin, end);
    }
    u32 size() const { return size_; }
    const ZoneRange& operator[](u32 i) const { return ranges_[i]; }
    bool exact() const { return !joined_; }  // no byte is in it that was not added

private:
    void add_other(u64 begin, u64 end);

    ZoneRange ranges_[kMost + 1];
    u32 size_ = 0;
    u32 last_ = 0;  // that was added to
    bool joined_ = false;
};

struct Zone {
    u32 object = 0, thread = 0, function = 0;
    Ranges read, written;
};

class Zones {
public:
    Zone& of(u32 object, u32 thread, u32 function);
    template <typename F>
    void for_each(F f) const {
        for (Zone* zone : zones_) f(*zone);
    }

private:
    rt::Vector<Zone*> zones_;
    rt::HashMap<u32> heads_;  // by a hash of the three: index + 1 of the latest
    rt::Vector<u32> next_;
    Zone* latest_ = nullptr;
};

}  // namespace memspy::locality
