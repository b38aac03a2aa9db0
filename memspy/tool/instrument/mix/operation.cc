// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/mix/operation.h"

#include <initializer_list>

#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::instrument {
namespace {

// What a VEX operation is among floating ones.
struct FloatUse {
    enum class Act : u8 { None, Add, Subtract, Multiply, FusedMultiply, Divide, Other, Convert, FromInteger };
    Act act = Act::None;
    u8 bits = 0;   // of an element
    u8 lanes = 0;  // elements that it computes
};

FloatUse float_use(IROp op) {
    using Act = FloatUse::Act;
    switch (op) {
        case Iop_AddF64: return {Act::Add, 64, 1};
        case Iop_SubF64: return {Act::Subtract, 64, 1};
        case Iop_MulF64: return {Act::Multiply, 64, 1};
        case Iop_AddF32: return {Act::Add, 32, 1};
        case Iop_SubF32: return {Act::Subtract, 32, 1};
        case Iop_MulF32: return {Act::Multiply, 32, 1};
        case Iop_Add64F0x2: return {Act::Add, 64, 1};
        case Iop_Sub64F0x2: return {Act::Subtract, 64, 1};
        case Iop_Mul64F0x2: return {Act::Multiply, 64, 1};
        case Iop_Add32F0x4: return {Act::Add, 32, 1};
        case Iop_Sub32F0x4: return {Act::Subtract, 32, 1};
        case Iop_Mul32F0x4: return {Act::Multiply, 32, 1};
        case Iop_Add64Fx2: return {Act::Add, 64, 2};
        case Iop_Sub64Fx2: return {Act::Subtract, 64, 2};
        case Iop_Mul64Fx2: return {Act::Multiply, 64, 2};
        case Iop_Add32Fx4: return {Act::Add, 32, 4};
        case Iop_Sub32Fx4: return {Act::Subtract, 32, 4};
        case Iop_Mul32Fx4: return {Act::Multiply, 32, 4};
        case Iop_Add32Fx2: return {Act::Add, 32, 2};
        case Iop_Sub32Fx2: return {Act::Subtract, 32, 2};
        case Iop_Add64Fx4: return {Act::Add, 64, 4};
        case Iop_Sub64Fx4: return {Act::Subtract, 64, 4};
        case Iop_Mul64Fx4: return {Act::Multiply, 64, 4};
        case Iop_Add32Fx8: return {Act::Add, 32, 8};
        case Iop_Sub32Fx8: return {Act::Subtract, 32, 8};
        case Iop_Mul32Fx8: return {Act::Multiply, 32, 8};

        case Iop_MAddF64:
        case Iop_MSubF64: return {Act::FusedMultiply, 64, 1};
        case Iop_MAddF32:
        case Iop_MSubF32: return {Act::FusedMultiply, 32, 1};

        case Iop_DivF64:
        case Iop_SqrtF64:
        case Iop_Div64F0x2:
        case Iop_Sqrt64F0x2: return {Act::Divide, 64, 1};
        case Iop_AtanF64:
        case Iop_Yl2xF64:
        case Iop_Yl2xp1F64:
        case Iop_PRemF64:
        case Iop_PRem1F64:
        case Iop_ScaleF64:
        case Iop_SinF64:
        case Iop_CosF64:
        case Iop_TanF64:
        case Iop_2xm1F64:
        case Iop_MaxNumF64:
        case Iop_MinNumF64:
        case Iop_RecpExpF64:
        case Iop_Max64F0x2:
        case Iop_Min64F0x2: return {Act::Other, 64, 1};
        case Iop_DivF32:
        case Iop_SqrtF32:
        case Iop_Div32F0x4:
        case Iop_Sqrt32F0x4:
        case Iop_RecipEst32F0x4:
        case Iop_RSqrtEst32F0x4: return {Act::Divide, 32, 1};
        case Iop_MaxNumF32:
        case Iop_MinNumF32:
        case Iop_RecpExpF32:
        case Iop_Max32F0x4:
        case Iop_Min32F0x4: return {Act::Other, 32, 1};
        case Iop_Div64Fx2:
        case Iop_Sqrt64Fx2:
        case Iop_RecipEst64Fx2:
        case Iop_RecipStep64Fx2:
        case Iop_RSqrtEst64Fx2:
        case Iop_RSqrtStep64Fx2: return {Act::Divide, 64, 2};
        case Iop_Max64Fx2:
        case Iop_Min64Fx2: return {Act::Other, 64, 2};
        case Iop_Div32Fx4:
        case Iop_Sqrt32Fx4:
        case Iop_RecipEst32Fx4:
        case Iop_RecipStep32Fx4:
        case Iop_RSqrtEst32Fx4:
        case Iop_RSqrtStep32Fx4: return {Act::Divide, 32, 4};
        case Iop_Max32Fx4:
        case Iop_Min32Fx4: return {Act::Other, 32, 4};
        case Iop_Div64Fx4:
        case Iop_Sqrt64Fx4: return {Act::Divide, 64, 4};
        case Iop_Max64Fx4:
        case Iop_Min64Fx4: return {Act::Other, 64, 4};
        case Iop_Div32Fx8:
        case Iop_Sqrt32Fx8:
        case Iop_RecipEst32Fx8:
        case Iop_RSqrtEst32Fx8: return {Act::Divide, 32, 8};
        case Iop_Max32Fx8:
        case Iop_Min32Fx8: return {Act::Other, 32, 8};

        case Iop_CmpF64:
        case Iop_CmpEQ64F0x2:
        case Iop_CmpLT64F0x2:
        case Iop_CmpLE64F0x2:
        case Iop_CmpUN64F0x2:
        case Iop_CmpEQ64Fx2:
        case Iop_CmpLT64Fx2:
        case Iop_CmpLE64Fx2:
        case Iop_CmpUN64Fx2:
        case Iop_F64toI16S:
        case Iop_F64toI32S:
        case Iop_F64toI32U:
        case Iop_F64toI64S:
        case Iop_F64toI64U:
        case Iop_RoundF64toInt:
        case Iop_RoundF64toF64_NEAREST:
        case Iop_RoundF64toF64_NegINF:
        case Iop_RoundF64toF64_PosINF:
        case Iop_RoundF64toF64_ZERO: return {Act::Convert, 64, 1};
        case Iop_I32StoF64:
        case Iop_I32UtoF64:
        case Iop_I64StoF64:
        case Iop_I64UtoF64: return {Act::FromInteger, 64, 1};
        case Iop_CmpF32:
        case Iop_CmpEQ32F0x4:
        case Iop_CmpLT32F0x4:
        case Iop_CmpLE32F0x4:
        case Iop_CmpUN32F0x4:
        case Iop_CmpEQ32Fx4:
        case Iop_CmpLT32Fx4:
        case Iop_CmpLE32Fx4:
        case Iop_CmpUN32Fx4:
        case Iop_CmpGT32Fx4:
        case Iop_CmpGE32Fx4:
        case Iop_F64toF32:
        case Iop_F32toF64:
        case Iop_F32toI32S:
        case Iop_F32toI32U:
        case Iop_F32toI64S:
        case Iop_F32toI64U:
        case Iop_RoundF32toInt: return {Act::Convert, 32, 1};
        case Iop_I32StoF32:
        case Iop_I32UtoF32:
        case Iop_I64StoF32:
        case Iop_I64UtoF32: return {Act::FromInteger, 32, 1};
        default: return {};
    }
}

IROp operation(const IRExpr* data) {
    switch (data->tag) {
        case Iex_Unop: return data->Iex.Unop.op;
        case Iex_Binop: return data->Iex.Binop.op;
        case Iex_Triop: return data->Iex.Triop.details->op;
        case Iex_Qop: return data->Iex.Qop.details->op;
        default: return Iop_INVALID;
    }
}

// Operations that put a value into a vector register, or take one out.
bool only_moves(IROp op) {
    switch (op) {
        case Iop_64HLtoV128:
        case Iop_64UtoV128:
        case Iop_32UtoV128:
        case Iop_SetV128lo64:
        case Iop_SetV128lo32:
        case Iop_V128HLtoV256:
        case Iop_ZeroHI64ofV128:
        case Iop_ZeroHI96ofV128:
        case Iop_ZeroHI112ofV128:
        case Iop_ZeroHI120ofV128:
        case Iop_V256toV128_0:
        case Iop_V256toV128_1: return true;
        default: return false;
    }
}

// What the instruction computes. VEX makes one operation for each element of a fused one on amd64, and a
// multiplication and an addition of it on arm64. Instructions of amd64 that add and subtract in turns
// (addsubpd) are a whole addition and a whole subtraction, of which half is used.
struct Arithmetic {
    u32 added = 0, subtracted = 0, multiplied = 0, fused = 0, divided = 0, other = 0;  // elements
    u32 from_integers = 0;
    u32 bits = 0;  // the widest element
    bool converts = false, uses_vectors = false;

    void add(const IRSB* block, const IRStmt* s) {
        if (s->tag != Ist_WrTmp) return;
        const IROp op = operation(s->Ist.WrTmp.data);
        if (op == Iop_INVALID) return;
        const FloatUse use = float_use(op);
        switch (use.act) {
            case FloatUse::Act::None: {
                const IRType type = typeOfIRTemp(block->tyenv, s->Ist.WrTmp.tmp);
                uses_vectors |= (type == Ity_V128 || type == Ity_V256) && !only_moves(op);
                return;
            }
            case FloatUse::Act::Add: added += use.lanes; break;
            case FloatUse::Act::Subtract: subtracted += use.lanes; break;
            case FloatUse::Act::Multiply: multiplied += use.lanes; break;
            case FloatUse::Act::FusedMultiply: fused += use.lanes; break;
            case FloatUse::Act::Divide: divided += use.lanes; break;
            case FloatUse::Act::Other: other += use.lanes; break;
            case FloatUse::Act::FromInteger: from_integers += use.lanes; [[fallthrough]];
            case FloatUse::Act::Convert: converts = true; return;
        }
        if (use.bits > bits) bits = use.bits;
    }
    // Of the vector.
    u32 lanes() const {
        u32 most = added;
        for (u32 each : {subtracted, multiplied, fused, divided, other}) most = each > most ? each : most;
        return most;
    }
    u32 operations() const {
        const u32 sums = added == subtracted ? added : added + subtracted;
        return sums + multiplied + 2 * fused + divided + other;
    }
};

// VEX's optimiser leaves an operation out that the superblock has done before on the same values, as in
// unrolled loops. What any copy of the instruction was seen to do is what it does. By address and code.
rt::Global<rt::HashMap<Arithmetic>> fullest;

Arithmetic completed(const Arithmetic& seen, Address address, const u8* code, u32 length) {
    u64 key = address;
    for (u32 i = 0; i < length; ++i) key = (key ^ code[i]) * 0x9E3779B97F4A7C15u;
    const auto weight = [](const Arithmetic& a) {
        return 4 * a.operations() + 2 * a.converts + a.uses_vectors;
    };
    if (weight(seen) == 0) {
        const Arithmetic* const known = fullest->find(key);
        return known == nullptr ? seen : *known;
    }
    Arithmetic& known = (*fullest)[key];
    if (weight(known) < weight(seen)) known = seen;
    return known;
}

// On arm64 bit 30 of a vector instruction says whether it uses the upper half; VEX computes both halves.
bool uses_half([[maybe_unused]] const u8* code) {
#if defined(VGA_arm64)
    u32 word;
    __builtin_memcpy(&word, code, sizeof word);
    return (word & 0xDE000000) == 0x0E000000 && (word & 0x40000000) == 0 && (word & 0x10000000) == 0;
#else
    return false;
#endif
}

OperationCount class_of(const Arithmetic& arithmetic, CodeFlow flow) {
    switch (flow) {
        case CodeFlow::Branch: return OperationCount::Branches;
        case CodeFlow::Jump: return OperationCount::Jumps;
        case CodeFlow::Call: return OperationCount::Calls;
        case CodeFlow::Return: return OperationCount::Returns;
        case CodeFlow::SystemCall: return OperationCount::SystemCalls;
        case CodeFlow::Straight: break;
    }
    const u32 lanes = arithmetic.lanes();
    if (lanes == 0) {
        if (arithmetic.converts) return OperationCount::Conversions;
        return arithmetic.uses_vectors ? OperationCount::Vector : OperationCount::Integer;
    }
    const u32 vector = lanes * arithmetic.bits;
    if (arithmetic.bits == 64) {
        if (lanes == 1) return OperationCount::F64Scalar;
        return vector <= 128 ? OperationCount::F64Vector128 : OperationCount::F64Vector256;
    }
    if (lanes == 1) return OperationCount::F32Scalar;
    if (vector <= 64) return OperationCount::F32Vector64;
    return vector <= 128 ? OperationCount::F32Vector128 : OperationCount::F32Vector256;
}

void add_accesses(InstructionCounts& to, const IRSB* block, int begin, int end) {
    const auto add = [&](OperationCount count, u32 more) { to[count] = static_cast<u16>(to[count] + more); };
    const IRStmt* before = nullptr;  // a load that an atomic update of the same address may repeat
    for (int i = begin; i < end; ++i) {
        const IRStmt* s = block->stmts[i];
        const Access access = access_of(block, s);
        if (!access || access.guard != nullptr) continue;
        const bool repeats = s->tag == Ist_CAS && before != nullptr;
        if (access.loads && !repeats) {
            add(OperationCount::Loads, 1);
            add(OperationCount::LoadedBytes, access.bytes);
        }
        if (access.stores) {
            add(OperationCount::Stores, 1);
            add(OperationCount::StoredBytes, access.bytes);
        }
        if (access.loads && !access.stores) before = s;
    }
}

}  // namespace

InstructionCounts operation_of(const IRSB* block, int mark, int whole_end, int begin, int end) {
    const auto* code = reinterpret_cast<const u8*>(block->stmts[mark]->Ist.IMark.addr);
    InstructionCounts made;
    const CodeFlow flow = flow_of(code);
    if (begin == mark) {
        Arithmetic whole;
        for (int i = mark + 1; i < whole_end; ++i) whole.add(block, block->stmts[i]);
        whole = completed(whole, instruction_address(block->stmts[mark]), code,
                          block->stmts[mark]->Ist.IMark.len);
        if (uses_half(code) && whole.lanes() > 1)
            for (u32* elements : {&whole.added, &whole.subtracted, &whole.multiplied, &whole.fused,
                                  &whole.divided, &whole.other})
                *elements /= 2;
        made[class_of(whole, flow)] = 1;
        made[whole.bits == 64 ? OperationCount::F64Operations : OperationCount::F32Operations] =
            static_cast<u16>(whole.operations());
        made[OperationCount::Multiplications] = static_cast<u16>(whole.multiplied + whole.fused);
        made[OperationCount::Divisions] = static_cast<u16>(whole.divided);
        made[OperationCount::FromIntegers] = static_cast<u16>(whole.from_integers);
    }
    add_accesses(made, block, begin, end);
    return made;
}

#if defined(VGA_amd64)
CodeFlow flow_of(const u8* code) {
    const auto is_prefix = [](u8 byte) {
        return byte == 0x66 || byte == 0xF2 || byte == 0xF3 || byte == 0x2E || byte == 0x3E || byte == 0x64 ||
               byte == 0x65 || (byte & 0xF0) == 0x40;
    };
    while (is_prefix(*code)) ++code;
    const u8 op = *code;
    if ((op & 0xF0) == 0x70 || (op >= 0xE0 && op <= 0xE3)) return CodeFlow::Branch;
    switch (op) {
        case 0xE8: return CodeFlow::Call;
        case 0xE9:
        case 0xEB: return CodeFlow::Jump;
        case 0xC2:
        case 0xC3: return CodeFlow::Return;
        case 0xFF: {
            const unsigned extension = code[1] >> 3 & 7;
            if (extension == 2 || extension == 3) return CodeFlow::Call;
            return extension == 4 || extension == 5 ? CodeFlow::Jump : CodeFlow::Straight;
        }
        case 0xCD: return code[1] == 0x80 ? CodeFlow::SystemCall : CodeFlow::Straight;
        case 0x0F:
            if ((code[1] & 0xF0) == 0x80) return CodeFlow::Branch;
            return code[1] == 0x05 || code[1] == 0x34 ? CodeFlow::SystemCall : CodeFlow::Straight;
        default: return CodeFlow::Straight;
    }
}
#else
CodeFlow flow_of(const u8* code) {
    u32 word;
    __builtin_memcpy(&word, code, sizeof word);
    if ((word & 0xFF000010) == 0x54000000) return CodeFlow::Branch;  // b.cond
    if ((word & 0x7C000000) == 0x34000000) return CodeFlow::Branch;  // cbz, cbnz, tbz, tbnz
    if ((word & 0xFC000000) == 0x14000000) return CodeFlow::Jump;
    if ((word & 0xFC000000) == 0x94000000) return CodeFlow::Call;
    switch (word & 0xFFFFFC1F) {
        case 0xD61F0000: return CodeFlow::Jump;
        case 0xD63F0000: return CodeFlow::Call;
        case 0xD65F0000: return CodeFlow::Return;
        default: break;
    }
    return (word & 0xFFE0001F) == 0xD4000001 ? CodeFlow::SystemCall : CodeFlow::Straight;
}
#endif

}  // namespace memspy::instrument
