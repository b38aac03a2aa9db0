// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers of the guest as the poison mask sees them: which group a guest-state offset belongs to, and
// where the shadows of registers stand.
//
// The core keeps two shadow copies of the guest state behind the state itself. In the first, the bytes of
// a register hold its undefined bits. In the second, the first word of a register group holds the context
// id of the allocation that its poison came from. The first shadow's copy of the event counter, which has
// no undefined bits of its own, holds the thread's poison mask; so the core saves, restores and hands it on
// together with the registers (signals, clone).
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// A set of register groups, one bit each; bit 31 is kFlushAll, never a group.
using RegisterMask = u32;
inline constexpr RegisterMask kFlushAll = u32{1} << 31;

struct GuestLayout {
    Int state_bytes;    // distance from a register to its shadow
    Int stack_pointer;  // offsets
    Int frame_pointer;
    Int program_counter;
};
GuestLayout guest_layout();

// The groups that [offset, offset + bytes) touches; 0 for registers that can never be poisoned (program counter, the
// core's own words).
RegisterMask groups_of(Int offset, Int bytes);
// Where in the second shadow the group of `offset` keeps its origin, as an offset from the guest state.
Int origin_offset(Int offset);
Int shadow_offset(Int offset);
Int mask_offset();

// Words of a thread's that generated code goes by: the second shadow of words that are the core's own. Offsets
// from the guest state. stack_window.h explains them.
struct StackWords {
    Int low, size, bias, dead, fresh;
};
StackWords stack_words();

// The same on a guest state in memory (`state` points at it), for helpers. Exact: looks at the shadows.
RegisterMask poisoned_groups(const u8* state, RegisterMask among);
void clear_shadow(u8* state, Int offset, Int bytes);
RegisterMask& mask_of(u8* state);

// All registers of a thread count as defined.
void define_registers(ThreadId thread);

}  // namespace memspy::instrument
