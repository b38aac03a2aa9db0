// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's registers for the poison mask: the group of each guest-state offset, and the places of the
// shadows of registers.
//
// The core keeps two shadow copies of the guest state behind the state itself. In the first, the bytes of a
// register hold its undefined bits. In the second, the first word of a register group holds the context id of
// the allocation that its poison came from. The event counter has no undefined bits, so its copy in the first
// shadow holds the thread's poison mask: the core saves, restores and copies it together with the registers
// (signals, clone).
#pragma once

#include "vg/vg.h"

namespace memspy::instrument {

// A set of register groups, one bit each; bit 31 is kFlush, which is not a group.
using RegisterMask = u32;
inline constexpr RegisterMask kFlush = u32{1} << 31;

struct GuestLayout {
    Int state_bytes;    // distance from a register to its shadow
    Int stack_pointer;  // offsets
    Int frame_pointer;
    Int program_counter;
};
GuestLayout guest_layout();
// The call unwinds the stack, so the registers that this needs must be in the guest state.
void reads_frame_registers(IRDirty* call);

// The groups that [offset, offset + bytes) touches; 0 for registers that can never be poisoned (program
// counter, the core's own words).
RegisterMask groups_of(Int offset, Int bytes);
// The offset from the guest state at which the second shadow keeps the origin of the group of `offset`.
Int origin_offset(Int offset);
Int shadow_offset(Int offset);
Int mask_offset();
// The address from which a fast translation last checked the shadow: in the first shadow of the program
// counter.
Int checked_offset();

// A thread's words that generated code uses to follow the stack, in the second shadow of words that belong to
// the core. Offsets from the guest state. stack_window.h explains them.
struct StackWords {
    Int low, size, bias, dead, fresh;
};
StackWords stack_words();

// The groups among `among` that hold poison in the guest state at `state`, for helpers. Exact: looks at the
// shadows.
RegisterMask poisoned_groups(const u8* state, RegisterMask among);
void clear_shadow(u8* state, Int offset, Int bytes);
RegisterMask& mask_of(u8* state);

// The integer registers by their numbers in debug information, the stack pointer included.
#if defined(VGA_amd64)
inline constexpr u32 kDwarfRegisters = 16;
#else
inline constexpr u32 kDwarfRegisters = 32;
#endif
Address dwarf_register(ThreadId thread, u32 number);

// Marks all registers of a thread as defined.
void define_registers(ThreadId thread);

// A word of the guest state's shadows at the given offset from the guest state. The thread must not be in
// generated code.
u64 get_word(ThreadId thread, Int offset);
void set_word(ThreadId thread, Int offset, u64 word);

// A frame pointer that is further above the stack pointer is taken for another value.
inline constexpr u64 kLargestFrame = 1 << 16;
// True if the running thread's frame pointer points into its stack, so that code translated now uses it as a
// frame pointer. Compilers may use the register for anything else.
bool frame_pointer_is_one();

}  // namespace memspy::instrument
