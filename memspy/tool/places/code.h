// SPDX-License-Identifier: GPL-2.0-or-later
//
// The code that made accesses: the library that it belongs to, and an order of places that is the same in
// each run.
#pragma once

#include "places/place.h"

namespace memspy::places {

// The C++ library's code that sets a bit of a vector<bool> or a bitset.
bool is_bit_code(Address instruction);
// Code of such a library (rt/runtime_libraries.h).
bool is_runtime_code(Address instruction);
// Whether the place is in pthread_barrier_wait.
bool is_barrier_code(const Place& place);
// Code of LLVM's libomp, or of Intel's, from which it was made.
bool is_omp_code(Address instruction);
// Code of GCC's libgomp, statically linked or not. Its loops have no hint for an ARM64 processor.
bool is_gomp_code(Address instruction);
// The function at the instruction; null if it has no name because the file's symbols are stripped, or if it
// is one of GCC's helpers for atomic operations on ARM64.
const char* named_function_at(Address instruction);
// Code without a name belongs to its caller: the innermost caller in the same file that has a name; or null.
const char* function_of(const Place& place);
// Whether the access is made by the body of an OpenMP construct, which compilers make a function of.
bool is_openmp_region(const Place& place);
// Whether a run-time library called the allocation function directly.
bool allocated_by_runtime(ContextId allocated);

// Whether it was allocated by a function that is told an alignment.
bool is_aligned_allocation(ContextId allocated);

// Compares module and offset, of the access first, then of its callers. Load addresses and the order of first
// accesses do not matter.
bool place_before(const Place& a, const Place& b);

}  // namespace memspy::places
