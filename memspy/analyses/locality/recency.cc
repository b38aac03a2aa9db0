// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/recency.h"

namespace memspy::locality {

u64 Recency::all_bytes = 0;

u32 Recency::slot_of(Word word) const {
    const u32 mask = 2 * capacity_ - 1;
    u32 slot = home(word);
    while (table_[slot] != kNone && nodes_[table_[slot]].word() != word) slot = (slot + 1) & mask;
    return slot;
}

// Entries behind the hole move into it unless their home lies behind it, so there are no tombstones.
void Recency::erase(u32 hole) {
    const u32 mask = 2 * capacity_ - 1;
    for (u32 slot = (hole + 1) & mask; table_[slot] != kNone; slot = (slot + 1) & mask) {
        const u32 from_home = (slot - home(nodes_[table_[slot]].word())) & mask;
        if (from_home < ((slot - hole) & mask)) continue;
        table_[hole] = table_[slot];
        hole = slot;
    }
    table_[hole] = kNone;
}

// A word of this group, or a new word (`marked_`), is about to move to the front.
void Recency::push_groups_back(u32 group) {
    for (u32 g = 0; g < group; ++g) {
        RecencyNode& last = nodes_[markers_[g]];
        last.set_group(g + 1);
        markers_[g] = last.previous;  // for the head: nothing; markers_[0] is set below
    }
}

void Recency::to_front(u32 node) {
    nodes_[node].next = head_;
    nodes_[head_].previous = node;
    head_ = node;
    markers_[0] = node;
}

u32 Recency::use_other(Word word) {
    if (size_ == capacity_ && size_ < limit()) grow();
    const u32 slot = slot_of(word);
    if (table_[slot] != kNone) {
        const u32 node = table_[slot];
        RecencyNode& used = nodes_[node];
        const u32 group = used.group();
        if (group < marked_ && markers_[group] == node) markers_[group] = used.previous;
        push_groups_back(group);
        nodes_[used.previous].next = used.next;
        if (node == tail_)
            tail_ = used.previous;
        else
            nodes_[used.next].previous = used.previous;
        used.set_group(0);
        to_front(node);
        return group;
    }
    // There may be more words than the limit when it was lowered.
    if (size_ >= limit()) {
        // The last word becomes the new word. Its slot is erased first, because that may move the place for the
        // new word.
        const u32 node = tail_;
        erase(slot_of(nodes_[node].word()));
        push_groups_back(marked_);
        tail_ = nodes_[node].previous;
        nodes_[node].set(word, 0);
        table_[slot_of(word)] = node;
        to_front(node);
        return kFar;
    }
    const u32 node = free_;
    free_ = nodes_[node].next;
    table_[slot] = node;
    push_groups_back(marked_);
    nodes_[node].set(word, 0);
    if (size_ == 0) {
        head_ = tail_ = node;
        markers_[0] = node;
    } else {
        to_front(node);
    }
    ++size_;
    if (size_ == 1u << marked_) markers_[marked_++] = tail_;
    return kFar;
}

void Recency::rehash(u32 capacity) {
    if (capacity == 0) return;
    if (capacity != capacity_ || table_ == nullptr) {
        if (table_ != nullptr) rt::release(table_);
        table_ = static_cast<u32*>(rt::allocate(usize{2} * capacity * sizeof(u32), "memspy.recency"));
        shift_ = 64;
        for (u32 i = 1; i < 2 * capacity; i *= 2) --shift_;
    }
    capacity_ = capacity;
    for (u32 i = 0; i < 2 * capacity; ++i) table_[i] = kNone;
    marked_ = 0;
}

void Recency::grow() {
    constexpr u32 kFirst = 16;
    const u32 old = capacity_, capacity = old == 0 ? kFirst : 2 * old;
    auto* nodes = static_cast<RecencyNode*>(rt::allocate(capacity * sizeof(RecencyNode), "memspy.recency"));
    all_bytes += (capacity - old) * kBytesOfNode;
    for (u32 i = 0; i < old; ++i) nodes[i] = nodes_[i];
    if (nodes_ != nullptr) rt::release(nodes_);
    nodes_ = nodes;
    const u32 marked = marked_;
    rehash(capacity);
    marked_ = marked;
    for (u32 i = 0, at = head_; i < size_; ++i, at = nodes_[at].next) table_[slot_of(nodes_[at].word())] = at;
    for (u32 i = capacity; i-- > old;) give_back(i);
}

// Appends to the list while it is rebuilt.
void Recency::append(u32 node, u32 position) {
    if (position == 0) {
        head_ = node;
    } else {
        nodes_[tail_].next = node;
        nodes_[node].previous = tail_;
    }
    tail_ = node;
    size_ = position + 1;
    nodes_[node].set_group(marked_);
    if (size_ == 1u << marked_) markers_[marked_++] = node;
    table_[slot_of(nodes_[node].word())] = node;
}

void Recency::copy(const Recency& from) {
    clear();
    if (from.capacity_ == 0) return;
    depth_ = from.depth_;
    rehash(from.capacity_);
    nodes_ = static_cast<RecencyNode*>(rt::allocate(capacity_ * sizeof(RecencyNode), "memspy.recency"));
    all_bytes += capacity_ * kBytesOfNode;
    for (u32 i = 0; i < capacity_; ++i) nodes_[i] = from.nodes_[i];
    for (u32 i = 0; i < 2 * capacity_; ++i) table_[i] = from.table_[i];
    size_ = from.size_;
    head_ = from.head_;
    tail_ = from.tail_;
    free_ = from.free_;
    marked_ = from.marked_;
    for (u32 g = 0; g < kBuckets; ++g) markers_[g] = from.markers_[g];
}

void Recency::clear() {
    all_bytes -= capacity_ * kBytesOfNode;
    if (nodes_ != nullptr) rt::release(nodes_);
    if (table_ != nullptr) rt::release(table_);
    nodes_ = nullptr;
    table_ = nullptr;
    capacity_ = size_ = marked_ = 0;
    free_ = kNone;
}

}  // namespace memspy::locality
