// SPDX-License-Identifier: GPL-2.0-or-later
//
// The preload library has two functions for each of the malloc family: the core's, which replaces the
// program's, and a wrapper, which calls it and tells what it gave (preload/allocator.c). One of the two is
// taken, for all of them.
#pragma once

#include "rt/base.h"

namespace memspy::vg {

// The wrappers from now on. The default is the replacements. Call before the program's first module is
// loaded.
void wrap_allocator();

// Whether the code is that of a function on memory or strings in the preload library. Slow.
bool is_string_function_of_ours(Address code);

// Whether the code is in the preload library and takes no function's place: checks of calls of MPI, say. A program
// without a tool has no such work. Slow.
bool is_added_code(Address code);

}  // namespace memspy::vg
