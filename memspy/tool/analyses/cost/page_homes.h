// SPDX-License-Identifier: GPL-2.0-or-later
//
// Homes of pages: the node whose memory a page gets when it is first touched. As in the kernel, the policy of
// its range decides (mbind), else that of the thread (set_mempolicy), else it is the thread's node.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::cost {

struct NodePolicy {
    enum class PolicyMode : u8 { Local, Bind, Interleave };
    PolicyMode mode = PolicyMode::Local;
    u64 nodes = 0;  // a bit for each
};

// All zeros is one without pages. Pages go by their number.
class PageHomes {
public:
    void start(u32 nodes) { nodes_ = nodes; }
    void clear();

    const u8* find(u64 page) { return homes_.find(page); }
    // A thread of `node` touches the page. Returns true if it is the first.
    bool touch(u64 page, u32 thread, u32 node);
    // [first, last) is no longer the program's.
    void forget(u64 first, u64 last);

    void set_policy(u32 thread, const NodePolicy& policy);
    // `move`: the pages that are there already follow it.
    void set_policy(u64 first, u64 last, const NodePolicy& policy, bool move);

private:
    struct RangePolicy {
        u64 first, last;
        NodePolicy policy;
    };
    struct ThreadPolicy {
        NodePolicy policy;
        u32 turn;
    };
    u32 home_of(u64 page, u32 thread, u32 node);
    u32 chosen(const NodePolicy& policy, u64 turn, u32 node) const;
    void drop_policies(u64 first, u64 last);
    template <typename F>
    void for_each_home(u64 first, u64 last, F f);

    u32 nodes_ = 1;
    rt::HashMap<u8> homes_;
    rt::Vector<RangePolicy> ranges_;  // apart
    rt::Vector<ThreadPolicy> threads_;
};

}  // namespace memspy::cost
