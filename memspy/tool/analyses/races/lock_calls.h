// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls of functions on locks, barriers and semaphores, and the ends of threads: what they order, and which
// locks a thread holds.
#pragma once

#include "analyses/races/racing_thread.h"

namespace memspy::races {

void enter_lock_call(RacingThread& f, const log::Record& record, log::LockEvent event);
// The call made last.
void leave_lock_call(RacingThread& f);

// A thread comes to a barrier. Returns the word that stands for this meeting.
Address meet(const RacingThread& f, Address barrier);
void leave_meeting(const RacingThread& f, Address barrier, Address meeting);

// The thread has ended. Its slot is held until another one has waited for that.
void end_thread(const RacingThread& f);
// The thread looks at a word that the kernel may have cleared at a thread's end.
void learn_end(const RacingThread& f, Address word);
// Whether who gets the lock stores that it is the owner, as glibc does and musl does not.
void note_owner(RacingThread& f, const log::Record& record, const log::Shape& shape);
void look_at_ends(const RacingThread& f, const log::Record& record, const log::Shape& shape);

}  // namespace memspy::races
