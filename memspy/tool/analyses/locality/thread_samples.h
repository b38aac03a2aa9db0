// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread's part of a sampled log with several threads, in the order in which it is written: which of its
// accesses are counted for others, and what has to be logged next. What is found out here is needed again
// when the records come in the replay's order.
#pragma once

#include "log/records.h"
#include "log/word_sample.h"
#include "rt/vector.h"

namespace memspy::locality {

// Which accesses are counted: one of each gap, at a random place, stands for all of it.
class CountGaps {
public:
    static constexpr u64 kFewest = 1 << 6, kMost = 1 << 13;

    // The next access is counted for its gap. `accesses`: how long the next gap should be, within the limits;
    // `at`: a random number. Returns as many accesses come before the next one that is counted, this one
    // included.
    u64 choose(u64 accesses, u64 at) {
        gap_ = accesses < kFewest ? kFewest : accesses > kMost ? kMost : accesses;
        const u64 place = at % gap_, before = rest_;
        rest_ = gap_ - place - 1;
        return before + place + 1;
    }
    u64 gap() const { return gap_; }  // of the access that is counted next

private:
    u64 gap_ = 0, rest_ = 0;
};

class RandomNumbers {
public:
    explicit RandomNumbers(u64 first) : last_(first) {}
    u64 next() {
        last_ = last_ * 6364136223846793005u + 1442695040888963407u;
        return last_ >> 33;
    }

private:
    u64 last_;
};

class ThreadSample {
public:
    explicit ThreadSample(u32 serial) : serial_(serial), random_(serial) {}
    u32 serial() const { return serial_; }

    // The counters were set: from here on only a sample is logged, or all.
    void begin(const log::WordSample& given) { counter_ = given.counter; }
    // The next records, with what was executed before each. Returns the number of accesses that were not
    // logged.
    u64 read(const u64* first, const u64* end);
    // As many accesses come before one that is to be counted.
    u64 before_count() const { return to_count_; }

    // The records come again, in the same order: the access of this one that is counted.
    struct CountedAccess {
        const u64* record;
        u32 access;  // its number in the record
        u64 stands_for;
    };
    CountedAccess take_counted(const u64* record) {
        if (taken_ == counted_.size() || counted_[taken_].record != record) return {nullptr, 0, 0};
        return counted_[taken_++];
    }

private:
    // Gaps are a part of the thread's accesses so far.
    static constexpr u64 kGapPart = 1 << 11;

    u64 pass(u64 time);
    void advance(u64 accesses);
    void note(const u64* record, u32 access);

    u32 serial_;
    RandomNumbers random_;
    CountGaps gaps_;
    u64 accesses_ = 0, counter_ = 0;
    u64 to_count_ = 0;
    u64 missed_ = 0;  // stood for by an access that was not logged: the next one takes its place
    rt::Vector<CountedAccess> counted_;
    usize taken_ = 0;
};

}  // namespace memspy::locality
