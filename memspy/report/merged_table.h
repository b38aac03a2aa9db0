// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records of one kind from several files, folded if they describe the same thing.
//
// Two records of one file stay two, even if they could not be distinguished in another file (a module that is
// loaded twice, one line of each of a thousand equal blocks): the n-th of a key in one file is folded with
// the n-th of that key in the others. So a table is a sum of functions from (key, n) to counts. The result is
// the same for any order and grouping of files, and one file is its own sum.
//
// Requires for the record type R: hash_of_key(R), same_key(R, R) and fold(R& into, const R& from).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "report/fields.h"

namespace memspy::report {

template <typename R>
class MergedTable {
public:
    // The index of the entry that `record` became part of; indices count from 0. `file` increases with each
    // file.
    u32 add(const R& record, u32 file) {
        const u64 hash = hash_of_key(record);
        if (2 * (heads_ + 1) > slots_.size()) grow();
        u32& slot = find(record, hash);
        if (slot == kNone) {
            slot = append(record, hash, 0);
            ++heads_;
            entries_[slot].file = file;
            return slot;
        }
        MergedEntry& head = entries_[slot];
        if (head.file != file) {
            head.file = file;
            head.cursor = slot;
            fold(head.record, record);
            return slot;
        }
        const u32 last = head.cursor;
        if (const u32 next = entries_[last].next; next != kNone) {
            fold(entries_[next].record, record);
            return head.cursor = next;
        }
        const u32 added = append(record, hash, entries_[last].ordinal + 1);
        entries_[last].next = added;
        return head.cursor = added;
    }

    std::size_t size() const { return entries_.size(); }
    R& operator[](std::size_t index) { return entries_[index].record; }
    const R& operator[](std::size_t index) const { return entries_[index].record; }

    // All indices, in an order that depends only on the keys; `before(R, R)` compares keys.
    template <typename F>
    std::vector<u32> ordered(F&& before) const {
        std::vector<u32> indices = in_order_of_arrival();
        std::sort(indices.begin(), indices.end(), [&](u32 left, u32 right) {
            const MergedEntry &a = entries_[left], &b = entries_[right];
            if (before(a.record, b.record)) return true;
            if (before(b.record, a.record)) return false;
            return a.ordinal < b.ordinal;
        });
        return indices;
    }
    std::vector<u32> in_order_of_arrival() const {
        std::vector<u32> indices(entries_.size());
        for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<u32>(i);
        return indices;
    }

private:
    static constexpr u32 kNone = ~u32{0};

    // The entries of one key are a chain. Its head also has the position of the present file.
    struct MergedEntry {
        R record;
        u64 hash;
        u32 ordinal;
        u32 next = kNone;
        u32 cursor = kNone;
        u32 file = 0;
    };

    u32 append(const R& record, u64 hash, u32 ordinal) {
        const u32 index = static_cast<u32>(entries_.size());
        entries_.push_back({record, hash, ordinal});
        entries_.back().cursor = index;
        return index;
    }

    // The slot of the key's head, or the empty slot for it.
    u32& find(const R& record, u64 hash) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
            u32& slot = slots_[at];
            if (slot == kNone) return slot;
            const MergedEntry& entry = entries_[slot];
            if (entry.hash == hash && same_key(entry.record, record)) return slot;
        }
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kNone);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].ordinal != 0) continue;
            std::size_t at = entries_[i].hash & mask;
            while (slots_[at] != kNone) at = (at + 1) & mask;
            slots_[at] = static_cast<u32>(i);
        }
    }

    std::deque<MergedEntry> entries_;  // never moves its entries, and does not need twice the memory to grow
    std::vector<u32> slots_;
    std::size_t heads_ = 0;
};

}  // namespace memspy::report
