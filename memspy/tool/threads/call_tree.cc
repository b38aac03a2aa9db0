// SPDX-License-Identifier: GPL-2.0-or-later
#include "threads/call_tree.h"

#include "rt/global.h"
#include "rt/paged_array.h"

namespace memspy::threads {
namespace {

struct CallNode {
    Address return_address;
    Address function;  // what it calls
    u32 parent;
    u32 folded;  // the node that the call belongs to, where that is another one; 0: itself
};

u32 index(CallPath path) { return static_cast<u32>(path); }

// Nodes by number, and by (parent, return address) through a hash table of numbers: open addressing with
// linear probing, at most three quarters full, 0 for empty.
class CallTree {
public:
    u32 size() const { return nodes_.size(); }
    const CallNode& operator[](CallPath path) { return nodes_[index(path)]; }

    bool wants_folding = false, keeps_recursion = false;
    u32 fold_beyond = 0;
    bool folds_recursion() const { return wants_folding && !keeps_recursion && nodes_.size() > fold_beyond; }

    CallPath child(CallPath parent, Address return_address, Address callee) {
        if (nodes_.size() == 0) nodes_.push_back(CallNode{});
        if ((nodes_.size() + 1) * 4 > capacity_ * 3) grow();
        const u32 slot = slot_of(index(parent), return_address);
        if (slots_[slot] == 0) {
            if (nodes_.size() >= (folds_recursion() ? kMostFoldedNodes : kMostNodes)) return parent;
            const Address function = callee != 0 ? callee : return_address;
            slots_[slot] = nodes_.push_back(CallNode{.return_address = return_address,
                                                     .function = function,
                                                     .parent = index(parent),
                                                     .folded = folded(index(parent), function)});
        }
        const u32 other = nodes_[slots_[slot]].folded;
        return CallPath{other != 0 ? other : slots_[slot]};
    }

private:
    // The call of the function among the chain's; 0: none.
    u32 folded(u32 chain, Address function) {
        if (!folds_recursion()) return 0;
        while (chain != 0 && nodes_[chain].function != function) chain = nodes_[chain].parent;
        return chain;
    }
    u32 slot_of(u32 parent, Address return_address) {
        constexpr u64 kGolden = 0x9E3779B97F4A7C15u;
        const u64 key = (return_address ^ parent * kGolden) * kGolden;
        u32 slot = static_cast<u32>(key >> 32) & (capacity_ - 1);
        while (slots_[slot] != 0) {
            const CallNode& node = nodes_[slots_[slot]];
            if (node.return_address == return_address && node.parent == parent) break;
            slot = (slot + 1) & (capacity_ - 1);
        }
        return slot;
    }
    void grow() {
        if (slots_ != nullptr) rt::release(slots_);
        capacity_ = capacity_ == 0 ? 1024 : 2 * capacity_;
        slots_ = static_cast<u32*>(rt::allocate(capacity_ * sizeof(u32), "memspy.call_tree"));
        for (u32 i = 0; i < capacity_; ++i) slots_[i] = 0;
        for (u32 number = 1; number < nodes_.size(); ++number)
            slots_[slot_of(nodes_[number].parent, nodes_[number].return_address)] = number;
    }

    rt::PagedArray<CallNode, 16 * 1024> nodes_;
    u32* slots_ = nullptr;
    u32 capacity_ = 0;
};

rt::Global<CallTree> tree;

}  // namespace

CallPath child_of(CallPath parent, Address return_address, Address callee) {
    return tree->child(parent, return_address, callee);
}

void fold_recursion(u32 beyond) {
    if (!tree->wants_folding || beyond < tree->fold_beyond) tree->fold_beyond = beyond;
    tree->wants_folding = true;
}

void keep_recursion() { tree->keeps_recursion = true; }

CallPath parent_of(CallPath path) { return path == CallPath::Root ? path : CallPath{(*tree)[path].parent}; }

u32 return_addresses(CallPath path, Address* addresses, u32 most) {
    u32 count = 0;
    for (; path != CallPath::Root && count < most; path = parent_of(path))
        addresses[count++] = (*tree)[path].return_address;
    return count;
}

u32 call_tree_size() { return tree->size(); }

}  // namespace memspy::threads
