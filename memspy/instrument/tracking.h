// SPDX-License-Identifier: GPL-2.0-or-later
//
// What tracking translations call: the analysis that looks at memory and at uses of undefined values gives
// these functions once, at start-up. They run in generated code, with the running thread's state up to date.
#pragma once

#include "rt/base.h"

namespace memspy::instrument {

// The undefined bits of the access at hand, lowest address first, and the allocation that they came from.
// Generated code zeroes it before `load`, reads it after, and fills it before `store`.
struct MemorySlot {
    u64 undefined[4];
    ContextId origin;
};
extern MemorySlot memory_slot;

// Each returns whether the access needed tracking: something invalid or undefined was met.
struct TrackingHooks {
    // Checks a load of `bytes` <= 32, fills the slot.
    bool (*load)(Address a, u64 bytes);
    // Checks a store of `bytes` <= 32 and records the slot's undefined bits.
    bool (*store)(Address a, u64 bytes);
    // The store of an atomic read-modify-write whose load has been checked: records only.
    bool (*update)(Address a, u64 bytes);
    // Any number of bytes, for helpers of the core. slot.undefined[0] != 0 says that any bit was, or is to
    // be, undefined.
    bool (*load_range)(Address a, u64 bytes);
    bool (*store_range)(Address a, u64 bytes);
    // An undefined value decides a branch; forms an address or a jump target of `bytes`.
    void (*use_condition)(ContextId origin);
    void (*use_value)(u64 bytes, ContextId origin);
    // The stack pointer moves to another stack.
    void (*switch_stack)(Address stack_pointer);
};
void set_tracking_hooks(const TrackingHooks& hooks);

}  // namespace memspy::instrument
