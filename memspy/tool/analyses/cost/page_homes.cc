// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/page_homes.h"

namespace memspy::cost {

void PageHomes::clear() {
    homes_.clear();
    ranges_.clear();
    threads_.clear();
}

// Nodes that the machine does not have are ignored. If a thread is bound to several nodes, its own is the
// nearest.
u32 PageHomes::chosen(const NodePolicy& policy, u64 turn, u32 node) const {
    const u64 nodes = nodes_ >= 64 ? policy.nodes : policy.nodes & ((u64{1} << nodes_) - 1);
    if (policy.mode == NodePolicy::PolicyMode::Local || nodes == 0) return node;
    if (policy.mode == NodePolicy::PolicyMode::Bind && (nodes >> node & 1) != 0) return node;
    u64 left = policy.mode == NodePolicy::PolicyMode::Interleave
                   ? turn % static_cast<u64>(__builtin_popcountll(nodes))
                   : 0;
    u64 rest = nodes;
    for (; left > 0; --left) rest &= rest - 1;
    return static_cast<u32>(__builtin_ctzll(rest));
}

u32 PageHomes::home_of(u64 page, u32 thread, u32 node) {
    for (const RangePolicy& range : ranges_)
        if (page >= range.first && page < range.last) return chosen(range.policy, page, node);
    if (thread >= threads_.size()) return node;
    ThreadPolicy& own = threads_[thread];
    return chosen(own.policy, own.turn++, node);
}

bool PageHomes::touch(u64 page, u32 thread, u32 node) {
    if (homes_.find(page) != nullptr) return false;
    homes_[page] = static_cast<u8>(home_of(page, thread, node));
    return true;
}

template <typename F>
void PageHomes::for_each_home(u64 first, u64 last, F f) {
    if (last - first > homes_.size()) {
        homes_.for_each([&](u64 page, u8& home) {
            if (page >= first && page < last) f(page, home);
        });
        return;
    }
    for (u64 page = first; page < last; ++page)
        if (u8* const home = homes_.find(page)) f(page, *home);
}

void PageHomes::forget(u64 first, u64 last) {
    rt::Vector<u64> gone;
    for_each_home(first, last, [&](u64 page, u8&) { gone.push_back(page); });
    for (const u64 page : gone) homes_.erase(page);
    drop_policies(first, last);
}

void PageHomes::drop_policies(u64 first, u64 last) {
    for (usize i = 0; i < ranges_.size();) {
        RangePolicy& range = ranges_[i];
        if (range.last <= first || range.first >= last) {
            ++i;
            continue;
        }
        const RangePolicy whole = range;
        range = ranges_.back();
        ranges_.pop_back();
        if (whole.first < first) ranges_.push_back({whole.first, first, whole.policy});
        if (whole.last > last) ranges_.push_back({last, whole.last, whole.policy});
    }
}

void PageHomes::set_policy(u32 thread, const NodePolicy& policy) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    threads_[thread] = {policy, 0};
}

void PageHomes::set_policy(u64 first, u64 last, const NodePolicy& policy, bool move) {
    drop_policies(first, last);
    if (policy.mode == NodePolicy::PolicyMode::Local) return;
    ranges_.push_back({first, last, policy});
    if (!move) return;
    for_each_home(first, last,
                  [&](u64 page, u8& home) { home = static_cast<u8>(chosen(policy, page, home)); });
}

}  // namespace memspy::cost
