// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emitter: appends flat VEX IR to a superblock.
//
// An *atom* is a temporary or a constant. Every function here takes and returns atoms, because VEX wants flat
// IR from a tool. All IR memory is VEX's own, which frees it after the translation.
#pragma once

#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::instrument {

// An array for one translation: its memory is VEX's too. A dozen of them for each superblock took the core's
// allocator 2 % of the time of programs whose code runs a few times.
struct TranslationMemory {
    static void* allocate(usize bytes) { return LibVEX_Alloc(bytes); }
    static void release(void*, usize) {}
};
template <typename T>
using Scratch = rt::Vector<T, TranslationMemory>;

class Emitter {
public:
    explicit Emitter(IRSB* out) : out_(out) {}

    IRSB* block() const { return out_; }
    IRType type_of(const IRExpr* atom) const { return typeOfIRExpr(out_->tyenv, const_cast<IRExpr*>(atom)); }
    IRTemp new_temp(IRType type) { return newIRTemp(out_->tyenv, type); }
    void add(IRStmt* statement) {
        addStmtToIRSB(out_, statement);
        if (statement->tag == Ist_WrTmp) note_widening(statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
    }

    // A new temporary that holds `expression`.
    IRExpr* assign(IRExpr* expression) { return assign(typeOfIRExpr(out_->tyenv, expression), expression); }
    IRExpr* assign(IRType type, IRExpr* expression) {
        IRTemp temp = new_temp(type);
        add(IRStmt_WrTmp(temp, expression));
        return IRExpr_RdTmp(temp);
    }

    IRExpr* unop(IROp op, IRExpr* a) { return assign_result(op, IRExpr_Unop(op, a)); }
    // A value of less than eight bytes with zeros above it. The program's own code may have made it.
    IRExpr* widened(IRExpr* value) {
        const IROp op = widening_of(type_of(value));
        if (op == Iop_INVALID) return value;
        if (value->tag == Iex_RdTmp && value->Iex.RdTmp.tmp < widened_.size())
            if (const IRTemp known = widened_[value->Iex.RdTmp.tmp]; known != 0)
                return IRExpr_RdTmp(known - 1);
        return unop(op, value);
    }
    IRExpr* binop(IROp op, IRExpr* a, IRExpr* b) { return assign_result(op, IRExpr_Binop(op, a, b)); }
    // sum = sum op more, where `sum` may be none yet.
    void gather(IROp op, IRExpr*& sum, IRExpr* more) { sum = sum == nullptr ? more : binop(op, sum, more); }
    IRExpr* ite(IRExpr* condition, IRExpr* if_true, IRExpr* if_false) {
        return assign(type_of(if_true), IRExpr_ITE(condition, if_true, if_false));
    }
    // No instruction selector has loads and stores of I128, so it is accessed in halves.
    IRExpr* load(IRType type, IRExpr* address) {
        if (type == Ity_I128)
            return binop(Iop_64HLto128, load(Ity_I64, after(address)), load(Ity_I64, address));
        return assign(type, IRExpr_Load(Iend_LE, type, address));
    }
    void store(IRExpr* address, IRExpr* value) {
        if (type_of(value) == Ity_I128) {
            store(after(address), unop(Iop_128HIto64, value));
            value = unop(Iop_128to64, value);
        }
        add(IRStmt_Store(Iend_LE, address, value));
    }
    // base + index + distance, as one operand of a load or store. amd64's instruction selector knows only an
    // index that is shifted, by 0 or more.
    IRExpr* indexed(IRExpr* base, IRExpr* index, u64 distance = 0) {
#if defined(VGA_amd64)
        return binop(Iop_Add64, binop(Iop_Add64, base, binop(Iop_Shl64, index, u8c(0))), u64c(distance));
#else
        IRExpr* sum = binop(Iop_Add64, base, index);
        return distance == 0 ? sum : binop(Iop_Add64, sum, u64c(distance));
#endif
    }
    IRExpr* get(Int offset, IRType type) { return assign(type, IRExpr_Get(offset, type)); }
    void put(Int offset, IRExpr* value) { add(IRStmt_Put(offset, value)); }

    static IRExpr* u1(bool value) { return IRExpr_Const(IRConst_U1(value)); }
    static IRExpr* u8c(u8 value) { return IRExpr_Const(IRConst_U8(value)); }
    static IRExpr* u16c(u16 value) { return IRExpr_Const(IRConst_U16(value)); }
    static IRExpr* u32c(u32 value) { return IRExpr_Const(IRConst_U32(value)); }
    static IRExpr* u64c(u64 value) { return IRExpr_Const(IRConst_U64(value)); }
    static IRExpr* pointer(const void* p) { return u64c(reinterpret_cast<u64>(p)); }

private:
    // VEX's own search for the type takes as long as the rest of an emission.
    IRExpr* assign_result(IROp op, IRExpr* expression) {
        switch (op) {
            case Iop_8Uto64:
            case Iop_16Uto64:
            case Iop_32Uto64:
            case Iop_Add64:
            case Iop_Sub64:
            case Iop_And64:
            case Iop_Or64:
            case Iop_Shl64:
            case Iop_Shr64: return assign(Ity_I64, expression);
            default: return assign(expression);
        }
    }
    static IROp widening_of(IRType type) {
        switch (type) {
            case Ity_I8: return Iop_8Uto64;
            case Ity_I16: return Iop_16Uto64;
            case Ity_I32: return Iop_32Uto64;
            default: return Iop_INVALID;
        }
    }
    void note_widening(IRTemp temp, const IRExpr* made) {
        if (made->tag != Iex_Unop || made->Iex.Unop.arg->tag != Iex_RdTmp) return;
        const IRExpr* const value = made->Iex.Unop.arg;
        if (made->Iex.Unop.op != widening_of(type_of(value))) return;
        const IRTemp from = value->Iex.RdTmp.tmp;
        if (from >= widened_.size()) widened_.resize(2 * from + 64);
        widened_[from] = temp + 1;
    }
    IRExpr* after(IRExpr* address) { return binop(Iop_Add64, address, u64c(8)); }

    IRSB* out_;
    Scratch<IRTemp> widened_;  // the temporary + 1 that has the widened value of another
};

inline bool is_atom(const IRExpr* e) { return e->tag == Iex_RdTmp || e->tag == Iex_Const; }

}  // namespace memspy::instrument
