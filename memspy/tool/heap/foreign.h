// SPDX-License-Identifier: GPL-2.0-or-later
//
// ForeignIndex: the blocks that the client describes by requests, by address. They may be nested (a pool in a
// heap block, elements in the pool) and overlap in any way, because the client's requests cannot be checked.
//
// A treap ordered by payload address, with outer blocks before inner ones that start at the same place. Each
// node knows the highest end in its subtree, so that the blocks around an address are found in O(log n +
// hits). Only heap.cc uses it.
#pragma once

#include "heap/block.h"

namespace memspy::heap {

struct ForeignNode : Block {
    ForeignNode* left;
    ForeignNode* right;
    Address highest_end;  // of this subtree, red zones included
    ForeignNode* older;   // neighbours in the queue of freed nodes
    ForeignNode* newer;
    u32 priority;
    u32 red_zone;

    Address end() const { return payload + size + red_zone; }
};

class ForeignIndex {
public:
    bool empty() const { return root_ == nullptr; }
    ForeignNode* add(const Block& block, usize red_zone);
    void remove(ForeignNode* node);  // and frees it
    void resize(ForeignNode* node, usize size);

    // The first node in order with this payload that `wanted` accepts, or nullptr.
    template <typename F>
    ForeignNode* find(Address payload, F&& wanted) {
        ForeignNode* node = first_from(payload);
        while (node != nullptr && node->payload == payload && !wanted(*node)) node = after(node);
        return node != nullptr && node->payload == payload ? node : nullptr;
    }
    // Calls f(node) for each node with a byte, including red zones, in [begin, end), until f returns true.
    template <typename F>
    void for_overlapping(Address begin, Address end, F&& f) {
        overlapping(root_, begin, end, f);
    }
    ForeignNode* first() { return first_from(0); }
    ForeignNode* after(const ForeignNode* node);  // the next in order, or nullptr

    void clear();

private:
    static bool less(const ForeignNode* a, const ForeignNode* b);
    static void update(ForeignNode* node);
    static void split(ForeignNode* tree, const ForeignNode* key, ForeignNode** left, ForeignNode** right);
    static ForeignNode* merge(ForeignNode* left, ForeignNode* right);
    static ForeignNode* unlink(ForeignNode* tree, ForeignNode* node);
    static void release_all(ForeignNode* tree);
    ForeignNode* first_from(Address payload);
    void insert(ForeignNode* node);

    template <typename F>
    bool overlapping(ForeignNode* tree, Address begin, Address end, F& f) {
        if (tree == nullptr || tree->highest_end <= begin) return false;
        if (overlapping(tree->left, begin, end, f)) return true;
        if (tree->end() > begin && tree->payload - tree->red_zone < end && f(*tree)) return true;
        // Further right payloads are higher, but a red zone may still reach down.
        return tree->payload < end + widest_zone_ && overlapping(tree->right, begin, end, f);
    }

    ForeignNode* root_ = nullptr;
    usize widest_zone_ = 0;
    u32 random_ = 0x9E3779B9u;
};

}  // namespace memspy::heap
