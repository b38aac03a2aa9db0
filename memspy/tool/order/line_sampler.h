// SPDX-License-Identifier: GPL-2.0-or-later
//
// LineSampler: for an observer that asks what other lines, or other places of objects, would bring. Lines of one
// thread cost no record, so nothing is known of when they were used. Now and then, for a short while of virtual
// time, all accesses are logged and kept that go to *neighbours*: two lines side by side, used by different
// threads, of which one stores. Elsewhere nobody could meet if lines were twice as long, or if an object began
// elsewhere in its line.
//
// Bounded: so many lines are looked at in a sample, and so many accesses kept. Samples have one length, and
// come at distances that grow with the run: their number grows with its logarithm.
#pragma once

#include "order/clocks.h"
#include "order/line_observer.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::order {

struct SampledAccess {
    Time time = 0;  // virtual
    Address begin = 0;
    u32 thread = 0;  // serial
    u16 bytes = 0;
    bool loads = false, stores = false;
    Address end() const { return begin + bytes; }
};

struct LineSample {
    rt::Vector<SampledAccess> accesses;  // by time
    Time length = 0;                     // of virtual time
    Time stands_for = 0;                 // the time since the last sample, with this one
    u32 one_of = 1;                      // one of so many neighbourhoods was looked at
};

// All zeros is the state before the first sample.
class LineSampler {
public:
    static constexpr Time kSlack = 2048;  // accesses have their times, and are sorted in the end

    bool is_sampling() const { return sampling_; }
    // Before a thread runs: a sample may begin or end.
    void look();
    // Records of t in the replay's order, the first one at `time` or later.
    void take(Thread t, const u64* first, const u64* end, Time time) {
        if (sampling_) [[unlikely]]
            keep(t, first, end, time);
    }
    void end();     // all has been merged
    void forget();  // in a forked child

private:
    // In units of virtual time. Threads are up to the skew apart, so a sample must not be much shorter.
    static constexpr Time kLength = 32'768, kFirst = 4'096;
    static constexpr Time kDistance = 4, kPartOfRun = 24;
    static constexpr usize kMostLines = 4'096, kMostAccesses = 65'536;
    // Lines are chosen by such neighbourhoods, so that those of one object stay together.
    static constexpr u32 kNeighbourhoodBits = 5;
    static constexpr u64 kFilterBits = 1 << 14;

    void begin();
    void follow(u64 line);
    void keep(Thread t, const u64* first, const u64* end, Time time);
    void tell(Time until);
    bool is_watched(u64 line) {
        const u64 bit = line % kFilterBits;
        return (filter_[bit / 64] >> bit % 64 & 1) != 0 && lines_.find(line) != nullptr;
    }

    bool sampling_;
    u32 samples_;
    Time next_, from_, until_, last_;
    LineSample sample_;
    u64 filter_[kFilterBits / 64];
    rt::HashMap<u8> lines_;     // looked at
    rt::Vector<u64> followed_;  // of them, those that are only followed for it
};

}  // namespace memspy::order
