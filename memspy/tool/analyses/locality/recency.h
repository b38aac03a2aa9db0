// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recency: the words of a stream in order of their last use, the latest first. The position of a word in that
// order when it is used again is its reuse distance.
//
// The order is that of time: each use has a number, its *time*, and each word the time of its last use. A bit
// for each time says whether it is still some word's last use: a distance is the number of bits behind one
// time, and one. Bits are counted in groups: 64 times are a group of level 0, eight groups one of the next
// level. A group is *open* while uses come into it, and closed afterwards. Closed groups have their counts;
// of each level's open one is known how many bits come before it. So a use costs a look-up in a hash table,
// and some instructions for each level up to the first on which both times are in one group.
//
// Uses come in batches: each word of a batch is first *taken* out of the order, which tells its distance,
// and, when all are, *put* back, in the order of the batch's last uses. What lies between two uses in one
// batch never gets here (passage.h). Look-ups of a batch do not depend on each other, so memory can be
// fetched ahead for them (`approach`): most of a use's time was waiting for it.
//
// When the times are used up, the words get new ones, from 1 on in their order (`renumber`).
//
// With a limit of 2^depth words those behind are forgotten: their next use counts as far, which makes no
// difference to smaller distances. They leave the table with the next renumbering.
//
// Times stand in blocks of kBlock neighbouring words, a line of the processor's cache, found by hash. Memory
// for a block is 88 bytes, up to twice that just after the table grew. Words are below 2^41, or two of them
// may be one. If few words are used, which were chosen by chance, a block is one word (`scatter`).
#pragma once

#include "analyses/locality/scores.h"
#include "rt/count_bits.h"

namespace memspy::locality {

// For the processor's instruction that counts bits, where it has one. Call once.
void prepare_counting();

class Recency {
public:
    static constexpr u32 kFar = kBuckets;  // the bucket of a first use

    Recency() = default;
    Recency(const Recency&) = delete;
    Recency& operator=(const Recency&) = delete;
    ~Recency() { clear(); }

    // At most 2^depth words, depth < kBuckets. May become less, not more, once words have been used.
    void limit(u32 depth) { depth_ = depth; }
    // A word, looked up in many tables.
    struct HashedWord {
        explicit HashedWord(Word from, u32 block_bits = kBlockBits)
            : block((from >> block_bits) % (u64{1} << kNumberBits)),
              product(block * 0x9E3779B97F4A7C15u),
              place(static_cast<u32>(from & ((1u << block_bits) - 1))) {}
        u64 block, product;
        u32 place;
    };
    // A batch of uses of `words` different words follows, each of which is taken once, and then put once.
    void begin_batch(u32 words) {
        if (last_time_ - now_ <= words || blocks_ + (words >> block_bits_) >= capacity_) [[unlikely]]
            renumber(words);
    }
    // Fetches what take() will need of a word, one step further each time. (GCC 12 takes a call of a function
    // that only prefetches for one without effect.)
    [[gnu::always_inline]] void approach_entry(const HashedWord& word) const {
        __builtin_prefetch(table_ + (word.product >> shift_));
    }
    [[gnu::always_inline]] void approach_time(const HashedWord& word) const {
        const u64 entry = table_[word.product >> shift_];
        if (number_of(entry) == word.block && entry != 0)
            __builtin_prefetch(times_ + index_of(entry) + word.place);
    }
    [[gnu::always_inline]] void approach_use(const HashedWord& word) const {
        const u64 entry = table_[word.product >> shift_];
        if (number_of(entry) != word.block || entry == 0) return;
        const u32 group = times_[index_of(entry) + word.place] / kGroup;
        __builtin_prefetch(bits_ + group);
        __builtin_prefetch(counts_[0] + group);
    }
    // Whether that is worth the while.
    bool is_large() const { return capacity_ > 256; }
    // A word's place, valid until the batch's end.
    u32 place_of(const HashedWord& word) {
        const u64 entry = table_[word.product >> shift_];
        if (number_of(entry) == word.block && entry != 0) [[likely]]
            return index_of(entry) + word.place;
        return find(word);
    }
    // The distance since the last use of the word at that place, with `others` words of the batch in between,
    // as a bucket. It has no last use afterwards.
    u32 take(u32 place, u32 others) {
        u32& time = times_[place];
        if (time == 0) return kFar;
        const u32 before = time;
        time = 0;
        const u64 all = others_since(before) + others;
        --size_;
        if (all >= limit()) [[unlikely]]
            return kFar;
        if (block_bits_ != kScattered) return bucket_of(all);
        on_border_ += is_on_border(all) ? 1 : 0;
        return estimated_bucket_of(all);
    }
    // The word at that place is the latest.
    void put(u32 place) {
        const u32 now = ++now_;
        if (now % kGroup == 0) [[unlikely]]
            close_groups();
        times_[place] = now;
        bits_[now / kGroup] |= u64{1} << now % kGroup;
        ++size_;
    }
    // Of words that stand for others. The number may be one or two too many or too few, more likely none: on
    // a border between buckets it counts in the lower one, as a loop over 2^n words does.
    static u32 estimated_bucket_of(u64 others) { return bucket_of(others > 1 ? others - 1 : others); }
    static bool is_on_border(u64 others) {
        return others > 1 && bucket_of(others - 2) != bucket_of(others + 1);
    }
    u64 uses_on_border() const { return on_border_; }
    static u32 count_bits(u64 bits) {
#if defined(__x86_64__)
        if (has_popcnt) [[likely]] {
            asm("popcnt %0, %0" : "+r"(bits) : : "cc");
            return static_cast<u32>(bits);
        }
#endif
        return rt::count_bits(bits);
    }
    u32 depth() const { return depth_; }
    u32 block_bits() const { return block_bits_; }
    u32 size() const { return size_ < limit() ? size_ : limit(); }
    u32 limit() const { return 1u << depth_; }
    static u64 bytes_of_all() { return all_bytes; }
    // Forgets the words for which `keep(word)` is false; the others keep their order. Scatters.
    template <typename F>
    void sift(F keep) {
        forget_last();
        for_each_word([&](Word word, u32& time) {
            if (keep(word)) return;
            bits_[time / kGroup] &= ~(u64{1} << time % kGroup);
            time = 0;
        });
        scatter();
    }
    // From now on a block is one word.
    void scatter();
    static constexpr u32 kScattered = 0, kBlockBits = 4;
    void forget();  // all words
    void clear();   // also frees its memory
    void copy(const Recency& from);
    // For tests: calls f(word), the latest first.
    template <typename F>
    void for_each(F f) const {
        u32 position = 0;
        for (u32 time = now_; position < size(); --time) {
            if ((bits_[time / kGroup] >> time % kGroup & 1) == 0) continue;
            ++position;
            f(word_of(time));
        }
    }

private:
    static constexpr u32 kGroup = 64, kRadixBits = 3, kRadix = 1 << kRadixBits;
    static constexpr u32 kLevels = 7;  // 2^24 times and more
    // A table's entry: the number of a block, and where its times begin + 1; 0: empty.
    static constexpr u32 kIndexBits = 23, kNumberBits = 41;
    static u64 number_of(u64 entry) { return entry >> kIndexBits; }
    u32 index_of(u64 entry) const {
        return (static_cast<u32>(entry & ((1u << kIndexBits) - 1)) - 1) << block_bits_;
    }
    u32 block_words() const { return 1u << block_bits_; }
    // Calls f(word, time) for each that has one.
    template <typename F>
    void for_each_word(F f) const {
        u32* times = times_;
        for (u32 i = 0; i < blocks_; ++i)
            for (u32 place = 0; place < block_words(); ++place, ++times)
                if (*times != 0) f((numbers_[i] << block_bits_) + place, *times);
    }
    static u64 entry_of(u64 number, u32 index) { return number << kIndexBits | (index + 1); }

    // Of a word that was last used then: how many others were used since. The bit of that use is cleared.
    u64 others_since(u32 before) {
        u32 group = before / kGroup, open = now_ / kGroup;
        u64& bits = bits_[group];
        u64 others = count_bits(bits >> before % kGroup >> 1);
        bits &= ~(u64{1} << before % kGroup);
        if (group == open) return others;
        for (u32 level = 0;; ++level) {
            u32* const counts = counts_[level];
            others += sum_behind(counts, group);
            --counts[group];
            const u32 earlier = before_open_[level]--;
            group >>= kRadixBits;
            open >>= kRadixBits;
            if (group == open) return others + size_ - earlier;
        }
    }
    // The sum of the counts of the groups behind this one that are in the same group of the next level.
    static u32 sum_behind(const u32* counts, u32 group) {
        const FourCounts* const all = reinterpret_cast<const FourCounts*>(counts + group / kRadix * kRadix);
        const FourCounts* const behind = kBehind[group % kRadix];
        const FourCounts sum = (all[0] & behind[0]) + (all[1] & behind[1]);
        return sum[0] + sum[1] + sum[2] + sum[3];
    }
    using FourCounts = u32 __attribute__((vector_size(16), may_alias));
    static const FourCounts kBehind[kRadix][2];
    static bool has_popcnt;
    friend void prepare_counting();

    static u64 all_bytes;
    u64 bytes() const { return capacity_ * (block_words() * sizeof(u32) + 3 * sizeof(u64)) + last_time_ / 4; }

    u32 find(const HashedWord& word);  // its place, in a new block if there is none
    void grow();
    u32 slot_of(u64 number, u64 product) const;
    void close_groups();
    void renumber(u32 words = 0);
    void forget_last();
    void number_words();
    void pack_blocks();
    void fill_table();
    void make_blocks(u32 capacity);
    void begin_times(u32 words);
    void make_times(u32 last);
    void clear_times();
    void release_blocks();
    Word word_of(u32 time) const;

    // What each use needs.
    u64* table_ = nullptr;    // twice as many as blocks
    u32* times_ = nullptr;    // by block and word; 0: none
    u64* numbers_ = nullptr;  // by block
    u64* bits_ = nullptr;     // by time
    u32 shift_ = 0;
    u32 block_bits_ = kBlockBits;
    u32 now_ = 0, last_time_ = 0;
    u32 size_ = 0;  // with the forgotten ones that are still there
    u32 depth_ = kSteps;
    u64 on_border_ = 0;  // scattered: uses
    u32 capacity_ = 0, blocks_ = 0;
    u32 before_open_[kLevels] = {};  // bits before the open group
    u32* counts_[kLevels] = {};      // bits in each closed group; behind them are zeros
};

}  // namespace memspy::locality
