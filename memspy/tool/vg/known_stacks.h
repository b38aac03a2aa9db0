// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stack of a thread's calls, recorded faster where it was recorded before.
//
// A heap's stacks are few, and a program comes to each again and again with the same stack pointer. What the
// core's unwinding makes of the registers depends on a few words of the stack only: return addresses, and the
// frame pointers that some frame's canonical frame address comes from. These words are kept with the stack.
// As long as they and the registers are the same, so is the stack.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

// Frames of a stack by default: more than the core's 12, which code of the C++ library fills alone where it is
// compiled without optimisation. A stack should reach the program's own code.
inline constexpr UInt kDefaultFrames = 24;

// As VG_(record_ExeContext)(thread, 0).
ContextId record_stack(ThreadId thread);

}  // namespace memspy::vg
