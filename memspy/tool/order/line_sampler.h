// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples for an observer that asks what other lines, or other places of objects, would bring. Lines of one thread
// cost no record, so nothing is known of when they were used. Now and then, for a short while of virtual time, all
// accesses are logged and kept that go to *neighbours*: two lines side by side, used by different threads, of which
// one stores. Elsewhere nobody could meet if lines were twice as long, or if an object began elsewhere in its line.
//
// Bounded: so many lines are looked at in a sample, and so many accesses kept. Samples have one length, and come at
// distances that grow with the run: their number grows with its logarithm.
#pragma once

#include "lines/line_sample.h"
#include "log/records.h"
#include "threads/thread.h"

namespace memspy::order {

using namespace lines;
using threads::Thread;

constexpr Time kSampleSlack = 2048;  // accesses have their times, and are sorted in the end

// Before a thread runs: a sample may begin or end.
void perhaps_sample();
// While a sample is taken: records of t in the replay's order, the first one at `time` or later.
void keep_in_sample(Thread t, const u64* first, const u64* end, Time time);
void end_sample();     // all has been merged
void forget_sample();  // in a forked child

}  // namespace memspy::order
