// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/load_types.h"

#include <cstddef>

#include "instrument/core/registers.h"
#include "instrument/undefined/undefined_ops.h"

namespace memspy::instrument {
namespace {

// How later code of the superblock uses a value.
struct TypeUse {
    enum class As : u8 {
        Nothing,  // only copied, if used at all
        Whole,    // an integer of `bytes`
        Lanes,    // a vector of integers of `bytes` each
        Floats    // one or several floats of `bytes`
    };
    As as = As::Nothing;
    u8 bytes = 0;
    bool arithmetic = false;
    bool address = false;
};
using As = TypeUse::As;

// `earlier` comes before `later` in the program. A float has precedence, otherwise the first use.
TypeUse both(const TypeUse& earlier, const TypeUse& later) {
    const bool takes_later =
        earlier.as == As::Nothing || (later.as == As::Floats && earlier.as != As::Floats);
    TypeUse result = takes_later ? later : earlier;
    result.arithmetic = earlier.arithmetic || later.arithmetic;
    result.address = earlier.address || later.address;
    return result;
}

bool is_vector(IRType type) { return type == Ity_V128 || type == Ity_V256; }
u8 size_of(IRType type) { return type == Ity_I1 ? u8{1} : static_cast<u8>(sizeofIRType(type)); }

// The width of the floats that an operation on vectors works on; 0 if it does not work on floats.
// clang-format off
u8 float_bytes(IROp op) {
    switch (op) {
    case Iop_Abs32Fx2: case Iop_Abs32Fx4: case Iop_Add32F0x4: case Iop_Add32Fx2: case Iop_Add32Fx4:
    case Iop_Add32Fx8: case Iop_CmpEQ32F0x4: case Iop_CmpEQ32Fx2: case Iop_CmpEQ32Fx4:
    case Iop_CmpGE32Fx2: case Iop_CmpGE32Fx4: case Iop_CmpGT32Fx2: case Iop_CmpGT32Fx4:
    case Iop_CmpLE32F0x4: case Iop_CmpLE32Fx4: case Iop_CmpLT32F0x4: case Iop_CmpLT32Fx4:
    case Iop_CmpUN32F0x4: case Iop_CmpUN32Fx4: case Iop_Div32F0x4: case Iop_Div32Fx4: case Iop_Div32Fx8:
    case Iop_Exp2_32Fx4: case Iop_F32ToFixed32Sx2_RZ: case Iop_F32ToFixed32Sx4_RZ:
    case Iop_F32ToFixed32Ux2_RZ: case Iop_F32ToFixed32Ux4_RZ: case Iop_F32toF16x4:
    case Iop_F32toF16x4_DEP: case Iop_F32toF16x8: case Iop_F32toI32Sx2_RZ: case Iop_F32toI32Sx4:
    case Iop_F32toI32Sx4_RZ: case Iop_F32toI32Sx8: case Iop_F32toI32Ux2_RZ: case Iop_F32toI32Ux4_RZ:
    case Iop_F32x4_2toQ16x8: case Iop_Log2_32Fx4: case Iop_Max32F0x4: case Iop_Max32Fx2:
    case Iop_Max32Fx4: case Iop_Max32Fx8: case Iop_Min32F0x4: case Iop_Min32Fx2: case Iop_Min32Fx4:
    case Iop_Min32Fx8: case Iop_Mul32F0x4: case Iop_Mul32Fx2: case Iop_Mul32Fx4: case Iop_Mul32Fx8:
    case Iop_Neg32Fx2: case Iop_Neg32Fx4: case Iop_PwAdd32Fx2: case Iop_PwMax32Fx2: case Iop_PwMax32Fx4:
    case Iop_PwMin32Fx2: case Iop_PwMin32Fx4: case Iop_QF32toI32Sx4_RZ: case Iop_QF32toI32Ux4_RZ:
    case Iop_RSqrtEst32F0x4: case Iop_RSqrtEst32Fx2: case Iop_RSqrtEst32Fx4: case Iop_RSqrtEst32Fx8:
    case Iop_RSqrtStep32Fx2: case Iop_RSqrtStep32Fx4: case Iop_RecipEst32F0x4: case Iop_RecipEst32Fx2:
    case Iop_RecipEst32Fx4: case Iop_RecipEst32Fx8: case Iop_RecipStep32Fx2: case Iop_RecipStep32Fx4:
    case Iop_RoundF32x4_RM: case Iop_RoundF32x4_RN: case Iop_RoundF32x4_RP: case Iop_RoundF32x4_RZ:
    case Iop_Scale2_32Fx4: case Iop_Sqrt32F0x4: case Iop_Sqrt32Fx4: case Iop_Sqrt32Fx8:
    case Iop_Sub32F0x4: case Iop_Sub32Fx2: case Iop_Sub32Fx4: case Iop_Sub32Fx8:
        return 4;
    case Iop_Abs64Fx2: case Iop_Add64F0x2: case Iop_Add64Fx2: case Iop_Add64Fx4: case Iop_CmpEQ64F0x2:
    case Iop_CmpEQ64Fx2: case Iop_CmpLE64F0x2: case Iop_CmpLE64Fx2: case Iop_CmpLT64F0x2:
    case Iop_CmpLT64Fx2: case Iop_CmpUN64F0x2: case Iop_CmpUN64Fx2: case Iop_Div64F0x2:
    case Iop_Div64Fx2: case Iop_Div64Fx4: case Iop_F64toF16x2_DEP: case Iop_F64x2_2toQ32x4:
    case Iop_Log2_64Fx2: case Iop_Max64F0x2: case Iop_Max64Fx2: case Iop_Max64Fx4: case Iop_Min64F0x2:
    case Iop_Min64Fx2: case Iop_Min64Fx4: case Iop_Mul64F0x2: case Iop_Mul64Fx2: case Iop_Mul64Fx4:
    case Iop_Neg64Fx2: case Iop_RSqrtEst64Fx2: case Iop_RSqrtStep64Fx2: case Iop_RecipEst64Fx2:
    case Iop_RecipStep64Fx2: case Iop_Scale2_64Fx2: case Iop_Sqrt64F0x2: case Iop_Sqrt64Fx2:
    case Iop_Sqrt64Fx4: case Iop_Sub64F0x2: case Iop_Sub64Fx2: case Iop_Sub64Fx4:
        return 8;
    default:
        return 0;
    }
}

// Additions, multiplications and the like. Operations on scalar floats and divisions have no rule of their
// own, so they are listed here.
bool is_arithmetic(IROp op, UndefinedRule rule) {
    switch (rule) {
    case UndefinedRule::Add: case UndefinedRule::Sub: case UndefinedRule::Multiply: case UndefinedRule::MultiplyWideSigned:
    case UndefinedRule::MultiplyWideUnsigned:
        return true;
    default: break;
    }
    switch (op) {
    case Iop_AddF64: case Iop_SubF64: case Iop_MulF64: case Iop_DivF64: case Iop_AddF32: case Iop_SubF32:
    case Iop_MulF32: case Iop_DivF32: case Iop_MAddF64: case Iop_MSubF64: case Iop_MAddF32: case Iop_MSubF32:
    case Iop_Add32F0x4: case Iop_Sub32F0x4: case Iop_Mul32F0x4: case Iop_Div32F0x4: case Iop_Add32Fx2:
    case Iop_Sub32Fx2: case Iop_Mul32Fx2: case Iop_PwAdd32Fx2: case Iop_Add32Fx4: case Iop_Sub32Fx4:
    case Iop_Mul32Fx4: case Iop_Div32Fx4: case Iop_Add32Fx8: case Iop_Sub32Fx8: case Iop_Mul32Fx8:
    case Iop_Div32Fx8: case Iop_Add64F0x2: case Iop_Sub64F0x2: case Iop_Mul64F0x2: case Iop_Div64F0x2:
    case Iop_Add64Fx2: case Iop_Sub64Fx2: case Iop_Mul64Fx2: case Iop_Div64Fx2: case Iop_Add64Fx4:
    case Iop_Sub64Fx4: case Iop_Mul64Fx4: case Iop_Div64Fx4: case Iop_DivS32: case Iop_DivU32: case Iop_DivS64:
    case Iop_DivU64: case Iop_DivModU64to32: case Iop_DivModS64to32: case Iop_DivModU128to64:
    case Iop_DivModS128to64:
        return true;
    default: return false;
    }
}

// Operations that take vectors apart or together and whose operands have lanes of a width that the result
// does not show.
u8 narrow_lane_bytes(IROp op) {
    switch (op) {
    case Iop_GetMSBs8x8: case Iop_GetMSBs8x16: case Iop_Widen8Uto16x8: case Iop_Widen8Sto16x8: return 1;
    case Iop_NarrowBin16to8x8: case Iop_NarrowBin16to8x16: case Iop_NarrowUn16to8x8: case Iop_Widen16Uto32x4:
    case Iop_Widen16Sto32x4:
        return 2;
    case Iop_NarrowBin32to16x4: case Iop_NarrowBin32to16x8: case Iop_NarrowUn32to16x4:
    case Iop_Widen32Uto64x2: case Iop_Widen32Sto64x2:
        return 4;
    case Iop_NarrowBin64to32x4: case Iop_NarrowUn64to32x2: return 8;
    default: return 0;
    }
}
// clang-format on

// How the operation `op` uses an operand of type `operand` if its result, of type `type`, is used as
// `result`.
TypeUse use_by(IROp op, IRType operand, IRType type, TypeUse result) {
    const UndefinedRule rule = rule_of(op).rule;
    TypeUse use;
    use.arithmetic = is_arithmetic(op, rule);
    if (const u8 bytes = float_bytes(op)) {
        use.as = As::Floats;
        use.bytes = bytes;
        return use;
    }
    const TypeUse whole{.as = As::Whole, .bytes = size_of(operand), .arithmetic = use.arithmetic};
    switch (rule) {
        // Operations that only move bits. A mask or a shift of a scalar makes an integer, unless the result
        // is used as a float (an absolute value).
        case UndefinedRule::And:
        case UndefinedRule::Or:
        case UndefinedRule::Xor:
        case UndefinedRule::SteerBy:
            if (!is_vector(operand) && operand != Ity_I8 && result.as != As::Floats) return whole;
            return result;
        case UndefinedRule::Steer:
            if (const u8 bytes = narrow_lane_bytes(op)) return TypeUse{.as = As::Lanes, .bytes = bytes};
            if (op == Iop_32Sto64) return whole;
            [[fallthrough]];
        case UndefinedRule::Reinterpret:
        case UndefinedRule::SetElement:
        case UndefinedRule::Slice:
        case UndefinedRule::PermuteTwo:
        case UndefinedRule::Same:
        case UndefinedRule::ClearSign:
        case UndefinedRule::SteerByLane:
        case UndefinedRule::SteerByLaneByte:
            // An integer extracted from a vector is one of its lanes.
            if (result.as == As::Whole && is_vector(operand) && !is_vector(type)) {
                result.as = As::Lanes;
                result.bytes = size_of(type);
            }
            // The use of a value made of several parts does not show the type of the parts.
            if (result.as == As::Whole && size_of(operand) < size_of(type) && rule == UndefinedRule::Steer)
                result.bytes = size_of(operand);
            return result;
        default: break;
    }
    if (!is_vector(operand) && rule == UndefinedRule::Whole)
        return whole;  // scalars: division, conversion, …
    const u8 lane = static_cast<u8>(rule_of(op).lane_bits / 8);
    if (lane == 0) return use;
    use.as = !is_vector(operand) && lane >= size_of(operand) ? As::Whole : As::Lanes;
    use.bytes = lane;
    return use;
}

#if defined(VGA_amd64)
// The bytes of each float if the instruction moves floats, else 0; decided by its opcode.
u8 moves_floats(const u8* code) {
    u8 prefix = 0;
    while (*code == 0x66 || *code == 0xF2 || *code == 0xF3) prefix = *code++;
    u8 opcode = 0;
    if (*code == 0xC5) {  // short VEX prefix, long VEX prefix
        prefix = code[1] & 3;
        opcode = code[2];
    } else if (*code == 0xC4 && (code[1] & 31) == 1) {
        prefix = code[2] & 3;
        opcode = code[3];
    } else {
        if ((*code & 0xF0) == 0x40) ++code;  // REX
        if (*code != 0x0F) return 0;
        prefix = prefix == 0x66 ? 1 : prefix == 0xF3 ? 2 : prefix == 0xF2 ? 3 : 0;
        opcode = code[1];
    }
    if (opcode == 0x10) return prefix == 2 ? 4 : prefix == 0 ? 0 : 8;
    return opcode == 0x28 && prefix == 1 ? 8 : 0;
}
#else
// Loads of S and D registers. If the offset is in a register, VEX loads an integer for them.
u8 moves_floats(const u8* code) {
    u32 word = 0;
    __builtin_memcpy(&word, code, sizeof word);
    if ((word >> 25 & 0x1F) != 0x1E) return 0;  // one vector register to or from memory
    return word >> 30 == 3 ? 8 : word >> 30 == 2 ? 4 : 0;
}
#endif

ValueType type_of_load(IRType type, const TypeUse& use, const u8* code) {
    if (type == Ity_F64 || type == Ity_F32) return ValueType(ElementKind::Float, size_of(type), 1, true);
    const u32 bytes = size_of(type);
    if (use.as == As::Floats && use.bytes <= bytes)
        return ValueType(ElementKind::Float, use.bytes, bytes / use.bytes, true);
    if (use.as == As::Lanes && bytes >= 4 && use.bytes <= 8 && use.bytes < bytes)
        return ValueType(ElementKind::Integer, use.bytes, bytes / use.bytes, true);
    if (use.as == As::Nothing && bytes >= 4)
        if (const u32 moved = moves_floats(code); moved != 0 && moved <= bytes)
            return ValueType(ElementKind::Float, moved, bytes / moved, true);
    // Values of one or two bytes cannot be floats.
    const bool known = use.as != As::Nothing || bytes <= 2;
    if (bytes <= 8) return ValueType(ElementKind::Integer, bytes, 1, known);
    return ValueType(ElementKind::Integer, 8, bytes / 8, known);
}

// Walks the superblock backwards, so that all uses of a value are seen before its load.
class UseFinder {
public:
    explicit UseFinder(const IRSB* block) : block_(block) {
        temps_.resize(static_cast<usize>(block->tyenv->types_used));
    }

    TypeUse at_load(const IRStmt* s);  // its use; note the statement's own uses afterwards
    void note(const IRStmt* s);
    IRType type_of(const IRExpr* e) const { return typeOfIRExpr(block_->tyenv, const_cast<IRExpr*>(e)); }

private:
    TypeUse of(IRTemp temp) const { return temps_[temp]; }
    void use(const IRExpr* atom, const TypeUse& how) {
        if (atom == nullptr || atom->tag != Iex_RdTmp) return;
        TypeUse& known = temps_[atom->Iex.RdTmp.tmp];
        known = both(how, known);
    }
    void use_whole(const IRExpr* atom) {
        if (atom == nullptr || atom->tag != Iex_RdTmp) return;
        const IRType type = type_of(atom);
        if (!is_vector(type) && type != Ity_I1) use(atom, TypeUse{.as = As::Whole, .bytes = size_of(type)});
    }
    void use_address(const IRExpr* atom) {
        if (atom == nullptr || atom->tag != Iex_RdTmp) return;
        use(atom, TypeUse{.as = As::Whole, .bytes = size_of(type_of(atom)), .address = true});
    }
    void use_operands(IROp op, IRExpr* const* operands, unsigned count, IRType type, const TypeUse& result);
    void note_expression(const IRExpr* e, TypeUse result, IRType type);
    void get(Int offset, IRType type, TypeUse how);
    TypeUse put(Int offset, IRType type);

    const IRSB* block_;
    Scratch<TypeUse> temps_;
    TypeUse registers_[sizeof(VexGuestArchState)] =
        {};  // by byte; a register read has the use of its first byte
};

void UseFinder::get(Int offset, IRType type, TypeUse how) {
    if (how.as == As::Nothing) return;
    TypeUse& known = registers_[offset];
    if (how.as == As::Whole) how.bytes = size_of(type);
    known = both(how, known);
}

// Later superblocks look at the condition codes: a comparison.
TypeUse UseFinder::put(Int offset, IRType type) {
    constexpr Int kFlags = offsetof(VexGuestArchState, guest_CC_OP);
    TypeUse result;
    if (offset >= kFlags && offset < kFlags + 4 * 8 && !is_vector(type))
        result = TypeUse{.as = As::Whole, .bytes = size_of(type)};
    const Int end = offset + size_of(type);
    for (Int i = offset; i < end; ++i) {
        TypeUse use = registers_[i];
        if (use.as == As::Whole && is_vector(type)) use.as = As::Lanes;
        result = both(result, use);
        registers_[i] = TypeUse{};
    }
    return result;
}

void UseFinder::use_operands(IROp op, IRExpr* const* operands, unsigned count, IRType type,
                             const TypeUse& result) {
    for (unsigned i = 0; i < count; ++i)
        if (operands[i]->tag == Iex_RdTmp) use(operands[i], use_by(op, type_of(operands[i]), type, result));
}

void UseFinder::note_expression(const IRExpr* e, TypeUse result, IRType type) {
    if (type == Ity_F64 || type == Ity_F32)
        result = TypeUse{.as = As::Floats, .bytes = size_of(type), .arithmetic = result.arithmetic};
    switch (e->tag) {
        case Iex_RdTmp: use(e, result); break;
        case Iex_Get: get(e->Iex.Get.offset, e->Iex.Get.ty, result); break;
        case Iex_GetI: use_whole(e->Iex.GetI.ix); break;
        case Iex_Load: use_address(e->Iex.Load.addr); break;
        case Iex_Unop: use_operands(e->Iex.Unop.op, &e->Iex.Unop.arg, 1, type, result); break;
        case Iex_Binop: {
            const IROp op = e->Iex.Binop.op;
            IRExpr* operands[] = {e->Iex.Binop.arg1, e->Iex.Binop.arg2};
            use_operands(op, operands, 2, type, result);
            if (result.address && (op == Iop_Add64 || op == Iop_Sub64) && operands[1]->tag == Iex_Const)
                use_address(operands[0]);
            break;
        }
        case Iex_Triop: {
            const IRTriop* t = e->Iex.Triop.details;
            IRExpr* operands[] = {t->arg1, t->arg2, t->arg3};
            use_operands(t->op, operands, 3, type, result);
            break;
        }
        case Iex_Qop: {
            const IRQop* q = e->Iex.Qop.details;
            IRExpr* operands[] = {q->arg1, q->arg2, q->arg3, q->arg4};
            use_operands(q->op, operands, 4, type, result);
            break;
        }
        case Iex_ITE:
            use(e->Iex.ITE.iftrue, result);
            use(e->Iex.ITE.iffalse, result);
            break;
        case Iex_CCall:
            for (unsigned i = 0; e->Iex.CCall.args[i] != nullptr; ++i) use_whole(e->Iex.CCall.args[i]);
            break;
        default: break;
    }
}

TypeUse UseFinder::at_load(const IRStmt* s) {
    switch (s->tag) {
        case Ist_WrTmp: return of(s->Ist.WrTmp.tmp);
        case Ist_LoadG: return of(s->Ist.LoadG.details->dst);
        case Ist_LLSC: return of(s->Ist.LLSC.result);
        // A swap compares integers.
        case Ist_CAS: return TypeUse{.as = As::Whole, .bytes = size_of(type_of(s->Ist.CAS.details->dataLo))};
        default: return {};
    }
}

void UseFinder::note(const IRStmt* s) {
    switch (s->tag) {
        case Ist_WrTmp:
            note_expression(s->Ist.WrTmp.data, of(s->Ist.WrTmp.tmp),
                            typeOfIRTemp(block_->tyenv, s->Ist.WrTmp.tmp));
            break;
        case Ist_Put: use(s->Ist.Put.data, put(s->Ist.Put.offset, type_of(s->Ist.Put.data))); break;
        case Ist_PutI: use_whole(s->Ist.PutI.details->ix); break;
        case Ist_Store: use_address(s->Ist.Store.addr); break;
        case Ist_StoreG: use_address(s->Ist.StoreG.details->addr); break;
        case Ist_LoadG:
            use(s->Ist.LoadG.details->alt, of(s->Ist.LoadG.details->dst));
            use_address(s->Ist.LoadG.details->addr);
            break;
        case Ist_CAS:
            use_address(s->Ist.CAS.details->addr);
            use_whole(s->Ist.CAS.details->expdLo);
            use_whole(s->Ist.CAS.details->expdHi);
            break;
        case Ist_LLSC: use_address(s->Ist.LLSC.addr); break;
        case Ist_Dirty: use_address(s->Ist.Dirty.details->mAddr); break;
        case Ist_AbiHint:
        case Ist_Exit:
        case Ist_IMark:
        case Ist_MBE:
        case Ist_NoOp: break;
    }
}

}  // namespace

IRType loaded_type(const IRSB* block, const IRStmt* s) {
    switch (s->tag) {
        case Ist_WrTmp: return s->Ist.WrTmp.data->Iex.Load.ty;
        case Ist_LLSC: return typeOfIRTemp(block->tyenv, s->Ist.LLSC.result);
        case Ist_CAS: return typeOfIRExpr(block->tyenv, s->Ist.CAS.details->dataLo);
        case Ist_LoadG: {
            IRType result = Ity_INVALID, loaded = Ity_INVALID;
            typeOfIRLoadGOp(s->Ist.LoadG.details->cvt, &result, &loaded);
            return loaded;
        }
        default: return Ity_INVALID;
    }
}

// Whether the expected value of the swap was loaded by a statement of [begin, swap).
static bool expects_loaded(const IRSB* block, int begin, int swap) {
    const IRExpr* expected = block->stmts[swap]->Ist.CAS.details->expdLo;
    if (expected->tag != Iex_RdTmp) return false;
    for (int i = begin; i < swap; ++i) {
        const IRStmt* s = block->stmts[i];
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.tmp == expected->Iex.RdTmp.tmp) return is_value_load(s);
    }
    return false;
}

void LoadTypes::note_constants(const IRSB* block, bool (*is_constant)(Address a, usize bytes)) {
    for (int i = 0; i < block->stmts_used; ++i) {
        if (!is_value_load(block->stmts[i])) continue;
        const Access access = access_of(block, block->stmts[i]);
        const IRExpr* const at = access.address;
        loads_[static_cast<usize>(i)].uses.constant = at->tag == Iex_Const &&
                                                      at->Iex.Const.con->tag == Ico_U64 &&
                                                      is_constant(at->Iex.Const.con->Ico.U64, access.bytes);
    }
}

void LoadTypes::find(const IRSB* block, bool frames) {
    loads_.resize(static_cast<usize>(block->stmts_used));
    UseFinder finder(block);
    // The target of a jump is used as an address.
    if (block->next->tag == Iex_RdTmp) finder.note(IRStmt_Store(Iend_LE, block->next, Emitter::u8c(0)));
    int end = block->stmts_used;
    for (int mark = end - 1; mark >= 0; --mark) {
        if (block->stmts[mark]->tag != Ist_IMark) continue;
        const auto* code = reinterpret_cast<const u8*>(instruction_address(block->stmts[mark]));
        for (int i = end - 1; i > mark; --i) {
            const IRStmt* s = block->stmts[i];
            if (is_value_load(s)) {
                const TypeUse use = finder.at_load(s);
                const Access access = access_of(block, s);
                LoadUse& load = loads_[static_cast<usize>(i)];
                load.type = type_of_load(loaded_type(block, s), use, code);
                load.uses.arithmetic = use.arithmetic;
                load.uses.address = use.address;
                load.repeats = s->tag == Ist_CAS && expects_loaded(block, mark, i);
                // A swap of two elements loads both.
                if (const u32 loaded = load.type.load_bytes(); access.bytes > loaded)
                    load.type = ValueType(load.type.kind(), load.type.bytes(),
                                          access.bytes / load.type.bytes(), load.type.known());
            }
            finder.note(s);
        }
        end = mark;
    }
    Addresses addresses(block);
    for (int i = 0; i < block->stmts_used; ++i) {
        const IRStmt* s = block->stmts[i];
        addresses.note(s);
        if (!is_value_load(s)) continue;
        const Origin::AddressRoot kind = addresses.origin(access_of(block, s).address).kind;
        loads_[static_cast<usize>(i)].uses.variable =
            kind == Origin::AddressRoot::Frame ? frames : kind != Origin::AddressRoot::Unknown;
    }
}

}  // namespace memspy::instrument
