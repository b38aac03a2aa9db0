// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the order of threads tells of lines goes to the tally, false sharing to the suspects, and the locks
// that are held meanwhile to the objects under them. No Valgrind
// here.
#pragma once

#include "lines/line_observer.h"
#include "sharing/suspects.h"
#include "sharing/under_locks.h"

namespace memspy::sharing {

// All its functions but `gone` are set.
extern const lines::LineObserver kLineCounts;
Suspects& suspects();
// Blocks of one size that one call path allocates are one suspect: nobody changes one of them.
ObjectId suspected_with(ObjectId object);
UnderLocks& under_locks();

}  // namespace memspy::sharing
