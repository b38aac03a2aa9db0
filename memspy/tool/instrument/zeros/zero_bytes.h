// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the byte marks of loads (instrument/zeros/byte_marks.h) beside the client's own code: no branch, no
// call; for each load, or each half of a vector of 32 bytes, one read-modify-write of marks and one of a
// tally.
#pragma once

#include "instrument/core/access.h"
#include "instrument/zeros/element.h"

namespace memspy::instrument {

class ByteMarker {
public:
    explicit ByteMarker(Emitter& emit) : emit_(emit) {}

    // Call after `statement`, which makes `access`, has been emitted. Its value counts as being of `type`.
    // Loads by helpers of the core, in forms of their own, are marked as significant.
    void loaded(const IRStmt* statement, const Access& access, ValueType type);

private:
    // Marks in the low 16 bits, what the tally grows by above them.
    IRExpr* entry_of_integer(IRExpr* word, u32 bytes);
    IRExpr* entry_in(const u64* table, IRExpr* index);
    IRExpr* nonzero_bytes(IRExpr* word, u32 element);
    IRExpr* entry_of_floats(IRExpr* word, u32 bytes, ValueType type);
    IRExpr* with_odd_address(IRExpr* marks, const Access& access, ValueType type);
    IRExpr* entry_of_elements(IRExpr* word, u32 bytes, ValueType type);
    void set(const Access& access, u32 offset, u32 bytes, IRExpr* marks, IRExpr* growth);

    Emitter& emit_;
};

}  // namespace memspy::instrument
