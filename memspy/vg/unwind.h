// SPDX-License-Identifier: GPL-2.0-or-later
//
// The frames of a thread, as the core unwinds them, also close to a stack's end.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

inline constexpr UInt kMostFrames = 40;

// Frame i runs at codes[i], for callers the last byte of the call, with these stack and frame pointers.
struct UnwoundFrames {
    UInt count;
    Addr codes[kMostFrames], stack_pointers[kMostFrames], frame_pointers[kMostFrames];
};
void unwind(ThreadId thread, UnwoundFrames* frames);

}  // namespace memspy::vg
