// SPDX-License-Identifier: GPL-2.0-or-later
//
// The merge by virtual time: takes from several streams of timed accesses, one per thread, each in ascending time, the
// earliest first, by (time, serial, sequence in the stream), up to a horizon.
//
// With a coherence latency L, each event of a thread delays all its later accesses by L units; streams are then
// ordered by time + the thread's delay so far.
#pragma once

#include "rt/vector.h"
#include "threads/clocks.h"

namespace memspy::contention {

using threads::Thread;
using threads::Time;

// `Stream` is a class with
//   Thread thread() const;
//   bool next(Time horizon, Time* time);   makes the next access current, if there is one before `horizon`
//   u32 consume();                         handles the current access; gives the number of its events
// A merge keeps pointers to streams that it does not own.
template <typename Stream>
class Merge;

}  // namespace memspy::contention
