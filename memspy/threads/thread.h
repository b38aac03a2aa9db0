// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread of the client, as analyses name it.
//
// The core uses a guest thread id again once its thread is gone; analyses must not take the two for one. So
// each thread has a *serial*, 1, 2, … in order of creation, that is never used again, and a *slot*, the
// smallest number from 0 that no other living thread has: small enough to index arrays and bitmaps with. A
// record indexed by slot keeps the serial beside it to see whether it speaks of the thread that has the slot
// now.
#pragma once

#include "rt/base.h"

namespace memspy::threads {

struct Thread {
    u32 slot = 0;
    u32 serial = 0;  // 0: no thread

    explicit operator bool() const { return serial != 0; }
    bool operator==(const Thread&) const = default;
};

// A node of the call tree (call_tree.h): the chain of calls that a thread is in. 0 is the root: nothing
// known.
enum class CallPath : u32 { Root = 0 };

}  // namespace memspy::threads
