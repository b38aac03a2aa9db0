// SPDX-License-Identifier: GPL-2.0-or-later
//
// The purpose of a futex wait, from a stack's function names, innermost first, as the symbol table or the
// demangler gives them. The first name for which one of these functions returns true decides. Six frames are
// enough. If no name matches, the wait is not for a lock. No Valgrind here.
#pragma once

namespace memspy::sync {

// Takes, tries to take or releases a mutex, spin lock, read-write lock or critical section.
bool works_on_lock(const char* name);
bool is_wait_function(const char* name);       // waits for a condition, barrier…, even in a lock function
bool is_condition_function(const char* name);  // of these: waits for something that the caller looks at
bool is_wake_function(const char* name);       // tells those who wait for a condition
// Waits, or wakes who waits: its own words count waiters, tokens and generations, and are no locks.
bool waits_or_wakes(const char* name);
// A function of LLVM's libomp that changes flags of 8 bytes only for a barrier, of a team or at the start or
// end of a region. If the library has only its exported names, the innermost caller's name counts.
bool is_omp_barrier_function(const char* name);

}  // namespace memspy::sync
