// SPDX-License-Identifier: GPL-2.0-or-later
//
// A sample of what threads do to lines side by side, and one that is being taken (line_sampler.h).
#pragma once

#include "lines/rules.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::lines {

struct SampledAccess {
    Time time = 0;  // virtual
    Address begin = 0;
    u32 thread = 0;  // serial
    u16 bytes = 0;
    bool loads = false, stores = false;
};

struct LineSample {
    rt::Vector<SampledAccess> accesses;  // by time
    Time length = 0;                     // of virtual time
    Time stands_for = 0;                 // the time since the last sample, with this one
    u32 one_of = 1;                      // one of so many neighbourhoods was looked at
};

// The lines that are looked at. All zeros is none.
class WatchedNeighbours {
public:
    // Whether the line is new.
    bool add(u64 line) {
        if (lines_.find(line) != nullptr) return false;
        lines_[line] = 1;
        filter_[line % kFilterBits / 64] |= u64{1} << line % 64;
        return true;
    }
    bool has(u64 line) {
        return (filter_[line % kFilterBits / 64] >> line % 64 & 1) != 0 && lines_.find(line) != nullptr;
    }
    usize size() const { return lines_.size(); }
    void clear() {
        lines_.clear();
        for (u64& word : filter_) word = 0;
    }

private:
    static constexpr u64 kFilterBits = 1 << 14;
    u64 filter_[kFilterBits / 64];
    rt::HashMap<u8> lines_;
};

// All zeros is the state before the first sample.
struct SampleState {
    bool sampling;
    u32 taken;               // samples so far
    Time next;               // a sample may begin or end
    Time from, until, last;  // the present one; the end of the last one
    LineSample sample;
    WatchedNeighbours watched;
    rt::Vector<u64> followed;  // of these lines, those that are only followed for the sample
};

}  // namespace memspy::lines
