// SPDX-License-Identifier: GPL-2.0-or-later
//
// Undefined: how undefined bits travel through VEX operations.
//
// In all functions below a shadow (see UndefinedBits) may be null: known to be fully defined when the
// translation is made. Functions return null whenever they can, so that constants and untouched values cost
// nothing.
//
// Precision: as far as one operation shows, a result has no more undefined bits than it can really have. So
// there is no report where the result does not depend on undefined bits. This holds for and/or with constants
// and data, shifts by known amounts, additions and subtractions bit by bit (the range of possible results),
// equality and order (undefined only if the undefined bits can change the answer), counts of zeros,
// multiplication by known powers of two, and lanes of vectors. Floating point and rare vector operations are
// treated as a whole: one undefined bit of the operands makes the result, or its lane, undefined.
#pragma once

#include "instrument/undefined/undefined_bits.h"
#include "instrument/undefined/undefined_ops.h"

namespace memspy::instrument {

class Undefined : private UndefinedBits {
public:
    explicit Undefined(Emitter& emitter) : UndefinedBits(emitter) {}

    using UndefinedBits::any;
    using UndefinedBits::any_to;
    using UndefinedBits::merge;
    using UndefinedBits::or_zero;
    using UndefinedBits::shadow_type;
    using UndefinedBits::zero;

    // The shadow of the expression's result. Operands are atoms, shadows are atoms or null.
    IRExpr* unop(IROp op, IRExpr* a, IRExpr* sa);
    IRExpr* binop(IROp op, IRExpr* a, IRExpr* b, IRExpr* sa, IRExpr* sb);
    IRExpr* triop(IROp op, IRExpr* const a[3], IRExpr* const s[3]);
    IRExpr* qop(IROp op, IRExpr* const a[4], IRExpr* const s[4]);
    // if-then-else: an undefined condition makes those bits undefined in which the two values can differ.
    IRExpr* ite(IRExpr* condition, IRExpr* if_true, IRExpr* if_false, IRExpr* s_condition, IRExpr* s_true,
                IRExpr* s_false);
    // Clean helper call: one undefined bit in any argument (unless the callee's mcx_mask excludes the
    // argument) makes the whole result undefined.
    IRExpr* ccall(const IRCallee* callee, IRType result, IRExpr* const* arguments, IRExpr* const* shadows,
                  unsigned count);

private:
    // An operation with its operands; `result` is the type of its shadow.
    struct Operation {
        IROp op;
        OpRule rule;
        unsigned count;
        IRType result;
        IRExpr* value[4];
        IRExpr* shadow[4];
    };
    // Operand of a scalar integer operation as atoms of type I32 or I64. A null shadow means defined.
    struct Scalar {
        IRExpr* value;
        IRExpr* shadow;
    };

    IRExpr* apply(Operation operation);
    IRExpr* apply_rule(const Operation& o);
    IRExpr* whole(const Operation& o);
    IRExpr* steer(const Operation& o, unsigned controls);
    IRExpr* same_operands(const Operation& o, bool& known);
    IRExpr* and_or(const Operation& o, bool is_and);
    IRExpr* add_sub(const Operation& o, bool is_sub);
    IRExpr* multiply(const Operation& o);
    IRExpr* multiply_wide(const Operation& o, bool is_signed);
    IRExpr* equal(const Scalar& a, const Scalar& b);
    IRExpr* less(const Scalar& a, const Scalar& b, bool is_signed);
    IRExpr* lanes(const Operation& o);
    IRExpr* low_lane(const Operation& o);
    IRExpr* even_lanes(const Operation& o);
    IRExpr* narrow_lanes(const Operation& o);
    IRExpr* widen_lanes(const Operation& o);
    IRExpr* with_flag(const Operation& o);
    IRExpr* clear_sign(const Operation& o);

    using Unary = u64 (*)(u64 config, u64, u64);
    using Binary = u64 (*)(u64 config, u64, u64, u64, u64);
    IRExpr* call(const char* name, u64 (*function)(u64, u64), u64 config, IRExpr* x);
    IRExpr* call(const char* name, Unary function, u64 config, IRExpr* x, IRExpr* y);
    IRExpr* call(const char* name, Binary function, u64 config, IRExpr* a, IRExpr* b, IRExpr* sa, IRExpr* sb);
    IRExpr* count(const char* name, Unary function, const Operation& o);
    IRExpr* word_by_word(const char* name, Binary function, u64 config, const Operation& o);

    IRExpr* build(IROp op, unsigned count, IRExpr* const* arguments);
    IRExpr* lane_any(unsigned lane_bits, IRExpr* shadow);
    Scalar scalar(IRExpr* value, IRExpr* shadow, IRType type);
    IRExpr* smallest(const Scalar& s);
    IRExpr* largest(const Scalar& s);
};

}  // namespace memspy::instrument
