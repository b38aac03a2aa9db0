// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core's events on memory and registers that the kernel reads and writes, and on mappings that move: the
// states of their bytes in the shadow, and the ranges for threads' listeners.
#pragma once

#include "vg/vg.h"

namespace memspy::client {

// Registers them with the core, which takes one callback of each kind.
void register_system_calls();

// What the kernel is about to read and write, for an analysis to judge; `parameter` names the argument of the
// system call, such as write(buf), and has static storage. Not called while instrumentation is off. Null
// functions are not called.
struct KernelAccesses {
    void (*reads)(CorePart part, ThreadId thread, const HChar* parameter, Address begin,
                  usize bytes) = nullptr;
    void (*reads_string)(ThreadId thread, const HChar* parameter, Address begin) = nullptr;
    void (*writes)(ThreadId thread, const HChar* parameter, Address begin, usize bytes) = nullptr;
    // Of the guest state, a system call's argument.
    void (*reads_register)(ThreadId thread, const HChar* parameter, PtrdiffT offset, usize bytes) = nullptr;
};
void judge(const KernelAccesses& judge);

}  // namespace memspy::client
