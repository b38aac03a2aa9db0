// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits what a loaded value is made of: its words, which bytes of a word are not zero, and the cells of floats
// (element.h).
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

// Bytes [offset, offset + bytes) of the value that the statement loads, in the low bits of an I64. Call directly
// behind the statement: a plain load is repeated, which is cheaper than taking apart a value in a vector register.
IRExpr* loaded_word(Emitter& emit, const IRStmt* load, u32 offset, u32 bytes);

// The highest bit of each byte: it is not zero.
IRExpr* nonzero_flags(Emitter& emit, IRExpr* word);
// Bit i: that of byte i.
IRExpr* set_of_flags(Emitter& emit, IRExpr* flags);

// A double's lower eight cells as the bytes of a word; or the lower four of each of two floats.
IRExpr* cells_of_floats(Emitter& emit, IRExpr* word, bool is_double);

}  // namespace memspy::instrument
