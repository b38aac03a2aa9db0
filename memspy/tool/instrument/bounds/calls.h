// SPDX-License-Identifier: GPL-2.0-or-later
//
// Library functions that fill or read what their arguments point to, by name: how many bytes, as far as it is
// known when the function begins, or when it has returned.
#pragma once

#include "instrument/core/emitter.h"

namespace memspy::instrument {

// Of the function that begins at the address: its number for emit_call_check(); 0: it is none.
u32 buffer_function(Address code);
// Before its first instruction.
void emit_call_check(Emitter& emit, u32 function);
// Behind a call: what the called function has written is looked at.
void emit_return_check(Emitter& emit, Address code);

}  // namespace memspy::instrument
