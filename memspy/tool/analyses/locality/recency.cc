// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/recency.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "rt/global.h"
#include "rt/vector.h"

namespace memspy::locality {
namespace {

constexpr u32 kFewestBlocks = 8;
// Times between two renumberings: for this many uses at least, and for as many of each word.
constexpr u32 kFewestUses = 2048, kUsesOfWord = 8;
// Times need not be made anew while there are at most this many times as many as needed.
constexpr u32 kMostRoom = 4;
// A smaller table is at most half full after it was packed, a larger one three quarters, to save memory.
constexpr u32 kLargeTable = 2048;
constexpr u32 kAll = ~u32{0};

template <typename T>
T* made(usize count) {
    return static_cast<T*>(rt::allocate(count * sizeof(T), "memspy.recency"));
}

// Of all tables, while words are numbered.
rt::Global<rt::Vector<u32>> words_before;

template <typename T>
T* zeroed(usize count) {
    T* all = made<T>(count);
    __builtin_memset(all, 0, count * sizeof(T));
    return all;
}

}  // namespace

u64 Recency::all_bytes = 0;
bool Recency::has_popcnt = false;

const Recency::FourCounts Recency::kBehind[kRadix][2] = {
    {{0, kAll, kAll, kAll}, {kAll, kAll, kAll, kAll}},
    {{0, 0, kAll, kAll}, {kAll, kAll, kAll, kAll}},
    {{0, 0, 0, kAll}, {kAll, kAll, kAll, kAll}},
    {{0, 0, 0, 0}, {kAll, kAll, kAll, kAll}},
    {{0, 0, 0, 0}, {0, kAll, kAll, kAll}},
    {{0, 0, 0, 0}, {0, 0, kAll, kAll}},
    {{0, 0, 0, 0}, {0, 0, 0, kAll}},
    {{0, 0, 0, 0}, {0, 0, 0, 0}},
};

void prepare_counting() {
#if defined(__x86_64__)
    u32 a = 0, b = 0, c = 0, d = 0;
    Recency::has_popcnt = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_POPCNT) != 0;
#endif
}

u32 Recency::slot_of(u64 number, u64 product) const {
    auto slot = static_cast<u32>(product >> shift_);
    while (table_[slot] != 0 && number_of(table_[slot]) != number) slot = (slot + 1) & (2 * capacity_ - 1);
    return slot;
}

u32 Recency::find(const HashedWord& word) {
    if (blocks_ == capacity_ && (capacity_ == 0 || table_[slot_of(word.block, word.product)] == 0)) grow();
    u64& entry = table_[slot_of(word.block, word.product)];
    if (entry == 0) {
        numbers_[blocks_] = word.block;
        entry = entry_of(word.block, blocks_++);
        __builtin_memset(times_ + index_of(entry), 0, block_words() * sizeof(u32));
    }
    return index_of(entry) + word.place;
}

// In the middle of a batch: places remain.
void Recency::grow() {
    all_bytes -= bytes();
    make_blocks(capacity_ == 0 ? kFewestBlocks : 2 * capacity_);
    fill_table();
    all_bytes += bytes();
}

// The use that comes now is the first of a group.
void Recency::close_groups() {
    u32 group = now_ / kGroup - 1;
    for (u32 level = 0;; ++level) {
        counts_[level][group] = size_ - before_open_[level];
        before_open_[level] = size_;
        if ((group + 1) % kRadix != 0 || level + 1 == kLevels) return;
        group >>= kRadixBits;
    }
}

// Room for times up to `last`.
void Recency::make_times(u32 last) {
    last_time_ = last;
    bits_ = zeroed<u64>(last / kGroup + 1);
    usize groups[kLevels], all = 0;
    for (u32 level = 0, count = last / kGroup; level < kLevels; ++level, count >>= kRadixBits)
        all += groups[level] = (count / kRadix + 1) * kRadix;
    counts_[0] = zeroed<u32>(all);
    for (u32 level = 1; level < kLevels; ++level) counts_[level] = counts_[level - 1] + groups[level - 1];
}

// No time has been used.
void Recency::clear_times() {
    if (bits_ != nullptr) {
        __builtin_memset(bits_, 0, (now_ / kGroup + 1) * sizeof(u64));
        for (u32 level = 0, count = now_ / kGroup; level < kLevels; ++level, count >>= kRadixBits)
            __builtin_memset(counts_[level], 0, (count + 1) * sizeof(u32));
    }
    for (u32& each : before_open_) each = 0;
    now_ = 0;
}

void Recency::release_blocks() {
    rt::release(table_);
    rt::release(times_);
    rt::release(numbers_);
}

// Room for `capacity` blocks; those that there are remain.
void Recency::make_blocks(u32 capacity) {
    u32* const times = made<u32>(usize{capacity} << block_bits_);
    u64* const numbers = made<u64>(capacity);
    if (capacity_ != 0) {
        __builtin_memcpy(times, times_, (usize{blocks_} << block_bits_) * sizeof(u32));
        __builtin_memcpy(numbers, numbers_, blocks_ * sizeof(u64));
        release_blocks();
    }
    capacity_ = capacity;
    times_ = times;
    numbers_ = numbers;
    table_ = zeroed<u64>(usize{2} * capacity);
    shift_ = 64;
    for (u32 i = 1; i < 2 * capacity; i *= 2) --shift_;
}

// Only blocks that have words remain, with room for more.
void Recency::pack_blocks() {
    u32 kept = 0;
    for (u32 i = 0; i < blocks_; ++i) {
        const u32* const block = times_ + (usize{i} << block_bits_);
        u32 any = 0;
        for (u32 place = 0; place < block_words(); ++place) any |= block[place];
        if (any == 0) continue;
        if (i != kept) {
            __builtin_memcpy(times_ + (usize{kept} << block_bits_), block, block_words() * sizeof(u32));
            numbers_[kept] = numbers_[i];
        }
        ++kept;
    }
    blocks_ = kept;
    u32 capacity = capacity_;
    while (capacity < kFewestBlocks || kept > (capacity < kLargeTable ? capacity / 2 : capacity / 4 * 3))
        capacity = capacity == 0 ? kFewestBlocks : 2 * capacity;
    if (capacity != capacity_)
        make_blocks(capacity);
    else
        __builtin_memset(table_, 0, usize{2} * capacity_ * sizeof(u64));
    fill_table();
}

// The table is empty.
void Recency::fill_table() {
    for (u32 i = 0; i < blocks_; ++i) {
        const HashedWord first(numbers_[i] << block_bits_, block_bits_);
        table_[slot_of(numbers_[i], first.product)] = entry_of(numbers_[i], i);
    }
}

void Recency::scatter() {
    if (block_bits_ == kScattered) return renumber();
    all_bytes -= bytes();
    number_words();
    struct Timed {
        Word word;
        u32 time;
    };
    rt::Vector<Timed> words;
    for_each_word([&](Word word, u32& time) { words.push_back(Timed{word, time}); });
    if (capacity_ != 0) release_blocks();
    block_bits_ = kScattered;
    capacity_ = 0;
    blocks_ = 0;
    u32 capacity = kFewestBlocks;
    while (words.size() > capacity / 2) capacity *= 2;
    make_blocks(capacity);
    for (const Timed& each : words) {
        numbers_[blocks_] = each.word;
        times_[blocks_++] = each.time;
    }
    fill_table();
    begin_times(0);
    all_bytes += bytes();
}

// Leaves out words that are forgotten, and makes room for as many others.
void Recency::renumber(u32 words) {
    all_bytes -= bytes();
    number_words();
    pack_blocks();
    begin_times(words);
    all_bytes += bytes();
}

// Words beyond the limit have no last use any more.
void Recency::forget_last() {
    if (bits_ == nullptr) return;
    u32 left = limit();
    for (u32 i = now_ / kGroup + 1; i-- > 0;) {
        while (count_bits(bits_[i]) > left) bits_[i] &= bits_[i] - 1;
        left -= count_bits(bits_[i]);
    }
}

// Words get times from 1 on in their order; those that are forgotten get none. size_ of them are left.
void Recency::number_words() {
    size_ = 0;
    if (bits_ == nullptr) return;
    // How many last uses there are before each group.
    const u32 groups = now_ / kGroup + 1;
    words_before->resize(groups + 1);
    forget_last();
    (*words_before)[0] = 0;
    for (u32 i = 0; i < groups; ++i) (*words_before)[i + 1] = (*words_before)[i] + count_bits(bits_[i]);
    size_ = (*words_before)[groups];
    for_each_word([&](Word, u32& time) {
        const u64 bits = bits_[time / kGroup], bit = u64{1} << time % kGroup;
        time = (bits & bit) == 0 ? 0 : (*words_before)[time / kGroup] + count_bits(bits & (bit - 1)) + 1;
    });
}

// The words have the times 1 to size_. A batch of `words` words follows.
void Recency::begin_times(u32 words) {
    clear_times();
    const u32 uses = size_ * kUsesOfWord > kFewestUses ? size_ * kUsesOfWord : kFewestUses;
    const u32 last = size_ + (uses > words ? uses : words + 1);
    if (bits_ == nullptr || last > last_time_ || last < last_time_ / kMostRoom) {
        if (bits_ != nullptr) {
            rt::release(bits_);
            rt::release(counts_[0]);
        }
        make_times(last);
    }
    const u32 known = size_;
    size_ = 0;
    for (now_ = 1; now_ <= known; ++now_, ++size_) {
        if (now_ % kGroup == 0) close_groups();
        bits_[now_ / kGroup] |= u64{1} << now_ % kGroup;
    }
    --now_;
}

void Recency::forget() {
    if (capacity_ == 0) return;
    __builtin_memset(table_, 0, usize{2} * capacity_ * sizeof(u64));
    clear_times();
    blocks_ = size_ = 0;
}

Word Recency::word_of(u32 time) const {
    Word found = 0;
    for_each_word([&](Word word, u32& its) {
        if (its == time) found = word;
    });
    return found;
}

void Recency::copy(const Recency& from) {
    clear();
    depth_ = from.depth_;
    block_bits_ = from.block_bits_;
    if (from.capacity_ == 0) return;
    capacity_ = from.capacity_;
    blocks_ = from.blocks_;
    shift_ = from.shift_;
    table_ = made<u64>(usize{2} * capacity_);
    times_ = made<u32>(usize{capacity_} << block_bits_);
    numbers_ = made<u64>(capacity_);
    __builtin_memcpy(numbers_, from.numbers_, blocks_ * sizeof(u64));
    __builtin_memcpy(table_, from.table_, usize{2} * capacity_ * sizeof(u64));
    __builtin_memcpy(times_, from.times_, (usize{blocks_} << block_bits_) * sizeof(u32));
    make_times(from.last_time_);
    __builtin_memcpy(bits_, from.bits_, (from.now_ / kGroup + 1) * sizeof(u64));
    for (u32 level = 0, count = from.now_ / kGroup; level < kLevels; ++level, count >>= kRadixBits) {
        __builtin_memcpy(counts_[level], from.counts_[level], (count + 1) * sizeof(u32));
        before_open_[level] = from.before_open_[level];
    }
    now_ = from.now_;
    size_ = from.size_;
    all_bytes += bytes();
}

void Recency::clear() {
    all_bytes -= bytes();
    if (capacity_ != 0) {
        release_blocks();
        rt::release(bits_);
        rt::release(counts_[0]);
    }
    table_ = nullptr;
    times_ = nullptr;
    numbers_ = nullptr;
    bits_ = nullptr;
    counts_[0] = nullptr;
    for (u32& each : before_open_) each = 0;
    capacity_ = blocks_ = size_ = now_ = last_time_ = 0;
}

}  // namespace memspy::locality
