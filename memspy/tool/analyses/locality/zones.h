// SPDX-License-Identifier: GPL-2.0-or-later
//
// Zones: the bytes of each object that each thread reads and writes in each function. Offsets are from the
// object's begin; if several heap blocks are one object, from each block's begin.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::locality {

struct ZoneRange {
    u64 begin = 0, end = 0;
};

// At most kMost ranges, disjoint and sorted. When there are more, the two nearest to each other become one.
class Ranges {
public:
    static constexpr u32 kMost = 6;

    void add(u64 begin, u64 end) {
        ZoneRange& last = ranges_[last_];
        if (begin >= last.begin && end <= last.end) [[likely]]
            return;
        // A walk through an object adds to the end of a range.
        const bool is_alone = last_ + 1 == size_ || ranges_[last_ + 1].begin > end;
        if (begin >= last.begin && begin <= last.end && is_alone)
            last.end = end;
        else
            add_other(begin, end);
    }
    const ZoneRange& last() const { return ranges_[last_]; }  // has what was added last
    u32 size() const { return size_; }
    const ZoneRange& operator[](u32 i) const { return ranges_[i]; }
    bool exact() const { return !joined_; }  // it has no bytes that were not added

private:
    void add_other(u64 begin, u64 end);

    ZoneRange ranges_[kMost + 1];
    u32 size_ = 0;
    u32 last_ = 0;  // the range added to last
    bool joined_ = false;
};

struct Zone {
    u32 object = 0, thread = 0, function = 0;
    u32 number = 0;  // from 0, in the order in which they were first seen
    Ranges read, written;
};

class Zones {
public:
    Zone& of(u32 object, u32 thread, u32 function);
    template <typename F>
    void for_each(F f) const {
        for (Zone* zone : zones_) f(*zone);
    }

    const Zone& operator[](u32 number) const { return *zones_[number]; }

private:
    rt::Vector<Zone*> zones_;
    rt::HashMap<u32> heads_;  // by a hash of the three numbers: index + 1 of the latest zone
    rt::Vector<u32> next_;
    Zone* latest_ = nullptr;
};

}  // namespace memspy::locality
