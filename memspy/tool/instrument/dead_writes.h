// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dead register writes.
//
// A trip restarts an instruction, so each instruction must find all registers in the guest state. VEX is
// therefore asked to keep every register write (VexRegUpdAllregsAtEachInsn). The pass here removes those that
// nothing can observe, because it knows which instructions can trip:
//   - an exit and a helper of the core may look at every register;
//   - an instruction that can trip, or that a program may let fault on purpose, needs every register as it
//     was at its start, except the condition codes if it does not read them and they are overwritten unread
//     later;
//   - any access may fault, and then the stack and frame pointers and the program counter must be right.
#pragma once

#include "instrument/core/emitter.h"
#include "rt/vector.h"

namespace memspy::instrument {

// Marks in `dead` (one entry per statement of `block`) the writes in [begin, end) that are overwritten before
// anything can look at them. `trips` has true for each IMark statement whose instruction can trip. `end` is
// the end of an instruction.
void find_dead_writes(const IRSB* block, int begin, int end, const Scratch<bool>& trips, Scratch<bool>& dead);

}  // namespace memspy::instrument
