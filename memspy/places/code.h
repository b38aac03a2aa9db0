// SPDX-License-Identifier: GPL-2.0-or-later
//
// The code that accesses were made by: whose it is, and an order of places that is the same in each run.
#pragma once

#include "places/place.h"

namespace memspy::places {

// By the file's name: the C library with its loader and threads, and the run-time libraries of OpenMP. They
// have the words that threads wait, wake and are made with, which no layout of the program's own data can
// change.
bool is_runtime_library(const char* path);

bool is_runtime_code(Address instruction);
// Code of pthread_barrier_wait.
bool is_barrier_code(const Place& place);
// Code of LLVM's libomp, or Intel's, which it was made from.
bool is_omp_code(Address instruction);
// Code of GCC's libgomp, linked statically or not. Its loops have no hint for an ARM64 processor.
bool is_gomp_code(Address instruction);
// The function at the instruction; null when it has no name of its own, since the file's symbols are
// stripped, or is one of those that GCC has atomic operations done by on ARM64.
const char* named_function_at(Address instruction);
// Code without a name is part of its caller: the innermost one in the same file that has one; or null.
const char* function_of(const Place& place);
// Whether a run-time library called the allocation function itself.
bool allocated_by_runtime(ContextId allocated);

// By module and offset, of the access first, then of its callers. Neither where modules were loaded nor what
// was seen first matters.
bool place_before(const Place& a, const Place& b);

}  // namespace memspy::places
