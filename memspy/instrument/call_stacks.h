// SPDX-License-Identifier: GPL-2.0-or-later
//
// The shadow stacks of calls (call_tracking.h) of all threads: who has which, and when they begin.
#pragma once

#include "instrument/call_tracking.h"

namespace memspy::instrument {

// Before the command line, and before any other listener that asks for paths.
void register_call_stacks();

// From now on translations keep the stacks. They must all be made again.
void follow_calls();
// Calls happened that were not seen: threads' stacks are found out again when they run next.
void forget_calls();

// The calls that a thread is in, for callbacks of the core; Root when they are not followed.
threads::CallPath path_of(u32 guest_id);

// A word of the guest state's shadows, at an offset from the guest state, for a thread that is not in
// generated code.
u64 get_word(u32 guest_id, Int offset);
void set_word(u32 guest_id, Int offset, u64 word);

}  // namespace memspy::instrument
