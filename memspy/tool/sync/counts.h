// SPDX-License-Identifier: GPL-2.0-or-later
//
// A word that one thread counts up, plainly, while others wait for it, such as the progress of a row or the end of a
// ring. The core lets the writer run alone, so a reader finds a number that is far ahead of the one that it
// needs; to go on behind the last store would restore the serial order. So the times of the stores are kept, and
// each look of a reader takes one: who waits for a count looks at it as often as it is counted. A reader that looks
// more often has soon taken them all, and then is behind the last one. No Valgrind here.
#pragma once

#include "rt/base.h"

namespace memspy::sync {

class StoreTimes {
public:
    // The writer has stored to the word at `time`, and once before, at `first`, if nobody has looked since; else 0.
    // nullptr if there is no room for more counts.
    static StoreTimes* begin(u64 first, u64 time);
    static void end(StoreTimes* count);
    void stored(u64 time) { times_[stores_++ % kKept] = time; }
    // The reader, at `now`, looks at the word: the time of the store that it takes, `last` if it is not known which
    // one that is, or 0 if it has taken them all.
    u64 take(u32 reader, u64 now, u64 last);
    // The reader has looked at the word in vain: what is stored there is not what it waits for.
    void pass_all(u32 reader);

private:
    static constexpr u32 kMostCounts = 256, kKept = 1024, kReaders = 64;

    struct CountReader {
        u32 serial;
        u64 next;  // the number of the store that it takes next
    };
    u64 oldest() const { return stores_ > kKept ? stores_ - kKept : 0; }
    u64 time_of(u64 number) const { return times_[number % kKept]; }
    CountReader* find(u32 serial);

    static u32 counts;
    u64 stores_ = 0;  // so far; the last kKept of their times are there
    u32 readers_ = 0;
    CountReader reader_[kReaders] = {};
    u64 times_[kKept];
};

}  // namespace memspy::sync
