// SPDX-License-Identifier: GPL-2.0-or-later
//
// The call tree: each chain of calls that happened is a node, identified by its parent and the return address
// of its last call. Nodes are created once and never removed. No Valgrind here.
//
// Recursion makes a node for each level: a sort, a compiler or an interpreter soon has millions, and each call
// then waits for memory. With folded recursion a function that is called below itself has the node of its
// first call (Ammons, Ball and Larus 1997), so that no chain is longer than the program has functions. A
// function is known by its address where the call has one in its code, and otherwise by the call.
#pragma once

#include "threads/thread.h"

namespace memspy::threads {

// The node for a call from `parent` that returns to `return_address`. Returns `parent` if there are already
// kMostNodes nodes. `callee`: of a call with a fixed target.
CallPath child_of(CallPath parent, Address return_address, Address callee = 0);
// For nodes made from here on, once there are `beyond`. At most kMostFoldedNodes are made then.
void fold_recursion(u32 beyond = 0);
// Whoever asks for it, recursion is not folded: for those who follow one call by is_below() while it lasts, for
// what it calls may stand in a node above it otherwise.
void keep_recursion();
CallPath parent_of(CallPath path);
// Nodes are numbered in order of creation, so a caller has a smaller number than its callees.
inline bool is_below(CallPath path, CallPath caller) {
    while (static_cast<u32>(path) > static_cast<u32>(caller)) path = parent_of(path);
    return path == caller;
}
inline constexpr u32 kMostNodes = u32{1} << 24, kMostFoldedNodes = u32{1} << 20;

// The return addresses of the calls, innermost first, at most `most`. Returns their number.
u32 return_addresses(CallPath path, Address* addresses, u32 most);

u32 call_tree_size();

}  // namespace memspy::threads
