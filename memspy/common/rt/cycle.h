// SPDX-License-Identifier: GPL-2.0-or-later
//
// A cycle in a graph in which each node has at most one edge.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

// `next(node)` is the node behind it, or -1. Calls `found(node)` for each node of the cycle that is reached
// from the lowest node possible, in its order, the lowest one first; for none if there is no cycle.
template <typename Next, typename Found>
void find_cycle(i32 nodes, Next&& next, Found&& found) {
    for (i32 start = 0; start < nodes; ++start) {
        i32 at = start;
        for (i32 steps = 0; steps < nodes && at >= 0; ++steps) at = next(at);
        if (at < 0) continue;
        i32 least = at;
        for (i32 node = next(at); node != at; node = next(node))
            if (node < least) least = node;
        found(least);
        for (i32 node = next(least); node != least; node = next(node)) found(node);
        return;
    }
}

}  // namespace memspy::rt
