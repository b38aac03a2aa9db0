// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stack as generated code sees it (--undef-stack=yes). Memory below the stack pointer, less the ABI's red
// zone, is Unaddressable. A new frame is Uninitialised until it is written.
//
// The states of a stack are in a shadow area (shadow_map.h): states at a distance from the stack pointer are
// at a distance from bias + (sp >> 2), without tables or edges of leaves. A thread has a *window*: the stack
// pointers for which all shadow within kReach on both sides exists and is writable. Each superblock that uses
// the stack checks once that its stack pointer is in the window, and leaves by a trip site if not. This
// happens when the stack has grown, when another stack is in use, or when poison stored to a frame has died
// with it, so that its entries in the side table must be removed. Switches of threads, signals and copied
// states therefore need no care: an old window is only a smaller one.
//
// Words of a thread, in the second shadow of the guest state (stack_words()):
//   low, size   the window: sp - low < size (unsigned)
//   bias        of the shadow area
//   dead        eight bytes of states for memory that a frame gives back
//   fresh       eight bytes of states for memory that a frame gets
#pragma once

#include "instrument/core/registers.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"

namespace memspy::instrument {

#if defined(VGA_amd64)
inline constexpr i64 kRedZone = 128;
#else
inline constexpr i64 kRedZone = 0;
#endif
// Generated code needs a stack pointer at a multiple of this many bytes, whose states make one byte. Rust's
// compiler leaves others in some functions. They get no window.
inline constexpr i64 kStateGroup = 4;
// Offsets from the stack pointer at a superblock's start that generated code may reach.
inline constexpr i64 kReach = 2048;

// Sets the window around the thread's stack pointer. Returns false if that is impossible.
bool enter_stack_window(u8* state);

// How the stack pointer got its new value.
enum StackMove : u64 {
    kDerived = 0,   // from itself or from the frame pointer
    kSwitched = 1,  // from somewhere else: another stack, longjmp
    kHint = 2,      // in addition: the red zone below the new value becomes undefined
    kWritten = 4    // in addition: memory that a frame gets counts as written
};
// kWritten or kDerived: holds for all moves by the superblock that begins at `first`.
u64 stack_move_by(Address first);
// Emits memspy_stack_moved(old, now, how).
void emit_stack_moved(class Emitter& emit, IRExpr* old, IRExpr* now, u64 how);

// True if `a` is below the thread's stack pointer, less the red zone, and the memory is known to be its
// stack (stack_floor.h).
bool is_below_stack(ThreadId thread, Address a);
// True if `a` is on the thread's stack or in memory above it, at or above the stack pointer less the red
// zone.
bool is_on_stack(ThreadId thread, Address a);
// The thread stored poison at `a`, with this entry in the side table, which is removed with the frame.
void note_poison(ThreadId thread, Address a, shadow::SideEntry& entry);
// All stacks count as written, because instrumentation was off.
void forget_stacks();
void forget_stack_of(ThreadId thread);  // the thread has ended

}  // namespace memspy::instrument
