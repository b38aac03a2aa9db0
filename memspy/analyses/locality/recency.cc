// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/recency.h"

namespace memspy::locality {
namespace {

constexpr u32 kFewestBlocks = 16;
// Numbers between two renumberings: for this many uses at least, and for as many of each word.
constexpr u32 kFewestUses = 2048, kUsesOfWord = 8;

template <typename T>
T* zeroed(usize count) {
    auto* all = static_cast<T*>(rt::allocate(count * sizeof(T), "memspy.recency"));
    __builtin_memset(all, 0, count * sizeof(T));
    return all;
}

template <typename T>
T* copied(const T* from, usize count) {
    auto* all = static_cast<T*>(rt::allocate(count * sizeof(T), "memspy.recency"));
    __builtin_memcpy(all, from, count * sizeof(T));
    return all;
}

u32 bits_in(u64 bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return static_cast<u32>(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

}  // namespace

u64 Recency::all_bytes = 0;

u32 Recency::slot_of(u64 number) const {
    u32 slot = home(number);
    while (table_[slot] != 0 && number_of(table_[slot]) != number) slot = (slot + 1) & (2 * capacity_ - 1);
    return slot;
}

void Recency::find(u64 number) {
    last_number_ = number;
    number &= kNumbers;
    if (blocks_ == capacity_ && (capacity_ == 0 || table_[slot_of(number)] == 0)) renumber();
    u64& entry = table_[slot_of(number)];
    if (entry == 0) {
        entry = entry_of(number, blocks_++);
        __builtin_memset(times_ + index_of(entry), 0, kBlock * sizeof(u32));
    }
    last_ = index_of(entry);
}

// A word that was not there, or is forgotten, is the latest now.
void Recency::add() {
    for (u32 i = 0; i < marked_; ++i) marks_[i] = behind(marks_[i]);
    if (size_ == limit()) {
        oldest_ = marks_[depth_];
        return;
    }
    ++size_;
    if (size_ != 1u << marked_) return;
    marks_[marked_++] = behind(oldest_ - 1);
    marks_[marked_] = 0;
}

void Recency::limit(u32 depth) {
    depth_ = depth;
    if (size_ < limit()) return;
    size_ = limit();
    oldest_ = marks_[depth];
    marked_ = depth + 1;
    marks_[marked_] = 0;
}

// Leaves out words that are forgotten, and makes room for as many others.
void Recency::renumber() {
    all_bytes -= bytes();
    // How many last uses there are before each 64 times.
    const u32 groups = capacity_ == 0 ? 0 : last_time_ / 64 + 1;
    u32* before = zeroed<u32>(groups + 1);
    for (u32 i = 0; i < groups; ++i) {
        if (i < oldest_ / 64) bits_[i] = 0;
        if (i == oldest_ / 64) bits_[i] &= ~u64{0} << oldest_ % 64;
        before[i + 1] = before[i] + bits_in(bits_[i]);
    }
    size_ = before[groups];
    const auto new_time = [&](u32 time) {
        if (time < oldest_) return 0u;
        return before[time / 64] + bits_in(bits_[time / 64] & ((u64{1} << time % 64) - 1)) + 1;
    };
    u32 kept = 0;
    const u32 old_slots = 2 * capacity_;
    for (u32 i = 0; i < old_slots; ++i) {
        if (table_[i] == 0) continue;
        u32 any = 0;
        for (u32 word = 0; word < kBlock; ++word) {
            u32& time = times_[index_of(table_[i]) + word];
            time = new_time(time);
            any |= time;
        }
        if (any == 0)
            table_[i] = 0;
        else
            ++kept;
    }
    u64* old_table = table_;
    u32* old_times = times_;
    while (capacity_ < kFewestBlocks || kept > capacity_ / 4 * 3)
        capacity_ = capacity_ == 0 ? kFewestBlocks : 2 * capacity_;
    table_ = zeroed<u64>(usize{2} * capacity_);
    times_ = static_cast<u32*>(rt::allocate(usize{capacity_} * kBlock * sizeof(u32), "memspy.recency"));
    shift_ = 64;
    for (u32 i = 1; i < 2 * capacity_; i *= 2) --shift_;
    blocks_ = 0;
    for (u32 i = 0; i < old_slots; ++i) {
        if (old_table[i] == 0) continue;
        const u64 number = number_of(old_table[i]);
        u64& entry = table_[slot_of(number)];
        entry = entry_of(number, blocks_++);
        __builtin_memcpy(times_ + index_of(entry), old_times + index_of(old_table[i]), kBlock * sizeof(u32));
    }
    if (old_slots != 0) {
        rt::release(old_table);
        rt::release(old_times);
        rt::release(bits_);
    }
    rt::release(before);

    now_ = size_;
    last_time_ = size_ + (size_ * kUsesOfWord > kFewestUses ? size_ * kUsesOfWord : kFewestUses);
    bits_ = zeroed<u64>(last_time_ / 64 + 1);
    for (u32 time = 1; time <= size_; ++time) set(time);
    oldest_ = 1;
    settled_ = size_ + 1;
    marked_ = 0;
    while (size_ >= 1u << marked_ && marked_ <= depth_) {
        marks_[marked_] = size_ + 1 - (1u << marked_);
        ++marked_;
    }
    marks_[marked_] = 0;
    last_number_ = kNone;
    all_bytes += bytes();
}

void Recency::forget() {
    if (capacity_ == 0) return;
    __builtin_memset(table_, 0, usize{2} * capacity_ * sizeof(u64));
    __builtin_memset(bits_, 0, (now_ / 64 + 1) * sizeof(u64));
    blocks_ = size_ = now_ = marked_ = marks_[0] = 0;
    oldest_ = settled_ = 1;
    last_number_ = kNone;
}

Word Recency::word_of(u32 time) const {
    for (u32 i = 0; i < 2 * capacity_; ++i) {
        if (table_[i] == 0) continue;
        for (u32 word = 0; word < kBlock; ++word)
            if (times_[index_of(table_[i]) + word] == time) return number_of(table_[i]) * kBlock + word;
    }
    return 0;
}

void Recency::copy(const Recency& from) {
    clear();
    if (from.capacity_ == 0) return;
    last_number_ = from.last_number_;
    last_ = from.last_;
    now_ = from.now_;
    last_time_ = from.last_time_;
    oldest_ = from.oldest_;
    settled_ = from.settled_;
    capacity_ = from.capacity_;
    times_ = copied(from.times_, usize{capacity_} * kBlock);
    bits_ = copied(from.bits_, last_time_ / 64 + 1);
    table_ = copied(from.table_, usize{2} * capacity_);
    marked_ = from.marked_;
    for (u32 i = 0; i <= kBuckets; ++i) marks_[i] = from.marks_[i];
    shift_ = from.shift_;
    blocks_ = from.blocks_;
    size_ = from.size_;
    depth_ = from.depth_;
    all_bytes += bytes();
}

void Recency::clear() {
    all_bytes -= bytes();
    if (capacity_ != 0) {
        rt::release(table_);
        rt::release(times_);
        rt::release(bits_);
    }
    table_ = nullptr;
    times_ = nullptr;
    bits_ = nullptr;
    capacity_ = blocks_ = size_ = now_ = last_time_ = marked_ = marks_[0] = 0;
    oldest_ = settled_ = 1;
    last_number_ = kNone;
}

}  // namespace memspy::locality
