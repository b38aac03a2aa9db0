// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stack as generated code sees it (--undef-stack=yes). Memory below the stack pointer, less the ABI's red
// zone, is Unaddressable; a new frame is Uninitialised until it is written.
//
// The states of a stack stand in a shadow area (shadow_map.h), so that those at a distance from the stack
// pointer stand at a distance from bias + (sp >> 2), and neither tables nor edges of leaves need thought. A
// thread has a *window*: stack pointers for which all shadow within kReach on both sides is there to be
// written. Each superblock that uses the stack looks once whether its stack pointer is in the window, and
// leaves by a trip site when it is not: the stack has grown, another one is in use, or poison that was stored
// to a frame has died with it and its entries in the side table must go. So the words need no care when
// threads are switched, signals delivered or states copied: an old window is a smaller one.
//
// Words of a thread, in the second shadow of the guest state (stack_words()):
//   low, size   the window: sp - low < size (unsigned)
//   bias        of the shadow area
//   dead        eight bytes of states for memory that a frame gives back: Unaddressable; on a stack of which
//               not all memory below the stack pointer is known to be stack, Uninitialised
//   fresh       for memory that a frame gets
#pragma once

#include "instrument/registers.h"
#include "shadow/shadow_map.h"

namespace memspy::instrument {

#if defined(VGA_amd64)
inline constexpr i64 kRedZone = 128;
#else
inline constexpr i64 kRedZone = 0;
#endif
// Offsets from the stack pointer at a superblock's start that generated code may reach.
inline constexpr i64 kReach = 2048;

// Makes the window that holds the thread's stack pointer. False when there can be none.
bool enter_stack_window(u8* state);

// How the stack pointer got its new value.
enum StackMove : u64 {
    kDerived = 0,   // from itself or from the frame pointer
    kSwitched = 1,  // from somewhere else: another stack, longjmp
    kHint = 2,      // beside: the red zone below the new value is nobody's
    kWritten = 4    // beside: what a frame gets counts as written
};
// kWritten or kDerived: what is true of all moves by the superblock that begins there.
u64 stack_move_by(Address first);
// Emits memspy_stack_moved(old, now, how).
void emit_stack_moved(class Emitter& emit, IRExpr* old, IRExpr* now, u64 how);

// The stack below a thread's stack pointer, less the red zone, when `a` is there and the memory is known to be
// its stack.
bool is_below_stack(ThreadId thread, Address a);
// On a stack that is followed, at or above the stack pointer less the red zone.
bool is_on_stack(ThreadId thread, Address a);
// An entry of the side table was made for `a` by the thread: it goes when the frame does.
void note_poison(ThreadId thread, Address a);
// All stacks count as written: instrumentation was off.
void forget_stacks();
void forget_stack_of(ThreadId thread);  // the thread is gone

}  // namespace memspy::instrument
