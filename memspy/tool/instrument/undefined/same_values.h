// SPDX-License-Identifier: GPL-2.0-or-later
//
// Temporaries of a superblock that are known to have the same value, so that x ^ x is defined whatever x is.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

class SameValues {
public:
    explicit SameValues(const IRSB* in) : types_(in->tyenv) {
        same_.resize(static_cast<usize>(types_->types_used));
        widened_.resize(static_cast<usize>(types_->types_used));
    }

    // Call for each write of a temporary, in order, and before each statement that may write to memory.
    void note(IRTemp temp, const IRExpr* value, const Addresses& addresses);
    void forget_memory() { loaded_.resize(0); }
    // Whether the result is 0 for all operands.
    bool cancels(const IRExpr* binop) const;

private:
    void note_loaded(IRTemp temp, const IRExpr* load, const Addresses& addresses);
    IRTemp same_as(IRTemp temp) const;

    const IRTypeEnv* types_;
    // Loads since memory was last written. For each temporary, the first temporary that is known to have the
    // same value (its number + 1; 0: none but itself).
    struct Loaded {
        Origin origin;
        IRType type;
        IRTemp temp;
    };
    Scratch<Loaded> loaded_;
    Scratch<IRTemp> same_;
    Scratch<IRTemp> widened_;  // likewise: the temporary of which it is the zero-extended value
};

}  // namespace memspy::instrument
