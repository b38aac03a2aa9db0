// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the order of threads tells of lines goes to the tally, and false sharing to the suspects. No Valgrind
// here.
#pragma once

#include "analyses/contention/suspects.h"
#include "lines/line_observer.h"

namespace memspy::contention {

// All its functions but `gone` are set.
extern const lines::LineObserver kLineCounts;
Suspects& suspects();

}  // namespace memspy::contention
