// SPDX-License-Identifier: GPL-2.0-or-later
//
// The threads' shadow stacks of calls (call_tracking.h): when they begin and end.
#pragma once

#include "instrument/call_tracking.h"

namespace memspy::instrument {

// Call before the command line is read, and before any other listener that asks for paths registers.
void register_call_stacks();

// From now on translations keep the stacks. The caller must have all translations made again.
void follow_calls();
// Calls were missed. Each thread's stack is determined again when the thread runs next.
void forget_calls();

// The calls that a thread is in, for callbacks of the core; Root if calls are not followed.
threads::CallPath path_of(u32 guest_id);

// A word of the guest state's shadows at the given offset from the guest state. The thread must not be in
// generated code.
u64 get_word(u32 guest_id, Int offset);
void set_word(u32 guest_id, Int offset, u64 word);

}  // namespace memspy::instrument
