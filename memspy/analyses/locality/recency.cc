// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/recency.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "rt/vector.h"

namespace memspy::locality {
namespace {

constexpr u32 kFewestBlocks = 8;
// Times between two renumberings: for this many uses at least, and for as many of each word.
constexpr u32 kFewestUses = 2048, kUsesOfWord = 8;
constexpr u32 kAll = ~u32{0};

template <typename T>
T* made(usize count) {
    return static_cast<T*>(rt::allocate(count * sizeof(T), "memspy.recency"));
}

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

u32* Recency::find(const HashedWord& word) {
    if (blocks_ == capacity_ && (capacity_ == 0 || table_[slot_of(word.block, word.product)] == 0))
        renumber();
    u64& entry = table_[slot_of(word.block, word.product)];
    if (entry == 0) {
        entry = entry_of(word.block, blocks_++);
        __builtin_memset(times_ + index_of(entry), 0, block_words() * sizeof(u32));
    }
    return times_ + index_of(entry);
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

void Recency::give_back() {
    if (capacity_ == 0) return;
    rt::release(table_);
    rt::release(times_);
    rt::release(bits_);
    rt::release(counts_[0]);
}

// Moves the blocks that have words to a new table, with room for as many others.
void Recency::move_blocks() {
    u32 kept = 0;
    const auto for_each_used = [this](u64* table, u32 slots, u32* times, auto f) {
        for (u32 i = 0; i < slots; ++i) {
            if (table[i] == 0) continue;
            u32* const block = times + index_of(table[i]);
            u32 any = 0;
            for (u32 place = 0; place < block_words(); ++place) any |= block[place];
            if (any != 0) f(number_of(table[i]), block);
        }
    };
    u64* const old_table = table_;
    u32* const old_times = times_;
    const u32 old_slots = 2 * capacity_;
    for_each_used(old_table, old_slots, old_times, [&](u64, u32*) { ++kept; });
    while (capacity_ < kFewestBlocks || kept > capacity_ / 4 * 3)
        capacity_ = capacity_ == 0 ? kFewestBlocks : 2 * capacity_;
    make_blocks();
    for_each_used(old_table, old_slots, old_times, [&](u64 number, u32* times) {
        const HashedWord first(number << block_bits_, block_bits_);
        u64& entry = table_[slot_of(number, first.product)];
        entry = entry_of(number, blocks_++);
        __builtin_memcpy(times_ + index_of(entry), times, block_words() * sizeof(u32));
    });
    if (old_table == nullptr) return;
    rt::release(old_table);
    rt::release(old_times);
}

// An empty table of capacity_ blocks.
void Recency::make_blocks() {
    table_ = zeroed<u64>(usize{2} * capacity_);
    times_ = made<u32>(usize{capacity_} << block_bits_);
    shift_ = 64;
    for (u32 i = 1; i < 2 * capacity_; i *= 2) --shift_;
    blocks_ = 0;
}

void Recency::scatter() {
    if (block_bits_ == kScattered) return;
    renumber();
    struct Timed {
        Word word;
        u32 time;
    };
    rt::Vector<Timed> words;
    for_each_word([&](Word word, u32& time) { words.push_back(Timed{word, time}); });
    all_bytes -= bytes();
    rt::release(table_);
    rt::release(times_);
    block_bits_ = kScattered;
    for (capacity_ = kFewestBlocks; words.size() > capacity_ / 4 * 3;) capacity_ *= 2;
    make_blocks();
    for (const Timed& each : words) *find(HashedWord(each.word, kScattered)) = each.time;
    all_bytes += bytes();
}

// Leaves out words that are forgotten, and makes room for as many others.
void Recency::renumber() {
    all_bytes -= bytes();
    // How many last uses there are before each group.
    const u32 groups = capacity_ == 0 ? 0 : now_ / kGroup + 1;
    u32* before = zeroed<u32>(groups + 1);
    u32 left = limit();  // words that are not forgotten
    for (u32 i = groups; i-- > 0;) {
        while (count_bits(bits_[i]) > left) bits_[i] &= bits_[i] - 1;
        left -= count_bits(bits_[i]);
    }
    for (u32 i = 0; i < groups; ++i) before[i + 1] = before[i] + count_bits(bits_[i]);
    size_ = before[groups];
    const auto new_time = [&](u32 time) {
        const u64 bits = bits_[time / kGroup], bit = u64{1} << time % kGroup;
        return (bits & bit) == 0 ? 0 : before[time / kGroup] + count_bits(bits & (bit - 1)) + 1;
    };
    for_each_word([&](Word, u32& time) { time = new_time(time); });
    move_blocks();
    if (groups != 0) {
        rt::release(bits_);
        rt::release(counts_[0]);
    }
    rt::release(before);

    make_times(size_ + (size_ * kUsesOfWord > kFewestUses ? size_ * kUsesOfWord : kFewestUses));
    const u32 words = size_;
    for (u32& each : before_open_) each = 0;
    size_ = 0;
    for (now_ = 1; now_ <= words; ++now_, ++size_) {
        if (now_ % kGroup == 0) close_groups();
        bits_[now_ / kGroup] |= u64{1} << now_ % kGroup;
    }
    --now_;
    settled_ = now_ + 1;
    all_bytes += bytes();
}

void Recency::forget() {
    if (capacity_ == 0) return;
    __builtin_memset(table_, 0, usize{2} * capacity_ * sizeof(u64));
    __builtin_memset(bits_, 0, (now_ / kGroup + 1) * sizeof(u64));
    for (u32 level = 0, count = now_ / kGroup; level < kLevels; ++level, count >>= kRadixBits)
        __builtin_memset(counts_[level], 0, (count + 1) * sizeof(u32));
    for (u32& each : before_open_) each = 0;
    blocks_ = size_ = now_ = 0;
    settled_ = 1;
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
    __builtin_memcpy(table_, from.table_, usize{2} * capacity_ * sizeof(u64));
    __builtin_memcpy(times_, from.times_, (usize{blocks_} << block_bits_) * sizeof(u32));
    make_times(from.last_time_);
    __builtin_memcpy(bits_, from.bits_, (from.now_ / kGroup + 1) * sizeof(u64));
    for (u32 level = 0, count = from.now_ / kGroup; level < kLevels; ++level, count >>= kRadixBits) {
        __builtin_memcpy(counts_[level], from.counts_[level], (count + 1) * sizeof(u32));
        before_open_[level] = from.before_open_[level];
    }
    now_ = from.now_;
    settled_ = from.settled_;
    size_ = from.size_;
    all_bytes += bytes();
}

void Recency::clear() {
    all_bytes -= bytes();
    give_back();
    table_ = nullptr;
    times_ = nullptr;
    bits_ = nullptr;
    counts_[0] = nullptr;
    for (u32& each : before_open_) each = 0;
    capacity_ = blocks_ = size_ = now_ = last_time_ = 0;
    settled_ = 1;
}

}  // namespace memspy::locality
