// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/undefined/value_shadows.h"

namespace memspy::instrument {

Shadow ValueShadows::of(const IRExpr* atom) const {
    if (atom->tag != Iex_RdTmp || !on_) return {};
    return of_temp_[atom->Iex.RdTmp.tmp];
}

// The origin of a value made from two: that of the one with undefined bits, that of the first if both have
// some.
IRExpr* ValueShadows::either_origin(const Shadow& a, const Shadow& b) {
    if (a.bits == nullptr) return b.origin;
    if (b.bits == nullptr || a.origin == b.origin) return a.origin;
    return emit_.ite(undefined_.any(a.bits), a.origin, b.origin);
}

Shadow ValueShadows::merge(const Shadow& a, const Shadow& b) {
    return Shadow{undefined_.merge(a.bits, b.bits), either_origin(a, b)};
}

// Fills in the operands' undefined bits; the origin is that of the first operand that has some.
IRExpr* ValueShadows::gather(IRExpr* const* operands, unsigned count, IRExpr** bits) {
    Shadow all;
    for (unsigned i = 0; i < count; ++i) {
        Shadow shadow = is_atom(operands[i]) ? of(operands[i]) : Shadow{};
        bits[i] = shadow.bits;
        if (shadow.bits != nullptr) all = Shadow{shadow.bits, either_origin(all, shadow)};
    }
    return all.origin;
}

// The origin is that of the chosen value.
Shadow ValueShadows::choose(IRExpr* condition, IRExpr* if_true, IRExpr* if_false) {
    Shadow result;
    const Shadow c = of(condition), t = of(if_true), f = of(if_false);
    result.bits = undefined_.ite(condition, if_true, if_false, c.bits, t.bits, f.bits);
    if (result.bits == nullptr) return result;
    IRExpr* none = Emitter::u32c(0);
    IRExpr* chosen = t.bits == nullptr && f.bits == nullptr
                         ? nullptr
                         : emit_.ite(condition, t.origin ? t.origin : none, f.origin ? f.origin : none);
    if (chosen == nullptr)
        result.origin = c.origin;
    else
        result.origin = c.bits == nullptr ? chosen : emit_.ite(undefined_.any(c.bits), c.origin, chosen);
    return result;
}

Shadow ValueShadows::get_indexed(const IRExpr* e) {
    const IRRegArray* bank = e->Iex.GetI.descr;
    if (groups_of(bank->base, 1) == 0) return {};
    IRType type = Undefined::shadow_type(bank->elemTy);
    IRRegArray* shadow_bank = mkIRRegArray(shadow_offset(bank->base), type, bank->nElems);
    Shadow result;
    result.bits = emit_.assign(type, IRExpr_GetI(shadow_bank, e->Iex.GetI.ix, e->Iex.GetI.bias));
    result.origin = emit_.get(origin_offset(bank->base), Ity_I32);
    return merge(result, Shadow{undefined_.any_to(type, of(e->Iex.GetI.ix).bits), of(e->Iex.GetI.ix).origin});
}

Shadow ValueShadows::evaluate(IRExpr* e) {
    if (!on_) return {};
    Shadow result;
    switch (e->tag) {
        case Iex_Get: return get(e->Iex.Get.offset, e->Iex.Get.ty);
        case Iex_GetI: return get_indexed(e);
        case Iex_RdTmp: return of(e);
        case Iex_Unop: {
            Shadow a = of(e->Iex.Unop.arg);
            result.bits = undefined_.unop(e->Iex.Unop.op, e->Iex.Unop.arg, a.bits);
            result.origin = a.origin;
            break;
        }
        case Iex_Binop: {
            if (same_.cancels(e)) return {};
            Shadow a = of(e->Iex.Binop.arg1), b = of(e->Iex.Binop.arg2);
            result.bits =
                undefined_.binop(e->Iex.Binop.op, e->Iex.Binop.arg1, e->Iex.Binop.arg2, a.bits, b.bits);
            if (result.bits != nullptr) result.origin = either_origin(a, b);
            break;
        }
        case Iex_Triop: {
            const IRTriop* op = e->Iex.Triop.details;
            IRExpr* operands[3] = {op->arg1, op->arg2, op->arg3};
            IRExpr* bits[3];
            result.origin = gather(operands, 3, bits);
            result.bits = undefined_.triop(op->op, operands, bits);
            break;
        }
        case Iex_Qop: {
            const IRQop* op = e->Iex.Qop.details;
            IRExpr* operands[4] = {op->arg1, op->arg2, op->arg3, op->arg4};
            IRExpr* bits[4];
            result.origin = gather(operands, 4, bits);
            result.bits = undefined_.qop(op->op, operands, bits);
            break;
        }
        case Iex_ITE: result = choose(e->Iex.ITE.cond, e->Iex.ITE.iftrue, e->Iex.ITE.iffalse); break;
        case Iex_CCall: {
            constexpr unsigned kMaxArguments = 16;
            IRExpr* bits[kMaxArguments];
            unsigned count = 0;
            while (count < kMaxArguments && e->Iex.CCall.args[count] != nullptr) ++count;
            result.origin = gather(e->Iex.CCall.args, count, bits);
            result.bits =
                undefined_.ccall(e->Iex.CCall.cee, e->Iex.CCall.retty, e->Iex.CCall.args, bits, count);
            break;
        }
        default: break;
    }
    if (result.bits == nullptr)
        result.origin = nullptr;
    else if (result.origin == nullptr)
        result.origin = Emitter::u32c(0);
    return result;
}

Shadow ValueShadows::get(Int offset, IRType type) {
    if (groups_of(offset, 1) == 0) return {};
    return Shadow{emit_.get(shadow_offset(offset), Undefined::shadow_type(type)),
                  emit_.get(origin_offset(offset), Ity_I32)};
}

// poison_mask |= bits != 0 ? groups : 0
void ValueShadows::raise_mask(RegisterMask groups, IRExpr* bits) {
    IRExpr* any = emit_.unop(Iop_1Sto32, undefined_.any(bits));
    IRExpr* raised = emit_.binop(Iop_And32, any, Emitter::u32c(groups));
    emit_.put(mask_offset(), emit_.binop(Iop_Or32, emit_.get(mask_offset(), Ity_I32), raised));
}

void ValueShadows::put(Int offset, IRType type, const Shadow& shadow, IRExpr* guard) {
    RegisterMask groups = groups_of(offset, sizeofIRType(type));
    if (groups == 0) return;
    IRType shadow_type = Undefined::shadow_type(type);
    IRExpr* bits = undefined_.or_zero(shadow.bits, type);
    if (guard != nullptr) bits = emit_.ite(guard, bits, emit_.get(shadow_offset(offset), shadow_type));
    emit_.put(shadow_offset(offset), bits);
    if (shadow.bits == nullptr) return;
    emit_.put(origin_offset(offset), shadow.origin);
    raise_mask(groups, bits);
}

void ValueShadows::put_indexed(const IRStmt* s) {
    const IRPutI* put = s->Ist.PutI.details;
    RegisterMask groups = groups_of(put->descr->base, 1);
    if (groups == 0) return;
    IRType type = Undefined::shadow_type(put->descr->elemTy);
    Shadow shadow = of(put->data);
    Shadow index = of(put->ix);
    shadow = merge(shadow, Shadow{undefined_.any_to(type, index.bits), index.origin});
    IRExpr* bits = undefined_.or_zero(shadow.bits, put->descr->elemTy);
    IRRegArray* bank = mkIRRegArray(shadow_offset(put->descr->base), type, put->descr->nElems);
    emit_.add(IRStmt_PutI(mkIRPutI(bank, put->ix, put->bias, bits)));
    if (shadow.bits == nullptr) return;
    emit_.put(origin_offset(put->descr->base), shadow.origin);
    raise_mask(groups, bits);
}

}  // namespace memspy::instrument
