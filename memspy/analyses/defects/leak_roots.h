// SPDX-License-Identifier: GPL-2.0-or-later
//
// LeakRoots: the memory in which the leak check looks for its first pointers.
//
// That is all client memory that is readable and writable and not the heap's, but for the free part of each
// stack: what stands below the stack pointer and the ABI's red zone of a running thread, and all that a
// thread had in use that has ended while its stack stays mapped.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::defects {

struct RootRange {
    Address begin, end;
};

class LeakRoots {
public:
    // Call while the ending thread's registers can still be asked for.
    void note_thread_exit(u32 thread);

    // Ascending within a mapping. `exiting_thread` is the one that ends the process, or kNoThread.
    rt::Vector<RootRange> ranges(u32 exiting_thread);

    static constexpr u32 kNoThread = 0;  // as VG_INVALID_THREADID

private:
    rt::Vector<RootRange> free_stacks(u32 exiting_thread);

    rt::Vector<RootRange> ended_;  // free parts of ended threads' stacks
};

}  // namespace memspy::defects
