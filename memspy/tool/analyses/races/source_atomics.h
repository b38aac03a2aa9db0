// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether the source says that an access is atomic. An atomic load or store of a plain variable is an ordinary
// instruction on x86, and neither symbols nor debug information tell it from a plain one; only the line of
// source does. It is read when two accesses look like a race, once for each instruction.
#pragma once

#include "rt/base.h"

namespace memspy::races {

// `#pragma omp atomic write` or `!$omp atomic write` before the line, or a builtin in it. False where there is
// no source.
bool is_atomic_in_source(Address instruction, bool stores);
// In code of std::atomic: the line's operation is of another kind than the plain access, which is to an operand then.
// Of `atomic += x` the compiler gives the load of x the line that adds.
bool is_of_operand(Address instruction, bool stores);
// A directive of OpenMP is in the line or before it. Its variables are plain ones, atomic only where it says so.
bool is_of_directive(Address instruction);

}  // namespace memspy::races
