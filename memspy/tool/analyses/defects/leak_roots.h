// SPDX-License-Identifier: GPL-2.0-or-later
//
// LeakRoots: the memory in which the leak check looks for its first pointers.
//
// That is all client memory outside the heap that is readable and writable, except the free part of each
// stack: for a running thread, the memory below its stack pointer and the ABI's red zone; for a thread that
// has ended while its stack stays mapped, everything that it used. The kernel's own pointer counts, too: that
// to a thread's alternate signal stack.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::defects {

struct RootRange {
    Address begin, end;
};

class LeakRoots {
public:
    // Call while the ending thread's registers are still available.
    void note_thread_exit(u32 thread);

    // Ascending within a mapping. `exiting_thread` is the thread that ends the process, or kNoThread.
    rt::Vector<RootRange> ranges(u32 exiting_thread);

    // The alternate signal stacks of the running threads and of the last one that ended; 0 for none.
    rt::Vector<Address> signal_stacks() const;

    static constexpr u32 kNoThread = 0;  // the same as VG_INVALID_THREADID

private:
    rt::Vector<RootRange> free_stacks(u32 exiting_thread);

    rt::Vector<RootRange> ended_;  // free parts of ended threads' stacks
    Address ended_signal_stack_ = 0;
};

}  // namespace memspy::defects
