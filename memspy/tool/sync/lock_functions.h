// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions that take and release locks, or wait for a barrier, a semaphore or a thread's end, by name, and
// the effect of each call. This table is all that the replay knows of libraries' locks; a program's own locks
// are found by the accesses to their words (own_locks.h). No Valgrind here.
#pragma once

#include "log/records.h"

namespace memspy::sync {

// `name` as in the symbol table. The event None means that it is not such a function.
log::LockCall lock_call(const char* name);

}  // namespace memspy::sync
