// SPDX-License-Identifier: GPL-2.0-or-later
//
// The threads' shadow stacks of calls (call_tracking.h): when they begin and end.
#pragma once

#include "instrument/core/call_tracking.h"

namespace memspy::instrument {

// Call before the command line is read, and before any other listener that asks for paths registers.
void register_call_stacks();

// From now on translations keep the stacks. The caller must have all translations made again.
void follow_calls();
// The same of translations of twins (twins.h) only.
void follow_calls_of_twins();
// Of the translation that is being made.
bool follows_calls();
// Twins run from now on, while thread t is about to.
void enter_twins(threads::Thread t, u32 guest_id);
// Calls were missed. Each thread's stack is determined again when the thread runs next.
void forget_calls();

// The calls that a thread is in, for callbacks of the core; Root if calls are not followed.
threads::CallPath path_of(u32 guest_id);

// Tells threads/frame_slots.h of the calls that the thread is in.
void note_present_slots(u32 guest_id);

}  // namespace memspy::instrument
