// SPDX-License-Identifier: GPL-2.0-or-later
//
// The client's malloc family: blocks from the heap, their bytes' states in the shadow, and the errors that a
// call itself can make.
#pragma once

#include "client/heap_events.h"

namespace memspy::client {

// Registers the family with the core; call before command-line processing.
void register_replacement();
// Sets the heap up. Call after the command line has been read.
void start_replacement();

// Whether the program's calls are redirected to here: its library says so when it is loaded, and statically
// linked programs have none.
bool is_replaced();

// Mistakes of a call itself, reported to an analysis with the calling guest thread; null functions are not
// called.
struct Mistakes {
    // A size that is negative if it is taken as signed; names have static storage.
    void (*fishy_size)(u32 thread, const char* function, const char* argument, i64 size) = nullptr;
    void (*bad_free)(u32 thread, Address payload) = nullptr;  // no block, or no living block, begins there
    void (*mismatched_free)(u32 thread, const heap::Block& block) = nullptr;
    void (*realloc_size_zero)(u32 thread, const heap::Block& block) = nullptr;
};
void judge(const Mistakes& mistakes);

// Frees a live block as functions of `expected` do: a mismatch where another kind allocated it.
void free_as(u32 thread, heap::Block& block, heap::AllocKind expected);

// The thread's stack, for a block that it allocates or frees; None where --keep-stacktraces wants none.
ContextId stack_of_allocation(u32 thread);
ContextId stack_of_free(u32 thread);
// Call when a block was freed: forgets where it was allocated where --keep-stacktraces says so.
void forget_allocation(heap::Block& block);

// Marks a block's bytes: its payload Fine or Uninitialised, the rest of its slot Unaddressable.
void mark_allocated(const heap::Block& block, bool defined);

}  // namespace memspy::client
