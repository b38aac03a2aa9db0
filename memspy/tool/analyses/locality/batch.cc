// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/batch.h"

namespace memspy::locality {

void AccessBatch::number_words() {
    u32 bits = 3;
    while ((1u << bits) < 2 * size_) ++bits;
    __builtin_memset(table_, 0, sizeof(u16) << bits);
    words_ = 0;
    for (u32 i = 0; i < size_; ++i) {
        const Word word = accesses_[i];
        auto slot = static_cast<u32>(word * 0x9E3779B97F4A7C15u >> (64 - bits));
        while (table_[slot] != 0 && by_number_[table_[slot] - 1] != word)
            slot = (slot + 1) & ((1u << bits) - 1);
        if (table_[slot] == 0) {
            by_number_[words_] = word;
            table_[slot] = static_cast<u16>(++words_);
        }
        numbers_[i] = static_cast<WordNumber>(table_[slot] - 1);
    }
}

void Passage::read(const WordNumber* numbers, u32 count, bool sampled) {
    __builtin_memset(reuses_, 0, sizeof reuses_);
    __builtin_memset(latest_, 0, (count + kGroup - 1) / kGroup * sizeof(u64));
    words_ = on_border_ = 0;
    u32 at_once = 0;
    for (u32 i = 0; i < count; ++i) {
        const WordNumber number = numbers[i];
        if (i != 0 && number == numbers[i - 1]) {
            // The order remains.
            ++at_once;
            continue;
        }
        u64& group = latest_[i / kGroup];
        u16& position = position_[number];
        if (position == 0) {
            first_[words_++] = number;
        } else {
            const u32 before = position - 1u;
            u64& old = latest_[before / kGroup];
            old &= ~(u64{1} << before % kGroup);
            u32 others = Recency::count_bits(old >> before % kGroup);
            for (u32 between = before / kGroup + 1; between <= i / kGroup; ++between)
                others += Recency::count_bits(latest_[between]);
            ++reuses_[sampled ? Recency::estimated_bucket_of(others) : bucket_of(others)];
            on_border_ += sampled && Recency::is_on_border(others) ? 1 : 0;
        }
        position = static_cast<u16>(i + 1);
        group |= u64{1} << i % kGroup;
    }
    reuses_[0] += at_once;
    u32 found = 0;
    for (u32 i = 0; i < (count + kGroup - 1) / kGroup; ++i)
        for (u64 bits = latest_[i]; bits != 0; bits &= bits - 1)
            last_[found++] = numbers[i * kGroup + static_cast<u32>(__builtin_ctzll(bits))];
    for (u32 i = 0; i < words_; ++i) position_[first_[i]] = 0;
}

}  // namespace memspy::locality
