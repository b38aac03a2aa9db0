// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions that take and give back locks, by name: what a call of one does to which lock. Everything that
// the replay knows of libraries' locks is this table; a program's own locks are found by what is done to their
// words (clocks.h). No Valgrind here.
#pragma once

#include "log/records.h"

namespace memspy::replay {

// `name` as the symbol table has it. The event None: it is not one of them.
log::LockCall lock_call(const char* name);

}  // namespace memspy::replay
