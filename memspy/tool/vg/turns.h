// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which thread runs next. The core's lock gives the processor to whichever thread the system wakes first; one
// that has just given it back may well be that, again and again, while the others wait.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

// From now on a thread that has got the processor gives it back for a moment as long as `must_wait` is true
// for it. `waited`: for so many microseconds up to now. Two may be asked: then it is as long as one of them is.
void take_turns(bool (*must_wait)(u32 guest_id, u32 waited));
// The number of the round in which all are asked, with nothing changed between two of them; 0: one is asked.
u64 asked_round();
u32 threads_waiting();  // for the processor
// Those that have given it back at the end of a slice, as they must wait, and of which `is` holds. Call where
// `must_wait` may be called.
u32 threads_held(bool (*is)(u32 guest_id));

// Superblocks that the thread, which is about to run or has just been stopped, may run before others do: of a new
// slice it is what the core gives.
i64 slice_left(u32 guest_id);
// Whether its slice was used up, and it is not in a system call.
bool is_slice_over(u32 guest_id);

// The thread, which is about to run, lets others run after at most so many superblocks. Returns by how many
// its slice is shorter, which the core counts as run.
u64 shorten_slice(u32 guest_id, i64 most);

}  // namespace memspy::vg
