// SPDX-License-Identifier: GPL-2.0-or-later
//
// Words that one thread counts up, plainly, while others wait for them, such as the progress of a row or the end of
// a ring. The core lets the writer run alone, so a reader finds a number that is far ahead of the one that it
// needs; to go on behind the last store would restore the serial order. So the times of the stores are kept, and
// each look of a reader takes one: who waits for a count looks at it as often as it is counted. A reader that looks
// more often has soon taken them all, and then is behind the last one. No Valgrind here.
#pragma once

#include "rt/hash_map.h"
#include "threads/thread.h"

namespace memspy::order {

// All zeros is a valid empty object.
class CountedWords {
public:
    CountedWords() = default;
    CountedWords(const CountedWords&) = delete;
    CountedWords& operator=(const CountedWords&) = delete;
    ~CountedWords();

    // The writer has stored to the word at `time`, and once before, at `first`, if nobody has looked since; else 0.
    // Returns false if there is no room for more counts.
    bool begin(Address word, u64 first, u64 time);
    void stored(Address word, u64 time);
    void end(Address word);
    // The reader, at `now`, looks at the word: the time of the store that it takes, `last` if it is not known which
    // one that is, or 0 if it has taken them all.
    u64 take(Address word, u32 reader, u64 now, u64 last);
    // The reader has looked at the word in vain: what is stored there is not what it waits for.
    void pass_all(Address word, u32 reader);

private:
    static constexpr u32 kMostWords = 256, kKept = 1024, kReaders = 8;

    struct CountReader {
        u32 serial;
        u64 next;  // the number of the store that it takes next
    };
    struct CountedWord {
        u64 stores;  // so far; the last kKept of their times are there
        u32 readers;
        CountReader reader[kReaders];
        u64 times[kKept];

        u64 oldest() const { return stores > kKept ? stores - kKept : 0; }
        u64 time_of(u64 number) const { return times[number % kKept]; }
        CountReader* find(u32 serial);
    };

    rt::HashMap<CountedWord*> counts_;
};

}  // namespace memspy::order
