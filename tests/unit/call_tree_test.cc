// SPDX-License-Identifier: GPL-2.0-or-later
//
// The call tree stores each chain of calls once, returns its return addresses, and does not grow past its
// limit.
#include "threads/call_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace memspy::threads {
namespace {

// The root has no calls and no parent.
TEST(CallTree, Root) {
    EXPECT_EQ(parent_of(CallPath::Root), CallPath::Root);
    Address addresses[4];
    EXPECT_EQ(return_addresses(CallPath::Root, addresses, 4), 0u);
}

// One node for each chain: the same call from another place is another node, the same chain again the same
// node.
TEST(CallTree, Nodes) {
    const CallPath a = child_of(CallPath::Root, 0x10), b = child_of(CallPath::Root, 0x20);
    const CallPath ab = child_of(a, 0x20), ba = child_of(b, 0x10);
    EXPECT_NE(a, b);
    EXPECT_NE(ab, b);
    EXPECT_NE(ab, ba);
    EXPECT_EQ(child_of(a, 0x20), ab);
    EXPECT_EQ(child_of(CallPath::Root, 0x10), a);
    EXPECT_EQ(parent_of(ab), a);
    EXPECT_EQ(parent_of(a), CallPath::Root);
    // Recursion makes a node for each level.
    const CallPath again = child_of(a, 0x10);
    EXPECT_NE(again, a);
    EXPECT_EQ(parent_of(again), a);
}

// Innermost first, and at most the requested number.
TEST(CallTree, ReturnAddresses) {
    CallPath path = CallPath::Root;
    for (Address a = 1; a <= 5; ++a) path = child_of(path, a * 0x100);
    Address addresses[8] = {};
    ASSERT_EQ(return_addresses(path, addresses, 8), 5u);
    for (u32 i = 0; i < 5; ++i) EXPECT_EQ(addresses[i], (5 - i) * 0x100u);
    Address few[3] = {0, 0, 77};
    ASSERT_EQ(return_addresses(path, few, 2), 2u);
    EXPECT_EQ(few[0], 0x500u);
    EXPECT_EQ(few[1], 0x400u);
    EXPECT_EQ(few[2], 77u) << "wrote behind the room";
}

// Random chains against a map of chains, over many growths of the table.
TEST(CallTree, RandomChains) {
    std::mt19937 random(1);
    std::map<std::vector<Address>, CallPath> known;
    std::map<u32, std::vector<Address>> chains;
    for (u32 i = 0; i < 60'000; ++i) {
        std::vector<Address> chain;
        CallPath path = CallPath::Root;
        for (u32 depth = static_cast<u32>(random() % 12); depth > 0; --depth) {
            // Includes far addresses, as in libraries, that differ only in their upper halves.
            const Address a = (random() % 2 == 0 ? 0x400000 : 0x7f0000400000) + random() % 5;
            chain.push_back(a);
            path = child_of(path, a);
        }
        const auto [at, is_new] = known.emplace(chain, path);
        ASSERT_EQ(at->second, path);
        if (path != CallPath::Root) {
            ASSERT_EQ(chains.emplace(static_cast<u32>(path), chain).first->second, chain);
        }
    }
    EXPECT_GT(known.size(), 20'000u);
    for (const auto& [number, chain] : chains) {
        Address addresses[12];
        ASSERT_EQ(return_addresses(CallPath{number}, addresses, 12), chain.size());
        for (usize i = 0; i < chain.size(); ++i) ASSERT_EQ(addresses[i], chain[chain.size() - 1 - i]);
    }
}

// Recursion is not folded before the tree has as many nodes as was said.
TEST(CallTree, FoldedBeyond) {
    constexpr Address kWalk = 0x8000;
    CallPath walk = child_of(CallPath::Root, 0x5000, kWalk);
    fold_recursion(call_tree_size() + 2);
    for (int level = 0; level < 3; ++level) {
        const CallPath next = child_of(walk, 0x8010, kWalk);
        ASSERT_EQ(parent_of(next), walk) << level;
        ASSERT_NE(next, walk) << level;
        walk = next;
    }
    EXPECT_EQ(child_of(walk, 0x8010, kWalk), walk);
}

// With folded recursion a function has one node in a chain, whoever calls it, and what it calls then is below that. Later tests
// cannot depend on recursion.
TEST(CallTree, FoldedRecursion) {
    fold_recursion();
    constexpr Address kSort = 0x9000, kCompare = 0x9100;
    const CallPath sort = child_of(CallPath::Root, 0x5010, kSort);
    EXPECT_EQ(child_of(sort, 0x9010, kSort), sort);
    EXPECT_EQ(child_of(sort, 0x9010, kSort), sort) << "the second time, too";
    const CallPath compare = child_of(sort, 0x9020, kCompare);
    EXPECT_NE(compare, sort);
    EXPECT_EQ(parent_of(compare), sort);
    EXPECT_EQ(child_of(compare, 0x9110, kSort), sort);
    // Another call of the same function from the same caller is another chain.
    EXPECT_NE(child_of(sort, 0x9030, kCompare), compare);
    // Calls without a fixed target are told by the call alone.
    const CallPath called = child_of(sort, 0x9040);
    EXPECT_EQ(child_of(called, 0x9040), called);
    EXPECT_NE(child_of(called, 0x9050), called);
}


// When all nodes are used the tree stays as it is: a new call has its caller's path, known ones have their
// own.
TEST(CallTree, Limit) {
    const CallPath known = child_of(CallPath::Root, 0x123456);
    CallPath last = CallPath::Root;
    for (u64 i = 0; call_tree_size() < kMostFoldedNodes; ++i) last = child_of(CallPath::Root, 0x10000000 + i);
    EXPECT_EQ(call_tree_size(), kMostFoldedNodes);
    EXPECT_NE(last, CallPath::Root);
    EXPECT_EQ(child_of(known, 0x42424242), known);
    EXPECT_EQ(child_of(CallPath::Root, 0x42424242), CallPath::Root);
    EXPECT_EQ(child_of(CallPath::Root, 0x123456), known);
    EXPECT_EQ(call_tree_size(), kMostFoldedNodes);
}

}  // namespace
}  // namespace memspy::threads
