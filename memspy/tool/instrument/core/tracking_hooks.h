// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions that tracking translations and trip sites call. The analysis that checks memory and uses of
// undefined values sets them once, at start-up. They are called from generated code, with the running
// thread's state up to date.
#pragma once

#include "rt/base.h"

namespace memspy::instrument {

// The undefined bits of the present access, lowest address first, and the allocation that they came from.
// Generated code zeroes the slot before `load`, reads it afterwards, and fills it before `store`.
struct MemorySlot {
    u64 undefined[4];
    ContextId origin;
};
extern MemorySlot memory_slot;

// Those for accesses return true if the access needed tracking because it met something invalid or undefined.
struct TrackingHooks {
    // A fast translation has found states that are not fine in up to 32 bytes from `a`. Returns true if it
    // should look again, because they had no shadow of their own, or stood behind the end of a leaf of the
    // shadow.
    bool (*prepare)(Address a);
    // Checks a load of `bytes` <= 32 and fills the slot.
    bool (*load)(Address a, u64 bytes);
    // Checks a store of `bytes` <= 32 and records the slot's undefined bits.
    bool (*store)(Address a, u64 bytes);
    // The store of an atomic read-modify-write whose load has been checked: only records the undefined bits.
    bool (*update)(Address a, u64 bytes);
    // For helpers of the core: any number of bytes. slot.undefined[0] != 0 means that any bit was, or
    // becomes, undefined.
    bool (*load_range)(Address a, u64 bytes);
    bool (*store_range)(Address a, u64 bytes);
    // An undefined value decides a branch, or is used as an address or a jump target of `bytes`.
    void (*use_condition)(ContextId origin);
    void (*use_value)(u64 bytes, ContextId origin);
    // The stack pointer moves to another stack.
    void (*switch_stack)(Address stack_pointer);
};
void set_tracking_hooks(const TrackingHooks& hooks);
const TrackingHooks& tracking_hooks();

}  // namespace memspy::instrument
