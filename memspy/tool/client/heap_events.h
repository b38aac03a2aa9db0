// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events of the client's heap: who listens, and who tells.
#pragma once

#include "heap/heap.h"

namespace memspy::client {

// Events of the heap for an analysis; null ones are not called.
struct HeapListener {
    // A chunk of memory for blocks. With the program's own allocator: the memory of a block, before the block
    // is there.
    void (*acquired)(Address begin, usize bytes) = nullptr;
    void (*reused)(const heap::Block& block) = nullptr;  // a block of memspy's heap where others have been
    void (*allocated)(const heap::Block& block) =
        nullptr;  // a new block, of whichever allocator; not realloc's
    // realloc made `to` of `from`, which is released next.
    void (*resized)(const heap::Block& from, const heap::Block& to) = nullptr;
    void (*released)(const heap::Block& block) = nullptr;  // a block about to be freed
};
void listen(const HeapListener& listener);  // call at any time
void tell_acquired(Address begin, usize bytes);
void tell_allocated(const heap::Block& block);  // for callers that make such blocks
void tell_released(const heap::Block& block);   // for callers that free blocks which the client described
void tell_reused(const heap::Block& block);
void tell_resized(const heap::Block& from, const heap::Block& to);

}  // namespace memspy::client
