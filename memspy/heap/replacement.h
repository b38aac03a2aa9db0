// SPDX-License-Identifier: GPL-2.0-or-later
//
// The malloc family as the client calls it: blocks from the heap, their bytes' states in the shadow, and the
// errors that a call itself can make.
#pragma once

#include "heap/heap.h"

namespace memspy::heap {

// Registers the family with the core; call before command-line processing.
void register_replacement();
// Sets the heap up; call after it.
void start_replacement();

// What an analysis is told of the heap; what is null is not.
struct Listener {
    void (*acquired)(Address begin, usize bytes) = nullptr;  // a chunk of memory for blocks
    void (*released)(const Block& block) = nullptr;          // a block that is about to be freed
};
void listen(const Listener& listener);   // at any time
void tell_released(const Block& block);  // for those who free blocks that the client described

// Marks a block's bytes: its payload Fine or Uninitialised, the rest of its slot Unaddressable.
void mark_allocated(const Block& block, bool defined);

}  // namespace memspy::heap
