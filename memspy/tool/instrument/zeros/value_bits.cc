// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/value_bits.h"

namespace memspy::instrument {
namespace {

IRExpr* shift_by(u32 bits) { return Emitter::u8c(static_cast<u8>(bits)); }

// A word of what a temporary holds.
IRExpr* word_of(Emitter& emit, IRTemp temp, u32 offset) {
    IRExpr* value = IRExpr_RdTmp(temp);
    switch (emit.type_of(value)) {
        case Ity_F32: return emit.unop(Iop_32Uto64, emit.unop(Iop_ReinterpF32asI32, value));
        case Ity_F64: return emit.unop(Iop_ReinterpF64asI64, value);
        case Ity_V128: return emit.unop(offset == 0 ? Iop_V128to64 : Iop_V128HIto64, value);
        case Ity_I128: return emit.unop(offset == 0 ? Iop_128to64 : Iop_128HIto64, value);
        default: return emit.widened(value);
    }
}

}  // namespace

IRExpr* loaded_word(Emitter& emit, const IRStmt* s, u32 offset, u32 bytes) {
    // Do not repeat these loads: the memory may have changed since, or must not be touched. A value that was
    // widened is narrowed again.
    if (s->tag == Ist_CAS) {
        const IRCAS* cas = s->Ist.CAS.details;
        const bool both = cas->oldHi != IRTemp_INVALID && emit.type_of(IRExpr_RdTmp(cas->oldLo)) == Ity_I32;
        if (both) return emit.binop(Iop_32HLto64, IRExpr_RdTmp(cas->oldHi), IRExpr_RdTmp(cas->oldLo));
        return word_of(emit, offset == 0 || cas->oldHi == IRTemp_INVALID ? cas->oldLo : cas->oldHi, offset);
    }
    if (s->tag == Ist_LLSC) return word_of(emit, s->Ist.LLSC.result, offset);
    if (s->tag == Ist_LoadG) {
        IRExpr* word = word_of(emit, s->Ist.LoadG.details->dst, offset);
        if (bytes == sizeof(u64)) return word;
        return emit.binop(Iop_And64, word, Emitter::u64c((u64{1} << 8 * bytes) - 1));
    }
    constexpr IRType kTypes[] = {Ity_I8, Ity_I16, Ity_I32, Ity_I64};
    IRExpr* address = s->Ist.WrTmp.data->Iex.Load.addr;
    if (offset != 0) address = emit.binop(Iop_Add64, address, Emitter::u64c(offset));
    return emit.widened(emit.load(kTypes[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3], address));
}

// ((word & 0x7f..) + 0x7f.. | word) & 0x80..
IRExpr* nonzero_flags(Emitter& emit, IRExpr* word) {
    constexpr u64 kLowSeven = 0x7F7F'7F7F'7F7F'7F7Fu;
    IRExpr* low = emit.binop(Iop_And64, word, Emitter::u64c(kLowSeven));
    IRExpr* any = emit.binop(Iop_Or64, emit.binop(Iop_Add64, low, Emitter::u64c(kLowSeven)), word);
    return emit.binop(Iop_And64, any, Emitter::u64c(~kLowSeven));
}

// (flags >> 7) * magic >> 56
IRExpr* set_of_flags(Emitter& emit, IRExpr* flags) {
    IRExpr* gathered = emit.binop(Iop_Mul64, emit.binop(Iop_Shr64, flags, shift_by(7)),
                                  Emitter::u64c(0x0102'0408'1020'4080u));
    return emit.binop(Iop_Shr64, gathered, shift_by(56));
}

// A double's bits from 52 on are moved up by 4, floats' exponents by 1.
IRExpr* cells_of_floats(Emitter& emit, IRExpr* word, bool is_double) {
    const u64 exponents = is_double ? 0xFF00'0000'0000'0000u : 0xFF00'0000'FF00'0000u;
    const u64 mantissas = is_double ? 0x000F'FFFF'FFFF'FFFFu : 0x007F'FFFF'007F'FFFFu;
    IRExpr* moved = emit.binop(Iop_Shl64, word, shift_by(is_double ? 4 : 1));
    return emit.binop(Iop_Or64, emit.binop(Iop_And64, word, Emitter::u64c(mantissas)),
                      emit.binop(Iop_And64, moved, Emitter::u64c(exponents)));
}

}  // namespace memspy::instrument
