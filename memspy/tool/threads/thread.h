// SPDX-License-Identifier: GPL-2.0-or-later
//
// A thread of the client, as analyses identify it.
//
// The core reuses a guest thread id once its thread is gone, and analyses must not confuse the two threads.
// So each thread has a *serial*, 1, 2, … in order of creation, that is never reused, and a *slot*, the
// smallest number from 0 on that no other living thread has: small enough to index arrays and bitmaps. A
// record indexed by slot also stores the serial, to detect that the slot has another thread now.
#pragma once

#include "rt/base.h"

namespace memspy::threads {

struct Thread {
    u32 slot = 0;
    u32 serial = 0;  // 0: no thread

    explicit operator bool() const { return serial != 0; }
    bool operator==(const Thread&) const = default;
};

// A node of the call tree (call_tree.h): the chain of calls that a thread is in. 0 is the root: no calls
// known.
enum class CallPath : u32 { Root = 0 };

}  // namespace memspy::threads
