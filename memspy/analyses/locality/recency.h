// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recency: the words of a stream in order of their last use, the latest first. The position of a word in that
// order when it is used again is its reuse distance.
//
// The order is that of time: each use has a number, and each word the number of its last one. A bit for each
// number says whether it is still some word's last use, so that positions can be counted. Only the power of two
// of a distance is needed, so nothing is counted: a *mark* is at the time of the word at each position 2^g. A word
// that moves to the front moves all marks that are later than its last use to the next bit, and the number of
// these marks is the bucket of the distance (scores.h). The bits at a mark stay in the processor's cache, so that a use
// costs one lookup in a hash table, and some instructions for each mark that moves.
//
// When the numbers are used up, the words get new ones, from 1 on in their order (`renumber`).
//
// With a limit of 2^depth words those behind are forgotten: they are earlier than the last mark. Their next use counts
// as far, which makes no difference to smaller distances.
//
// Times stand in blocks of kBlock neighbouring words, found by hash. Memory for a block is 48 bytes, up to 96 just
// after the table grew. Words are below 2^44, or two of them are one.
#pragma once

#include "analyses/locality/scores.h"

namespace memspy::locality {

class Recency {
public:
    static constexpr u32 kFar = kBuckets;  // the bucket of a first use
    struct WordUse {
        u32 bucket = kFar;
        bool is_recent =
            false;  // one of the last kWindow uses was of this word; may be false although it was
    };

    Recency() = default;
    Recency(const Recency&) = delete;
    Recency& operator=(const Recency&) = delete;
    ~Recency() { clear(); }

    // At most 2^depth words, depth < kBuckets. May become less, not more, once words have been used.
    void limit(u32 depth);
    // The distance since the word's last use. The word is the latest afterwards.
    WordUse use(Word word) {
        const u64 number = word / kBlock;
        if (number != last_number_) [[unlikely]]
            find(number);
        u32& at = times_[last_ + word % kBlock];
        const u32 before = at < oldest_ ? 0 : at;
        const u32 now = ++now_;
        at = now;
        set(now);
        u32 bucket = 0;
        if (before != 0) [[likely]] {
            unset(before);
            for (; marks_[bucket] > before; ++bucket) marks_[bucket] = behind(marks_[bucket]);
            if (marks_[bucket] == before) marks_[bucket] = behind(before);
        } else {
            bucket = kFar;
            add();
        }
        const WordUse use = {bucket, before >= settled_ && now - before <= kWindow};
        if (now == last_time_) [[unlikely]]
            renumber();
        return use;
    }
    u32 size() const { return size_; }
    u32 limit() const { return 1u << depth_; }
    static u64 bytes_of_all() { return all_bytes; }
    // Forgets the words for which `keep(word)` is false; the others keep their order.
    template <typename F>
    void sift(F keep) {
        for (u32 i = 0; i < 2 * capacity_; ++i) {
            if (table_[i] == 0) continue;
            u32* times = &times_[index_of(table_[i])];
            for (u32 word = 0; word < kBlock; ++word) {
                if (times[word] == 0 || keep(number_of(table_[i]) * kBlock + word)) continue;
                unset(times[word]);
                times[word] = 0;
            }
        }
        renumber();
    }
    void forget();  // all words
    void clear();   // also frees its memory
    void copy(const Recency& from);
    // For tests: calls f(word, bucket of its position), the latest first.
    template <typename F>
    void for_each(F f) const {
        u32 position = 0;
        for (u32 time = now_; position < size_; --time) {
            if (!is_set(time)) continue;
            ++position;
            u32 bucket = 0;
            while (marks_[bucket] > time) ++bucket;
            f(word_of(time), bucket);
        }
    }

private:
    static constexpr u32 kBlock = 8;
    static constexpr u64 kNone = ~u64{0}, kNumbers = (u64{1} << 41) - 1;
    // A table's entry: the number of a block, and where its times begin + 1; 0: empty.
    static constexpr u32 kIndexBits = 23;
    static u64 number_of(u64 entry) { return entry >> kIndexBits; }
    static u32 index_of(u64 entry) {
        return (static_cast<u32>(entry & ((1u << kIndexBits) - 1)) - 1) * kBlock;
    }

    bool is_set(u32 time) const { return (bits_[time / 64] >> time % 64 & 1) != 0; }
    void set(u32 time) { bits_[time / 64] |= u64{1} << time % 64; }
    void unset(u32 time) { bits_[time / 64] &= ~(u64{1} << time % 64); }
    // The next last use after this time.
    u32 behind(u32 time) const {
        u32 i = time / 64;
        u64 bits = bits_[i] & (~u64{1} << time % 64);
        while (bits == 0) bits = bits_[++i];
        return i * 64 + static_cast<u32>(__builtin_ctzll(bits));
    }
    u32 home(u64 number) const { return static_cast<u32>((number * 0x9E3779B97F4A7C15u) >> shift_); }
    Word word_of(u32 time) const;

    static u64 all_bytes;
    u64 bytes() const { return capacity_ * kBytesOfBlock + last_time_ / 8; }
    static constexpr usize kBytesOfBlock = kBlock * sizeof(u32) + 2 * sizeof(u64);
    static u64 entry_of(u64 number, u32 index) { return number << kIndexBits | (index + 1); }

    void find(u64 number);  // makes it the block used last; a new one if it is not there
    u32 slot_of(u64 number) const;
    void add();
    void renumber();

    // Of the block that was used last.
    u64 last_number_ = kNone;
    u32 last_ = 0;
    u32 now_ = 0, last_time_ = 0;  // numbers of uses
    u32 oldest_ = 1;               // words used before are forgotten
    u32 settled_ = 1;              // times before this one are not numbers of uses any more
    u32* times_ = nullptr;         // by block and word; 0: none
    u64* bits_ = nullptr;          // by time
    u32 marked_ = 0;               // the number of marks; behind them is a 0
    u32 marks_[kBuckets + 1] = {};
    u64* table_ = nullptr;  // twice as many as blocks
    u32 shift_ = 0;
    u32 capacity_ = 0, blocks_ = 0;
    u32 size_ = 0;
    u32 depth_ = kSteps;
};

}  // namespace memspy::locality
