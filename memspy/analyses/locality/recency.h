// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recency: the words of a stream in order of their last use, the latest first. The position of a word in that
// order when it is used again is its reuse distance.
//
// The order is a doubly linked list. Walking it from the front would cost as many steps as the distance, but
// only the power of two of the distance is needed. So each word knows its *group* (the bucket of its
// position, see scores.h), and a marker is at each position 2^g, the last of group g. A word of group g that
// moves to the front pushes all words before it back by one place: in each group before g the marked word
// becomes the first of the next group, and the one before it gets the marker. A use costs one lookup in a
// hash table and as many steps as the word's group, whatever the distance.
//
// Invariants: position(markers_[g]) == 2^g while there are that many words; group(node) is the least g with
// position(node) <= 2^g. With a limit of 2^depth words the last word is forgotten when one more comes. Its
// next use counts as far, which makes no difference to smaller distances.
//
// A word takes 24 bytes, up to 48 just after the list grew. Words are below 2^56.
#pragma once

#include "analyses/locality/scores.h"

namespace memspy::locality {

class Recency {
public:
    static constexpr u32 kFar = kBuckets;  // the bucket of a first use

    Recency() = default;
    Recency(const Recency&) = delete;
    Recency& operator=(const Recency&) = delete;
    ~Recency() { clear(); }

    // At most 2^depth words, depth < kBuckets. Call before the first use.
    void limit(u32 depth) { depth_ = depth; }
    // Returns the bucket of the distance since the word's last use, or kFar. The word is the latest
    // afterwards.
    u32 use(Word word) {
        if (size_ != 0 && nodes_[head_].word() == word) return 0;
        return use_other(word);
    }
    u32 size() const { return size_; }
    u32 limit() const { return 1u << depth_; }
    static u64 bytes_of_all() { return all_bytes; }
    // Forgets the words for which `keep(word)` is false; the others keep their order.
    template <typename F>
    void sift(F keep) {
        u32 kept = 0;
        rehash(capacity_);
        const u32 first = head_, count = size_;
        size_ = 0;
        for (u32 i = 0, at = first; i < count; ++i) {
            const u32 next = nodes_[at].next;
            if (keep(nodes_[at].word()))
                append(at, kept++);
            else
                give_back(at);
            at = next;
        }
    }
    void forget() {
        sift([](Word) { return false; });
    }
    void clear();  // also frees its memory
    void copy(const Recency& from);
    // For tests: calls f(word, group), the latest first.
    template <typename F>
    void for_each(F f) const {
        for (u32 i = 0, at = head_; i < size_; ++i, at = nodes_[at].next)
            f(nodes_[at].word(), nodes_[at].group());
    }

private:
    struct RecencyNode {
        u64 word_and_group;
        u32 previous, next;

        Word word() const { return word_and_group >> 8; }
        u32 group() const { return word_and_group & 0xFF; }
        void set(Word word, u32 group) { word_and_group = word << 8 | group; }
        void set_group(u32 group) { word_and_group = (word_and_group & ~u64{0xFF}) | group; }
    };
    static_assert(sizeof(RecencyNode) == 16);
    static constexpr usize kBytesOfNode = sizeof(RecencyNode) + 2 * sizeof(u32);
    static u64 all_bytes;

    u32 use_other(Word word);
    u32 home(Word word) const { return static_cast<u32>((word * 0x9E3779B97F4A7C15u) >> shift_); }
    u32 slot_of(Word word) const;  // the word's place in the table, or the place for it
    void erase(u32 slot);
    void push_groups_back(u32 group);
    void to_front(u32 node);
    void grow();
    void rehash(u32 capacity);  // an empty table for `capacity` nodes
    void append(u32 node, u32 position);
    void give_back(u32 node) {
        nodes_[node].next = free_;
        free_ = node;
    }

    static constexpr u32 kNone = ~u32{0};
    RecencyNode* nodes_ = nullptr;
    u32* table_ = nullptr;  // twice as many as nodes: node or kNone
    u32 capacity_ = 0;      // of nodes, a power of two
    u32 shift_ = 0;
    u32 size_ = 0;
    u32 head_ = 0, tail_ = 0;
    u32 free_ = kNone;
    u32 depth_ = kSteps;
    u32 marked_ = 0;  // number of markers
    u32 markers_[kBuckets] = {};
};

}  // namespace memspy::locality
