// SPDX-License-Identifier: GPL-2.0-or-later
//
// The undefined bits of a tracking translation's values, and where they came from: of temporaries,
// expressions and registers. A null shadow is known to be fully defined when the translation is made, and
// nothing is emitted for it.
#pragma once

#include "instrument/core/registers.h"
#include "instrument/undefined/same_values.h"
#include "instrument/undefined/undefined.h"

namespace memspy::instrument {

// Undefined bits and origin; both null when fully defined.
struct Shadow {
    IRExpr* bits = nullptr;
    IRExpr* origin = nullptr;
};

class ValueShadows {
public:
    // `on`: undefined values are followed; if not, all is defined.
    ValueShadows(Emitter& emit, Undefined& undefined, const SameValues& same, const IRSB* in, bool on)
        : emit_(emit), undefined_(undefined), same_(same), on_(on) {
        of_temp_.resize(static_cast<usize>(in->tyenv->types_used));
    }

    Shadow of(const IRExpr* atom) const;
    void set(IRTemp temp, const Shadow& shadow) { of_temp_[temp] = shadow; }
    Shadow evaluate(IRExpr* expression);
    // The union, with the origin of the first that has undefined bits.
    Shadow merge(const Shadow& a, const Shadow& b);

    // Of registers; put() marks their groups in the poison mask. Without a guard it happens always.
    Shadow get(Int offset, IRType type);
    void put(Int offset, IRType type, const Shadow& shadow, IRExpr* guard);
    void put_indexed(const IRStmt* statement);

private:
    IRExpr* gather(IRExpr* const* operands, unsigned count, IRExpr** bits);
    IRExpr* either_origin(const Shadow& a, const Shadow& b);
    Shadow choose(IRExpr* condition, IRExpr* if_true, IRExpr* if_false);
    Shadow get_indexed(const IRExpr* expression);
    void raise_mask(RegisterMask groups, IRExpr* bits);

    Emitter& emit_;
    Undefined& undefined_;
    const SameValues& same_;
    bool on_;
    Scratch<Shadow> of_temp_;
};

}  // namespace memspy::instrument
