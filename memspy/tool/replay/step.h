// SPDX-License-Identifier: GPL-2.0-or-later
//
// A step of the replay: what a thread does at a time of its own clock.
#pragma once

#include "lines/rules.h"
#include "places/place.h"
#include "threads/thread.h"

namespace memspy::replay {

using lines::kNever;
using lines::Time;
using places::Place;
using threads::Thread;

// A thread gets to where several meet.
struct Arrival {
    u32 serial;
    Time time;  // by the thread's own clock
};

struct Step {
    enum class StepKind : u8 {
        Access,
        Acquire,
        AcquireShared,
        Release,
        Take,  // a token of a semaphore
        Post,
        GoOn,  // from `time` to `until`, when `other` got to `when`, or all who met; neither: unknown cause
        Nothing,  // an attempt to take a lock that failed, as far as is known
        Poll,  // from here on the thread looks at the word again and again, every `when` units, until PollEnd
        PollEnd
    };
    static constexpr u64 kNotYet = ~u64{0};
    StepKind kind = StepKind::Access;
    bool any_owner = false;  // Release: by a thread that never took it
    bool perhaps_shared = false;
    bool ends_wait = true;  // GoOn: no other step of the same wait follows
    u32 other = 0;          // serial; Take: of the thread whose post it really took, 0 if not known
    Time time = 0;
    Time until = 0, when = 0;
    Address lock = 0;   // GoOn: the word that `other` stored to, or 0
    u64 turn = 0;       // less for what really happened earlier; kNotYet: the thread still waits
    u64 semaphore = 0;  // Take, Post: its number
    u64 meeting = 0;    // GoOn: its number
    Place place{};      // of a step at which the thread may have to wait
};

}  // namespace memspy::replay
