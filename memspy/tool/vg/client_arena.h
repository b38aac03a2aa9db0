// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core's memory for the client's heap. It is executable for the core, natively it is not: a program that
// jumps to a block ends there, but would run under the core through whatever lies behind, and zeros are
// instructions. So the heap's memory is mapped without that right, unless the program itself asks for it
// (mprotect).
#pragma once

#include "rt/base.h"

namespace memspy::vg {

// Client memory that may hold code, 0 if there is none. It is never given back. Call once.
Address map_client_code(usize bytes);

// Whether the program has memory at `a`: what has code of ours there it does not know of, and natively there
// is none.
bool has_client_memory(Address a);

}  // namespace memspy::vg
