// SPDX-License-Identifier: GPL-2.0-or-later
//
// What debug information says of an instruction: its language, and the functions that are inlined there.
#pragma once

#include "dwarf/inlined_calls.h"
#include "dwarf/types.h"
#include "vg/modules.h"

namespace memspy::places {

// What the code is compiled from.
dwarf::Language language_of(Address code);

// The code belongs to a function that only passes a size on to an allocator. `depth`: as in
// dwarf/allocations.h.
bool is_allocator_code(Address code, u32 depth);
// Goes on to the next outer line of the program's own from which code was called that is inlined at `code`
// (dwarf/inlined_calls.h).
bool find_own_call(Address code, dwarf::InlinedCall* call);

}  // namespace memspy::places
