// SPDX-License-Identifier: GPL-2.0-or-later
#include "heap/foreign.h"

#include <new>

namespace memspy::heap {

bool ForeignIndex::less(const ForeignNode* a, const ForeignNode* b) {
    if (a->payload != b->payload) return a->payload < b->payload;
    if (a->size != b->size) return a->size > b->size;
    return a < b;
}

void ForeignIndex::update(ForeignNode* node) {
    Address highest = node->end();
    if (node->left != nullptr && node->left->highest_end > highest) highest = node->left->highest_end;
    if (node->right != nullptr && node->right->highest_end > highest) highest = node->right->highest_end;
    node->highest_end = highest;
}

// `left` gets the nodes before `key`, `right` the others.
void ForeignIndex::split(ForeignNode* tree, const ForeignNode* key, ForeignNode** left, ForeignNode** right) {
    if (tree == nullptr) {
        *left = *right = nullptr;
    } else if (less(tree, key)) {
        split(tree->right, key, &tree->right, right);
        *left = tree;
        update(tree);
    } else {
        split(tree->left, key, left, &tree->left);
        *right = tree;
        update(tree);
    }
}

ForeignNode* ForeignIndex::merge(ForeignNode* left, ForeignNode* right) {
    if (left == nullptr) return right;
    if (right == nullptr) return left;
    if (left->priority > right->priority) {
        left->right = merge(left->right, right);
        update(left);
        return left;
    }
    right->left = merge(left, right->left);
    update(right);
    return right;
}

ForeignNode* ForeignIndex::unlink(ForeignNode* tree, ForeignNode* node) {
    CHECK(tree != nullptr);
    if (tree == node) return merge(tree->left, tree->right);
    if (less(node, tree))
        tree->left = unlink(tree->left, node);
    else
        tree->right = unlink(tree->right, node);
    update(tree);
    return tree;
}

void ForeignIndex::insert(ForeignNode* node) {
    node->left = node->right = nullptr;
    update(node);
    // Only the path from the first node of lower priority downwards is split.
    ForeignNode** place = &root_;
    while (*place != nullptr && (*place)->priority >= node->priority) {
        if ((*place)->highest_end < node->highest_end) (*place)->highest_end = node->highest_end;
        place = less(*place, node) ? &(*place)->right : &(*place)->left;
    }
    split(*place, node, &node->left, &node->right);
    update(node);
    *place = node;
}

ForeignNode* ForeignIndex::add(const Block& block, usize red_zone) {
    auto* node = new (rt::allocate(sizeof(ForeignNode), "memspy.foreign")) ForeignNode{};
    static_cast<Block&>(*node) = block;
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    node->priority = random_;
    node->red_zone = static_cast<u32>(red_zone);
    if (red_zone > widest_zone_) widest_zone_ = red_zone;
    insert(node);
    return node;
}

void ForeignIndex::remove(ForeignNode* node) {
    root_ = unlink(root_, node);
    rt::release(node);
}

void ForeignIndex::resize(ForeignNode* node, usize size) {
    root_ = unlink(root_, node);
    node->set_size(size);
    insert(node);
}

ForeignNode* ForeignIndex::first_from(Address payload) {
    ForeignNode* best = nullptr;
    for (ForeignNode* tree = root_; tree != nullptr;) {
        if (tree->payload >= payload) {
            best = tree;
            tree = tree->left;
        } else {
            tree = tree->right;
        }
    }
    return best;
}

ForeignNode* ForeignIndex::after(const ForeignNode* node) {
    ForeignNode* best = nullptr;
    for (ForeignNode* tree = root_; tree != nullptr;) {
        if (less(node, tree)) {
            best = tree;
            tree = tree->left;
        } else {
            tree = tree->right;
        }
    }
    return best;
}

void ForeignIndex::release_all(ForeignNode* tree) {
    if (tree == nullptr) return;
    release_all(tree->left);
    release_all(tree->right);
    rt::release(tree);
}

void ForeignIndex::clear() {
    release_all(root_);
    root_ = nullptr;
}

}  // namespace memspy::heap
