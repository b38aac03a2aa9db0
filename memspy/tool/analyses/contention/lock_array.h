// SPDX-License-Identifier: GPL-2.0-or-later
//
// Arrays of locks: elements of one block or variable, each with a lock, that threads take in any order.
// Several of them in a line are in each other's way, although the words of one lock cannot be parted. No
// Valgrind here.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

// Of the objects of the group with that number, which is one of the detailed ones. Its locks are those that
// threads waited for, and the others that the replay knows in the group's worst lines. None if less than a
// tenth of the events would go.
LockArray lock_array_of(SharingReport& report, u32 number);

}  // namespace memspy::contention
