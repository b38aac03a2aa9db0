// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions whose entries an analysis is told of at once, with the arguments: calls of a run-time that mean
// something to the analysis. All that the thread did before has been passed to the consumers of its log then.
#pragma once

#include "threads/thread.h"

namespace memspy::instrument {

struct EnteredFunction {
    Address function;
    Address stack_pointer;  // the return address is there, or in a register
    Address caller;         // where it returns to
    threads::CallPath path;
    u64 arguments[6];
    // An argument behind those in registers, from 0 on.
    u64 further(u32 number) const;
};

struct EntryHooks {
    bool (*is_hooked)(Address code) = nullptr;  // a function that begins there
    // Returns whether other threads are to run now.
    bool (*entered)(u32 guest_id, const EnteredFunction& call) = nullptr;
};
// For each analysis that wants to know.
void hook_entries(const EntryHooks& hooks);

}  // namespace memspy::instrument
