// SPDX-License-Identifier: GPL-2.0-or-later
//
// The frames of a thread, as the core unwinds them, also close to a stack's end.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

inline constexpr UInt kMostFrames = 40;

// The core's registers for unwinding by call frame information.
#if defined(VGA_amd64)
struct UnwindRegisters {
    Addr code, stack_pointer, frame_pointer;
};
#else
struct UnwindRegisters {
    Addr code, stack_pointer, link, frame_pointer;
};
#endif
UnwindRegisters registers_of(ThreadId thread);
// From a frame to its caller, whose `code` is then where the call returns to. Reads no memory outside `low`
// to `high`.
bool unwind_once(UnwindRegisters* registers, Addr low, Addr high);

// How far the stack pointer is below the frame's end at this code; 0: not known, or not the same each time.
usize frame_size_at(Address code);

// Frame i runs at codes[i], for callers the last byte of the call, with these stack and frame pointers.
struct UnwoundFrames {
    UInt count;
    Addr codes[kMostFrames], stack_pointers[kMostFrames], frame_pointers[kMostFrames];
};
void unwind(ThreadId thread, UnwoundFrames* frames);

}  // namespace memspy::vg
