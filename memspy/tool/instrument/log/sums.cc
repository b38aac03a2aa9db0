// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/sums.h"

#include <cstddef>

namespace memspy::instrument {
namespace {

using log::SumKind;

// Which operand of an operation may be the old value.
enum class OldValue : u8 { None, First, Either };

OldValue old_value_in(IROp op) {
    if ((op >= Iop_Add8 && op <= Iop_Add64) || (op >= Iop_Or8 && op <= Iop_Or64) ||
        (op >= Iop_And8 && op <= Iop_And64) || (op >= Iop_Xor8 && op <= Iop_Xor64))
        return OldValue::Either;
    if (op >= Iop_Sub8 && op <= Iop_Sub64) return OldValue::First;
    switch (op) {
        case Iop_AddF64:
        case Iop_AddF32:
        case Iop_Add64F0x2:
        case Iop_Add32F0x4:
        case Iop_Add64Fx2:
        case Iop_Add32Fx4:
        case Iop_Add64Fx4:
        case Iop_Add32Fx8:
        case Iop_Add8x16:
        case Iop_Add16x8:
        case Iop_Add32x4:
        case Iop_Add64x2:
        case Iop_Add32x8:
        case Iop_Add64x4: return OldValue::Either;
        case Iop_SubF64:
        case Iop_SubF32:
        case Iop_Sub64F0x2:
        case Iop_Sub32F0x4:
        case Iop_Sub64Fx2:
        case Iop_Sub32Fx4:
        case Iop_Sub64x2:
        case Iop_Sub32x4: return OldValue::First;
        default: return OldValue::None;
    }
}

// Puts a value into a vector, or two halves together.
bool only_packs(IROp op) {
    return op == Iop_64HLtoV128 || op == Iop_SetV128lo64 || op == Iop_SetV128lo32 || op == Iop_V128HLtoV256;
}

bool is_integer_register(Int offset) {
#if defined(VGA_amd64)
    constexpr Int kFirst = offsetof(VexGuestAMD64State, guest_RAX), kCount = 16;
#else
    constexpr Int kFirst = offsetof(VexGuestARM64State, guest_X0), kCount = 31;
#endif
    return offset >= kFirst && offset < kFirst + 8 * kCount;
}

// In which values last across calls of functions.
bool is_kept_register(Int offset) {
#if defined(VGA_amd64)
    return offset == offsetof(VexGuestAMD64State, guest_RBX) ||
           offset == offsetof(VexGuestAMD64State, guest_RBP) ||
           (offset >= Int{offsetof(VexGuestAMD64State, guest_R12)} &&
            offset <= Int{offsetof(VexGuestAMD64State, guest_R15)});
#else
    return offset >= Int{offsetof(VexGuestARM64State, guest_X19)} &&
           offset <= Int{offsetof(VexGuestARM64State, guest_X28)};
#endif
}

class SumSearch {
public:
    SumSearch(const IRSB* block, const IRStmt* store) : block_(block), store_(store) {}

    SumKind run() {
        const IRExpr* value = nullptr;
        switch (store_->tag) {
            case Ist_Store:
                address_ = store_->Ist.Store.addr;
                value = store_->Ist.Store.data;
                break;
            case Ist_CAS: {
                const IRCAS* const cas = store_->Ist.CAS.details;
                if (cas->dataHi != nullptr) return SumKind::None;
                address_ = cas->addr;
                expected_ = cas->expdLo;
                value = cas->dataLo;
                break;
            }
            case Ist_LLSC:
                if (store_->Ist.LLSC.storedata == nullptr) return SumKind::None;
                address_ = store_->Ist.LLSC.addr;
                value = store_->Ist.LLSC.storedata;
                break;
            default: return SumKind::None;
        }
        if (!leads_to_old(value, 0, false) || !summed_) return SumKind::None;
        // Of a loop that tries until nobody has come between, the load is an instruction of its own. The loop
        // compares the old value and keeps it in a register, which says nothing of the program. But to an
        // integer one instruction would add, if the program did not look at the value in between: as at the
        // place of a queue that it is to take.
        if (expected_ != nullptr &&
            !(is_load_of_word(expected_) && is_of_this_instruction(maker_of(expected_))))
            return of_integers_ ? SumKind::None : SumKind::AddsAfterLoad;
        return is_used_otherwise() ? SumKind::AddsAndTells : SumKind::Adds;
    }

private:
    // VEX leaves copies and changes of width behind: ten temporaries for an addition of 32 bits.
    static constexpr u32 kDeepest = 16, kMostOnWay = 40;

    const IRStmt* maker_of(const IRExpr* value) const {
        if (value->tag != Iex_RdTmp) return nullptr;
        for (Int i = 0; i < block_->stmts_used; ++i) {
            const IRStmt* const s = block_->stmts[i];
            if (s == store_) break;
            if (s->tag == Ist_WrTmp && s->Ist.WrTmp.tmp == value->Iex.RdTmp.tmp) return s;
            if (s->tag == Ist_LLSC && s->Ist.LLSC.result == value->Iex.RdTmp.tmp) return s;
        }
        return nullptr;
    }

    // Whether both have one value, if nobody has stored to memory between them.
    bool are_equal(const IRExpr* a, const IRExpr* b, u32 depth) const {
        if (a->tag == Iex_Const || b->tag == Iex_Const)
            return a->tag == b->tag && eqIRConst(a->Iex.Const.con, b->Iex.Const.con);
        if (a->tag != Iex_RdTmp || b->tag != Iex_RdTmp) return false;
        if (a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp) return true;
        const IRStmt *const x = maker_of(a), *const y = maker_of(b);
        if (depth == kDeepest || x == nullptr || y == nullptr || x->tag != Ist_WrTmp || y->tag != Ist_WrTmp)
            return false;
        const IRExpr *const left = x->Ist.WrTmp.data, *const right = y->Ist.WrTmp.data;
        if (left->tag != right->tag) return false;
        switch (left->tag) {
            case Iex_Get: return left->Iex.Get.offset == right->Iex.Get.offset;
            case Iex_RdTmp: return are_equal(left, right, depth + 1);
            case Iex_Load: return are_equal(left->Iex.Load.addr, right->Iex.Load.addr, depth + 1);
            case Iex_Unop:
                return left->Iex.Unop.op == right->Iex.Unop.op &&
                       are_equal(left->Iex.Unop.arg, right->Iex.Unop.arg, depth + 1);
            case Iex_Binop:
                return left->Iex.Binop.op == right->Iex.Binop.op &&
                       are_equal(left->Iex.Binop.arg1, right->Iex.Binop.arg1, depth + 1) &&
                       are_equal(left->Iex.Binop.arg2, right->Iex.Binop.arg2, depth + 1);
            default: return false;
        }
    }

    bool is_load_of_word(const IRExpr* value) const {
        const IRStmt* const maker = maker_of(value);
        if (maker == nullptr) return false;
        if (maker->tag == Ist_LLSC)
            return maker->Ist.LLSC.storedata == nullptr && are_equal(maker->Ist.LLSC.addr, address_, 0);
        const IRExpr* const data = maker->Ist.WrTmp.data;
        return data->tag == Iex_Load && are_equal(data->Iex.Load.addr, address_, 0);
    }

    bool is_of_this_instruction(const IRStmt* statement) const {
        bool found = false;
        for (Int i = 0; i < block_->stmts_used && block_->stmts[i] != store_; ++i) {
            if (block_->stmts[i] == statement) found = true;
            if (block_->stmts[i]->tag == Ist_IMark) found = false;
        }
        return found;
    }

    // What was put last into the register that the statement gets, or into a wider one that begins there: VEX
    // does not join these. Null if there is no such.
    const IRExpr* put_before(const IRStmt* get) const {
        const auto bytes_of = [this](const IRExpr* value) {
            return sizeofIRType(typeOfIRExpr(block_->tyenv, value));
        };
        const Int begin = get->Ist.WrTmp.data->Iex.Get.offset, end = begin + bytes_of(get->Ist.WrTmp.data);
        const IRExpr* put = nullptr;
        for (Int i = 0; block_->stmts[i] != get; ++i) {
            const IRStmt* const s = block_->stmts[i];
            if (s->tag == Ist_PutI) put = nullptr;
            if (s->tag != Ist_Put) continue;
            const Int first = s->Ist.Put.offset, last = first + bytes_of(s->Ist.Put.data);
            if (first < end && begin < last) put = first == begin && last >= end ? s->Ist.Put.data : nullptr;
        }
        return put;
    }

    // Follows the stored value to the old one, and keeps the temporaries on the way. old: `value` is an
    // operand of the sum, not the sum.
    bool leads_to_old(const IRExpr* value, u32 depth, bool old) {
        if (value->tag != Iex_RdTmp || depth == kDeepest) return false;
        const u32 count = count_;
        way_[count_++] = {value->Iex.RdTmp.tmp, old};
        if (is_old(value)) {
            summed_ = old;
            return true;
        }
        if (const IRStmt* const maker = maker_of(value); maker != nullptr && maker->tag == Ist_WrTmp) {
            const IRExpr* const data = maker->Ist.WrTmp.data;
            switch (data->tag) {
                case Iex_RdTmp:
                    if (leads_to_old(data, depth + 1, old)) return true;
                    break;
                case Iex_Get:
                    if (const IRExpr* put = put_before(maker);
                        put != nullptr && leads_to_old(put, depth + 1, old))
                        return true;
                    break;
                case Iex_Unop:
                    if (leads_to_old(data->Iex.Unop.arg, depth + 1, old)) return true;
                    break;
                case Iex_Binop:
                    if (from_operands(data->Iex.Binop.op, data->Iex.Binop.arg1, data->Iex.Binop.arg2, depth,
                                      old))
                        return true;
                    break;
                case Iex_Triop: {
                    const IRTriop* const op = data->Iex.Triop.details;
                    if (from_operands(op->op, op->arg2, op->arg3, depth, old)) return true;
                    break;
                }
                default: break;
            }
        }
        count_ = count;
        return false;
    }
    bool from_operands(IROp op, const IRExpr* first, const IRExpr* second, u32 depth, bool old) {
        if (only_packs(op))
            return leads_to_old(first, depth + 1, old) || leads_to_old(second, depth + 1, old);
        const OldValue where = old_value_in(op);
        if (where == OldValue::None) return false;
        of_integers_ = op >= Iop_Add8 && op <= Iop_Xor64;
        return leads_to_old(first, depth + 1, true) ||
               (where == OldValue::Either && leads_to_old(second, depth + 1, true));
    }
    bool is_old(const IRExpr* value) const {
        return (expected_ != nullptr && are_equal(value, expected_, 0)) || is_load_of_word(value);
    }

    enum class On : u8 { NotOnWay, Sum, Old };
    On on_way(IRTemp temp) const {
        for (u32 i = 0; i < count_; ++i)
            if (way_[i].temp == temp) return way_[i].old ? On::Old : On::Sum;
        return On::NotOnWay;
    }
    On on_way(const IRExpr* value) const {
        return value->tag == Iex_RdTmp ? on_way(value->Iex.RdTmp.tmp) : On::NotOnWay;
    }
    bool is_on_way(const IRExpr* value) const { return on_way(value) != On::NotOnWay; }

    // A register keeps what was put into it last.
    bool is_last_put(Int number) const {
        const Int offset = block_->stmts[number]->Ist.Put.offset;
        for (Int i = number + 1; i < block_->stmts_used; ++i)
            if (block_->stmts[i]->tag == Ist_Put && block_->stmts[i]->Ist.Put.offset == offset) return false;
        return true;
    }

    // The program does more with the values than to store the sum: it compares or keeps them. A sum that is
    // left in a register says nothing, because compilers leave it there in any case, but for one that lasts
    // across calls.
    bool is_used_otherwise() {
        for (Int i = 0; i < block_->stmts_used; ++i) {
            const IRStmt* const s = block_->stmts[i];
            if (s == store_) continue;
            switch (s->tag) {
                case Ist_Put:
                    if (const On on = on_way(s->Ist.Put.data);
                        ((on == On::Old && is_integer_register(s->Ist.Put.offset)) ||
                         (on == On::Sum && is_kept_register(s->Ist.Put.offset))) &&
                        is_last_put(i))
                        return true;
                    break;
                case Ist_Store:
                    if (is_on_way(s->Ist.Store.data)) return true;
                    break;
                case Ist_WrTmp: {
                    const IRExpr* const data = s->Ist.WrTmp.data;
                    if (on_way(s->Ist.WrTmp.tmp) != On::NotOnWay) break;
                    if (computes_with_way(data)) return true;
                    // The same value, perhaps in another width.
                    const IRExpr* const same = data->tag == Iex_Unop    ? data->Iex.Unop.arg
                                               : data->tag == Iex_RdTmp ? data
                                                                        : nullptr;
                    if (same != nullptr && is_on_way(same) && count_ < kMostOnWay)
                        way_[count_++] = {s->Ist.WrTmp.tmp, on_way(same) == On::Old};
                    break;
                }
                case Ist_Exit:
                    if (is_on_way(s->Ist.Exit.guard)) return true;
                    break;
                default: break;
            }
        }
        return false;
    }
    bool computes_with_way(const IRExpr* data) const {
        switch (data->tag) {
            case Iex_Binop:
                // Of an atomic addition VEX makes one that is tried until nobody has come between.
                if (data->Iex.Binop.op >= Iop_CasCmpEQ8 && data->Iex.Binop.op <= Iop_CasCmpNE64) return false;
                return is_on_way(data->Iex.Binop.arg1) || is_on_way(data->Iex.Binop.arg2);
            case Iex_Triop:
                return is_on_way(data->Iex.Triop.details->arg2) || is_on_way(data->Iex.Triop.details->arg3);
            case Iex_Load: return is_on_way(data->Iex.Load.addr);
            case Iex_ITE: return is_on_way(data->Iex.ITE.iftrue) || is_on_way(data->Iex.ITE.iffalse);
            case Iex_CCall:
                for (IRExpr** each = data->Iex.CCall.args; *each != nullptr; ++each)
                    if (is_on_way(*each)) return true;
                return false;
            default: return false;
        }
    }

    const IRSB* block_;
    const IRStmt* store_;
    const IRExpr* address_ = nullptr;
    const IRExpr* expected_ = nullptr;
    struct OnWay {
        IRTemp temp;
        bool old;
    };
    OnWay way_[kMostOnWay] = {};
    u32 count_ = 0;
    bool summed_ = false;
    bool of_integers_ = false;  // as the last operation on the way
};

}  // namespace

SumKind sum_kind(const IRSB* block, const IRStmt* store) { return SumSearch(block, store).run(); }

}  // namespace memspy::instrument
