// SPDX-License-Identifier: GPL-2.0-or-later
//
// The malloc family as the client calls it: blocks from the heap, their bytes' states in the shadow, and the
// errors that a call itself can make.
#pragma once

#include "heap/heap.h"

namespace memspy::client {

// Registers the family with the core; call before command-line processing.
void register_replacement();
// Sets the heap up; call after it.
void start_replacement();

// Whether the program's calls come here: it has the library that says so, which those linked statically have not.
bool is_replaced();

// Events of the heap for an analysis; null ones are not called.
struct HeapListener {
    void (*acquired)(Address begin, usize bytes) = nullptr;  // a chunk of memory for blocks
    void (*released)(const heap::Block& block) = nullptr;    // a block that is about to be freed
};
void listen(const HeapListener& listener);     // at any time
void tell_released(const heap::Block& block);  // for those who free blocks that the client described

// Mistakes of a call itself, for an analysis to judge, with the guest thread that calls; null functions are not
// called.
struct Mistakes {
    // A size that is negative as a signed number; names have static storage.
    void (*fishy_size)(u32 thread, const char* function, const char* argument, i64 size) = nullptr;
    void (*bad_free)(u32 thread, Address payload) = nullptr;  // no block begins there, or none that lives
    void (*mismatched_free)(u32 thread, const heap::Block& block) = nullptr;
    void (*realloc_size_zero)(u32 thread, const heap::Block& block) = nullptr;
};
void judge(const Mistakes& mistakes);

// Marks a block's bytes: its payload Fine or Uninitialised, the rest of its slot Unaddressable.
void mark_allocated(const heap::Block& block, bool defined);

}  // namespace memspy::client
