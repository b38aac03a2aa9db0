// SPDX-License-Identifier: GPL-2.0-or-later
//
// UndefinedBits: the shadows of values in registers and temporaries, and code that works on them bit by bit.
//
// The *shadow* of a value has one bit per bit of the value, 1 = undefined. Its type is the value's own for
// integers and vectors, I32/I64 for F32/F64, I64/I128 for D64/D128, V128 for F128; see shadow_type(). A null
// shadow means "known to be fully defined when the translation is made"; so does a constant zero. Unless a
// comment says otherwise, a function takes atoms, not null, and returns an atom. The rules of the guest's
// operations are not here but in Undefined.
#pragma once

#include "instrument/core/emitter.h"

namespace memspy::instrument {

class UndefinedBits {
public:
    // A value or shadow as 64-bit words, lowest first; narrower ones are zero-extended.
    struct ValueWords {
        unsigned count;
        IRExpr* word[4];
    };

    explicit UndefinedBits(Emitter& emitter) : emit_(emitter) {}

    static IRType shadow_type(IRType type);
    static unsigned words_in(IRType shadow_type);
    static unsigned bits_in(IRType shadow_type);

    static bool is_zero_constant(const IRExpr* e);
    // Returns null for a constant zero, too.
    static IRExpr* without_zero(IRExpr* shadow);
    static bool same_temp(const IRExpr* a, const IRExpr* b);

    // An integer of at most 64 bits as I64.
    IRExpr* to_word(IRExpr* x);
    // The low bits of `word`; the upper ones are dropped.
    IRExpr* from_word(IRType type, IRExpr* word);
    // split() takes an integer or a vector apart into words, join() reverses that. split_or_zero() takes null
    // for a zero of `type`.
    ValueWords split(IRExpr* x);
    ValueWords split_or_zero(IRExpr* x, IRType type);
    IRExpr* join(IRType type, const ValueWords& words);

    // Both operands have the same type, an integer or a vector.
    IRExpr* bit_and(IRExpr* x, IRExpr* y);
    IRExpr* bit_or(IRExpr* x, IRExpr* y);
    IRExpr* bit_xor(IRExpr* x, IRExpr* y);
    IRExpr* bit_not(IRExpr* x);
    // Each word of the shadow ANDed with `mask`.
    IRExpr* mask_words(IRExpr* shadow, u64 mask);

    // Bitwise union; nulls allowed.
    IRExpr* merge(IRExpr* a, IRExpr* b);
    // A zero of a shadow type, where an atom is needed.
    IRExpr* zero(IRType shadow_type);
    IRExpr* or_zero(IRExpr* shadow, IRType type) { return shadow ? shadow : zero(shadow_type(type)); }
    // The value's bits as its shadow's type; null if VEX has no operation for that.
    IRExpr* bits_of_value(IRExpr* value);

    // A word that is zero if no bit of the shadow is set.
    IRExpr* collapse(IRExpr* shadow);
    // All ones of shadow type `to` if `word` is not zero, else zero.
    IRExpr* spread(IRType to, IRExpr* word);
    // An Ity_I1 atom, 1 if any bit is set. Null gives null.
    IRExpr* any(IRExpr* shadow);
    // All-ones of shadow type `to` if any bit of `shadow` is set, else zero. Null gives null.
    IRExpr* any_to(IRType to, IRExpr* shadow);

protected:
    Emitter& emit_;

private:
    // op(x, y) on each pair of 64-bit words, for types without such an operation in VEX.
    IRExpr* each_word(IROp op, IRExpr* x, IRExpr* y);
};

}  // namespace memspy::instrument
