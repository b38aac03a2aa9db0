// SPDX-License-Identifier: GPL-2.0-or-later
//
// Only operations that the instruction selectors of both amd64 and arm64 implement are emitted. So narrow
// integers go through 64-bit words, V256 through its V128 halves (arm64 has no other operation on it), and
// I128 through its words.
#include "instrument/undefined/undefined_bits.h"

namespace memspy::instrument {

// ---- types and atoms -------------------------------------------------------------------------------------

IRType UndefinedBits::shadow_type(IRType type) {
    switch (type) {
        case Ity_F16: return Ity_I16;
        case Ity_F32:
        case Ity_D32: return Ity_I32;
        case Ity_F64:
        case Ity_D64: return Ity_I64;
        case Ity_D128: return Ity_I128;
        case Ity_F128: return Ity_V128;
        default: return type;
    }
}

unsigned UndefinedBits::words_in(IRType shadow_type) {
    switch (shadow_type) {
        case Ity_I128:
        case Ity_V128: return 2;
        case Ity_V256: return 4;
        default: return 1;
    }
}

unsigned UndefinedBits::bits_in(IRType shadow_type) {
    switch (shadow_type) {
        case Ity_I1: return 1;
        case Ity_I8: return 8;
        case Ity_I16: return 16;
        case Ity_I32: return 32;
        default: return 64 * words_in(shadow_type);
    }
}

bool UndefinedBits::is_zero_constant(const IRExpr* e) {
    if (e->tag != Iex_Const) return false;
    const IRConst* c = e->Iex.Const.con;
    switch (c->tag) {
        case Ico_U1: return !c->Ico.U1;
        case Ico_U8: return c->Ico.U8 == 0;
        case Ico_U16: return c->Ico.U16 == 0;
        case Ico_U32: return c->Ico.U32 == 0;
        case Ico_U64: return c->Ico.U64 == 0;
        case Ico_V128: return c->Ico.V128 == 0;
        case Ico_V256: return c->Ico.V256 == 0;
        default: return false;
    }
}

IRExpr* UndefinedBits::without_zero(IRExpr* shadow) {
    return shadow != nullptr && is_zero_constant(shadow) ? nullptr : shadow;
}

bool UndefinedBits::same_temp(const IRExpr* a, const IRExpr* b) {
    return a->tag == Iex_RdTmp && b->tag == Iex_RdTmp && a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
}

// ---- words -----------------------------------------------------------------------------------------------

IRExpr* UndefinedBits::to_word(IRExpr* x) {
    switch (emit_.type_of(x)) {
        case Ity_I1: return emit_.unop(Iop_1Uto64, x);
        case Ity_I8: return emit_.unop(Iop_8Uto64, x);
        case Ity_I16: return emit_.unop(Iop_16Uto64, x);
        case Ity_I32: return emit_.unop(Iop_32Uto64, x);
        default: return x;
    }
}

IRExpr* UndefinedBits::from_word(IRType type, IRExpr* word) {
    switch (type) {
        case Ity_I1: return emit_.unop(Iop_64to1, word);
        case Ity_I8: return emit_.unop(Iop_64to8, word);
        case Ity_I16: return emit_.unop(Iop_64to16, word);
        case Ity_I32: return emit_.unop(Iop_64to32, word);
        default: return word;
    }
}

UndefinedBits::ValueWords UndefinedBits::split(IRExpr* x) {
    switch (emit_.type_of(x)) {
        case Ity_I128:
            return {2, {emit_.unop(Iop_128to64, x), emit_.unop(Iop_128HIto64, x), nullptr, nullptr}};
        case Ity_V128:
            return {2, {emit_.unop(Iop_V128to64, x), emit_.unop(Iop_V128HIto64, x), nullptr, nullptr}};
        case Ity_V256: {
            ValueWords low = split(emit_.unop(Iop_V256toV128_0, x));
            ValueWords high = split(emit_.unop(Iop_V256toV128_1, x));
            return {4, {low.word[0], low.word[1], high.word[0], high.word[1]}};
        }
        default: return {1, {to_word(x), nullptr, nullptr, nullptr}};
    }
}

UndefinedBits::ValueWords UndefinedBits::split_or_zero(IRExpr* x, IRType type) {
    if (x != nullptr) return split(x);
    IRExpr* none = Emitter::u64c(0);
    return {words_in(shadow_type(type)), {none, none, none, none}};
}

IRExpr* UndefinedBits::join(IRType type, const ValueWords& words) {
    IRExpr* const* w = words.word;
    switch (type) {
        case Ity_I128: return emit_.binop(Iop_64HLto128, w[1], w[0]);
        case Ity_V128: return emit_.binop(Iop_64HLtoV128, w[1], w[0]);
        case Ity_V256:
            return emit_.binop(Iop_V128HLtoV256, emit_.binop(Iop_64HLtoV128, w[3], w[2]),
                               emit_.binop(Iop_64HLtoV128, w[1], w[0]));
        default: return from_word(type, w[0]);
    }
}

// ---- bits ------------------------------------------------------------------------------------------------

IRExpr* UndefinedBits::each_word(IROp op, IRExpr* x, IRExpr* y) {
    ValueWords a = split(x), b = split(y);
    for (unsigned i = 0; i < a.count; ++i) a.word[i] = emit_.binop(op, a.word[i], b.word[i]);
    return join(emit_.type_of(x), a);
}

IRExpr* UndefinedBits::bit_and(IRExpr* x, IRExpr* y) {
    switch (emit_.type_of(x)) {
        case Ity_I1: return emit_.binop(Iop_And1, x, y);
        case Ity_I32: return emit_.binop(Iop_And32, x, y);
        case Ity_I64: return emit_.binop(Iop_And64, x, y);
        case Ity_V128: return emit_.binop(Iop_AndV128, x, y);
        default: return each_word(Iop_And64, x, y);
    }
}

IRExpr* UndefinedBits::bit_or(IRExpr* x, IRExpr* y) {
    switch (emit_.type_of(x)) {
        case Ity_I1: return emit_.binop(Iop_Or1, x, y);
        case Ity_I32: return emit_.binop(Iop_Or32, x, y);
        case Ity_I64: return emit_.binop(Iop_Or64, x, y);
        case Ity_V128: return emit_.binop(Iop_OrV128, x, y);
        case Ity_V256:
            return emit_.binop(
                Iop_V128HLtoV256,
                emit_.binop(Iop_OrV128, emit_.unop(Iop_V256toV128_1, x), emit_.unop(Iop_V256toV128_1, y)),
                emit_.binop(Iop_OrV128, emit_.unop(Iop_V256toV128_0, x), emit_.unop(Iop_V256toV128_0, y)));
        default: return each_word(Iop_Or64, x, y);
    }
}

IRExpr* UndefinedBits::bit_xor(IRExpr* x, IRExpr* y) {
    switch (emit_.type_of(x)) {
        case Ity_I32: return emit_.binop(Iop_Xor32, x, y);
        case Ity_I64: return emit_.binop(Iop_Xor64, x, y);
        case Ity_V128: return emit_.binop(Iop_XorV128, x, y);
        default: return each_word(Iop_Xor64, x, y);
    }
}

IRExpr* UndefinedBits::bit_not(IRExpr* x) {
    IRType type = emit_.type_of(x);
    switch (type) {
        case Ity_I1: return emit_.unop(Iop_Not1, x);
        case Ity_I32: return emit_.unop(Iop_Not32, x);
        case Ity_I64: return emit_.unop(Iop_Not64, x);
        case Ity_V128: return emit_.unop(Iop_NotV128, x);
        default: break;
    }
    ValueWords a = split(x);
    for (unsigned i = 0; i < a.count; ++i) a.word[i] = emit_.unop(Iop_Not64, a.word[i]);
    return join(type, a);
}

IRExpr* UndefinedBits::merge(IRExpr* a, IRExpr* b) {
    a = without_zero(a);
    b = without_zero(b);
    if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
    return same_temp(a, b) ? a : bit_or(a, b);
}

IRExpr* UndefinedBits::zero(IRType type) {
    switch (shadow_type(type)) {
        case Ity_I1: return Emitter::u1(false);
        case Ity_I8: return Emitter::u8c(0);
        case Ity_I16: return Emitter::u16c(0);
        case Ity_I32: return Emitter::u32c(0);
        case Ity_V128: return IRExpr_Const(IRConst_V128(0));
        case Ity_V256: {
            IRExpr* half = IRExpr_Const(IRConst_V128(0));
            return emit_.binop(Iop_V128HLtoV256, half, half);
        }
        case Ity_I128: return emit_.binop(Iop_64HLto128, Emitter::u64c(0), Emitter::u64c(0));
        default: return Emitter::u64c(0);
    }
}

IRExpr* UndefinedBits::collapse(IRExpr* shadow) {
    ValueWords w = split(shadow);
    IRExpr* result = w.word[0];
    for (unsigned i = 1; i < w.count; ++i) result = emit_.binop(Iop_Or64, result, w.word[i]);
    return result;
}

IRExpr* UndefinedBits::spread(IRType to, IRExpr* word) {
    if (to == Ity_I1) return emit_.unop(Iop_CmpNEZ64, word);
    IRExpr* mask = emit_.unop(Iop_CmpwNEZ64, word);
    return join(to, {words_in(to), {mask, mask, mask, mask}});
}

IRExpr* UndefinedBits::any(IRExpr* shadow) {
    shadow = without_zero(shadow);
    if (shadow == nullptr) return nullptr;
    switch (emit_.type_of(shadow)) {
        case Ity_I1: return shadow;
        case Ity_I8: return emit_.unop(Iop_CmpNEZ8, shadow);
        case Ity_I16: return emit_.unop(Iop_CmpNEZ16, shadow);
        case Ity_I32: return emit_.unop(Iop_CmpNEZ32, shadow);
        default: return emit_.unop(Iop_CmpNEZ64, collapse(shadow));
    }
}

IRExpr* UndefinedBits::any_to(IRType to, IRExpr* shadow) {
    shadow = without_zero(shadow);
    if (shadow == nullptr) return nullptr;
    to = shadow_type(to);
    IRType from = emit_.type_of(shadow);
    if (to == Ity_I1) return any(shadow);
    if (from == Ity_I32 && to == Ity_I32) return emit_.unop(Iop_CmpwNEZ32, shadow);
    if (from == Ity_I1) {
        IRExpr* mask = emit_.unop(Iop_1Sto64, shadow);
        return join(to, {words_in(to), {mask, mask, mask, mask}});
    }
    return spread(to, collapse(shadow));
}

IRExpr* UndefinedBits::bits_of_value(IRExpr* value) {
    IRType type = emit_.type_of(value);
    switch (type) {
        case Ity_F32: return emit_.unop(Iop_ReinterpF32asI32, value);
        case Ity_F64: return emit_.unop(Iop_ReinterpF64asI64, value);
        default: return shadow_type(type) == type ? value : nullptr;
    }
}

IRExpr* UndefinedBits::mask_words(IRExpr* shadow, u64 mask) {
    ValueWords w = split(shadow);
    for (unsigned i = 0; i < w.count; ++i) w.word[i] = emit_.binop(Iop_And64, w.word[i], Emitter::u64c(mask));
    return join(emit_.type_of(shadow), w);
}

}  // namespace memspy::instrument
