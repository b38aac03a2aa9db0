// SPDX-License-Identifier: GPL-2.0-or-later
//
// AccessBatch: some thousand accesses in their order, which are fed to the streams together. Each of its
// words has a small number, so that tables of a batch are small and need no hash.
//
// Passage: what a sequence of accesses of one batch has in itself. A word's second use and later ones in it
// have their distance from the passage alone; only its first use needs what came before, and only its last
// one matters to what comes later.
#pragma once

#include "analyses/locality/recency.h"
#include "rt/vector.h"

namespace memspy::locality {

using WordNumber = u16;

class AccessBatch {
public:
    static constexpr u32 kMost = 1 << 12;

    u32 size() const { return size_; }
    bool is_full() const { return size_ == kMost; }
    // `set`: a number of the caller's.
    void add(Word word, u32 set) {
        accesses_[size_] = word;
        sets_[size_++] = set;
    }
    void clear() { size_ = 0; }
    u32 set_of(u32 access) const { return sets_[access]; }

    // Once all accesses are there.
    void number_words();
    u32 words() const { return words_; }
    Word word(u32 number) const { return by_number_[number]; }
    const WordNumber* numbers() const { return numbers_; }  // by access

private:
    static constexpr u32 kTable = 2 * kMost;

    Word accesses_[kMost];
    u32 sets_[kMost];
    u32 size_ = 0;
    WordNumber numbers_[kMost];
    Word by_number_[kMost];
    u32 words_ = 0;
    u16 table_[kTable];  // by hash: number + 1
};

class Passage {
public:
    // Reads a sequence of words, by their numbers. `sampled`: they stand for others.
    void read(const WordNumber* numbers, u32 count, bool sampled);
    // Uses of words that came earlier in it, by bucket.
    const u32* reuses() const { return reuses_; }
    u32 uses_on_border() const { return on_border_; }  // sampled: those that may belong to the next bucket
    // Its words in the order of their first uses: as many others came before each as its index says.
    u32 words() const { return words_; }
    WordNumber first_use(u32 i) const { return first_[i]; }
    // In the order of their last uses, the latest last.
    WordNumber last_use(u32 i) const { return last_[i]; }

private:
    static constexpr u32 kGroup = 64;

    u32 reuses_[kBuckets] = {};
    u32 words_ = 0, on_border_ = 0;
    WordNumber first_[AccessBatch::kMost], last_[AccessBatch::kMost];
    u16 position_[AccessBatch::kMost] = {};  // by number: of its last use so far + 1; 0: none
    u64 latest_[AccessBatch::kMost / kGroup] =
        {};  // a bit for each position: whether it is still some word's last use
};

}  // namespace memspy::locality
