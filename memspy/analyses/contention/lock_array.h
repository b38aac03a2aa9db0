// SPDX-License-Identifier: GPL-2.0-or-later
//
// Arrays of locks: elements of one block or variable, each with a lock, that threads take in any order. Several of them in a
// line are in each other's way, although the words of one lock cannot be parted. No Valgrind here.
#pragma once

#include "analyses/contention/sharing_report.h"

namespace memspy::contention {

struct LockArray {
    ObjectId object{};
    u64 offset = 0;  // of a lock in the block or variable
    u64 stride = 0;  // bytes from lock to lock; 0: there is no such array
    // About how many events of the group, in its leading view, go if each element has lines of its own.
    u64 removable = 0;
};
// Of the group's objects; known by the locks that threads waited for. None if less than a tenth of the events would go.
LockArray lock_array_of(const SharingReport& report, const ReportGroup& group);

}  // namespace memspy::contention
