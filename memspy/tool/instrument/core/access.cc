// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/access.h"

#include <cstddef>
#include <utility>

#include "instrument/core/registers.h"

namespace memspy::instrument {

static u32 bytes_of(IRType type) { return type == Ity_I1 ? 1 : static_cast<u32>(sizeofIRType(type)); }

int preamble_end(const IRSB* block) {
    int i = 0;
    while (i < block->stmts_used && block->stmts[i]->tag != Ist_IMark) ++i;
    return i;
}

Access access_of_any(const IRSB* block, const IRStmt* statement) {
    Access access;
    switch (statement->tag) {
        case Ist_WrTmp: {
            const IRExpr* data = statement->Ist.WrTmp.data;
            if (data->tag != Iex_Load) break;
            access.address = data->Iex.Load.addr;
            access.bytes = bytes_of(data->Iex.Load.ty);
            access.loads = true;
            break;
        }
        case Ist_Store:
            access.address = statement->Ist.Store.addr;
            access.bytes = bytes_of(typeOfIRExpr(block->tyenv, statement->Ist.Store.data));
            access.stores = true;
            break;
        case Ist_LoadG: {
            IRType result = Ity_INVALID, loaded = Ity_INVALID;
            typeOfIRLoadGOp(statement->Ist.LoadG.details->cvt, &result, &loaded);
            access.address = statement->Ist.LoadG.details->addr;
            access.guard = statement->Ist.LoadG.details->guard;
            access.bytes = bytes_of(loaded);
            access.loads = true;
            break;
        }
        case Ist_StoreG:
            access.address = statement->Ist.StoreG.details->addr;
            access.guard = statement->Ist.StoreG.details->guard;
            access.bytes = bytes_of(typeOfIRExpr(block->tyenv, statement->Ist.StoreG.details->data));
            access.stores = true;
            break;
        case Ist_CAS: {
            const IRCAS* cas = statement->Ist.CAS.details;
            access.address = cas->addr;
            access.bytes = bytes_of(typeOfIRExpr(block->tyenv, cas->dataLo));
            if (cas->dataHi != nullptr) access.bytes *= 2;
            access.loads = access.stores = true;
            break;
        }
        case Ist_LLSC: {
            const IRExpr* stored = statement->Ist.LLSC.storedata;
            access.address = statement->Ist.LLSC.addr;
            access.bytes = bytes_of(stored == nullptr ? typeOfIRTemp(block->tyenv, statement->Ist.LLSC.result)
                                                      : typeOfIRExpr(block->tyenv, stored));
            (stored == nullptr ? access.loads : access.stores) = true;
            break;
        }
        case Ist_Dirty: {
            const IRDirty* call = statement->Ist.Dirty.details;
            if (call->mFx == Ifx_None) break;
            access.address = call->mAddr;
            access.guard = call->guard;
            access.bytes = static_cast<u32>(call->mSize);
            access.loads = call->mFx != Ifx_Write;
            access.stores = call->mFx != Ifx_Read;
            break;
        }
        case Ist_NoOp:
        case Ist_IMark:
        case Ist_AbiHint:
        case Ist_Put:
        case Ist_PutI:
        case Ist_MBE:
        case Ist_Exit: break;
    }
    return access;
}

Addresses::Addresses(const IRSB* block) {
    of_temp_.resize(static_cast<usize>(block->tyenv->types_used));
    for (u32 i = 0; i < of_temp_.size(); ++i) of_temp_[i].root = i;
}

Origin Addresses::origin(const IRExpr* atom) const {
    if (atom->tag == Iex_RdTmp) return of_temp_[atom->Iex.RdTmp.tmp];
    Origin result;
    result.kind = Origin::AddressRoot::Static;
    if (atom->Iex.Const.con->tag == Ico_U64) result.offset = atom->Iex.Const.con->Ico.U64;
    return result;
}

void Addresses::note(const IRStmt* statement) {
    if (statement->tag != Ist_WrTmp) return;
    const IRExpr* data = statement->Ist.WrTmp.data;
    Origin& result = of_temp_[statement->Ist.WrTmp.tmp];
    switch (data->tag) {
        case Iex_Get:
            if (data->Iex.Get.offset == guest_layout().stack_pointer && data->Iex.Get.ty == Ity_I64)
                result.kind = Origin::AddressRoot::Stack;
            if (data->Iex.Get.offset == guest_layout().frame_pointer && data->Iex.Get.ty == Ity_I64)
                result.kind = Origin::AddressRoot::Frame;
            break;
        case Iex_RdTmp:
        case Iex_Const: result = origin(data); break;
        case Iex_Unop:
            switch (data->Iex.Unop.op) {
                case Iop_64to32:
                case Iop_32Uto64:
                case Iop_32Sto64: {
                    // The operand's offset may carry into the bits that go, or come.
                    const Origin from = origin(data->Iex.Unop.arg);
                    if (from.kind == Origin::AddressRoot::Static) break;
                    find_root({data->Iex.Unop.op, from.root, IRTemp_INVALID, from.offset,
                               statement->Ist.WrTmp.tmp, 0},
                              result);
                    break;
                }
                default: break;
            }
            break;
        case Iex_Binop:
            note_operation(data->Iex.Binop.arg1, data->Iex.Binop.arg2, data->Iex.Binop.op, result);
            break;
        default: break;
    }
}

// `result` is the origin of a new root. If an equal one is known, it takes its place.
void Addresses::find_root(const Computed& computed, Origin& result) {
    const u32 mixed = (computed.left * 31 + computed.right) * 31 + static_cast<u32>(computed.constant);
    u32& bucket = buckets_[(mixed + static_cast<u32>(computed.op)) % kBuckets];
    for (u32 number = bucket; number != 0; number = computed_[number - 1].next) {
        if (!computed_[number - 1].is_like(computed)) continue;
        result.root = computed_[number - 1].root;
        return;
    }
    computed_.push_back(computed);
    computed_.back().next = bucket;
    bucket = static_cast<u32>(computed_.size());
}

void Addresses::note_operation(const IRExpr* left, const IRExpr* right, IROp op, Origin& result) {
    if (op == Iop_Add64 && left->tag == Iex_Const) std::swap(left, right);
    const Origin base = origin(left), more = origin(right);
    if (left->tag != Iex_RdTmp || right->tag != Iex_Const) {
        const auto is_of_stack = [](const Origin& from) {
            return from.kind == Origin::AddressRoot::Stack || from.from_stack;
        };
        result.from_stack = (op == Iop_Add64 && (is_of_stack(base) || is_of_stack(more))) ||
                            ((op == Iop_Sub64 || op == Iop_And64) && is_of_stack(base));
        if ((op != Iop_Add64 && op != Iop_Sub64) || base.kind == Origin::AddressRoot::Static ||
            more.kind == Origin::AddressRoot::Static)
            return;
        const bool swapped = op == Iop_Add64 && base.root > more.root;
        result.offset = op == Iop_Add64 ? base.offset + more.offset : base.offset - more.offset;
        return find_root(
            {op, swapped ? more.root : base.root, swapped ? base.root : more.root, 0, result.root, 0},
            result);
    }
    const IRConst* const constant = right->Iex.Const.con;
    if (op == Iop_Shl64 && constant->tag == Ico_U8 && base.kind != Origin::AddressRoot::Static) {
        result.offset = base.offset << constant->Ico.U8;
        return find_root({op, base.root, IRTemp_INVALID, constant->Ico.U8, result.root, 0}, result);
    }
    if (constant->tag != Ico_U64) return;
    if (op == Iop_Add64) {
        result = base;
        result.offset += constant->Ico.U64;
    } else if (op == Iop_Sub64) {
        result = base;
        result.offset -= constant->Ico.U64;
    } else if (op == Iop_And64 && base.kind == Origin::AddressRoot::Stack) {
        result.kind = Origin::AddressRoot::Stack;  // the aligned stack pointer is a root of its own
    }
}

bool writes_stack_pointer(const IRStmt* s) {
    return s->tag == Ist_Put && s->Ist.Put.offset == guest_layout().stack_pointer;
}

const IRStmt* maker_of(const IRSB* block, const IRExpr* value) {
    if (value->tag != Iex_RdTmp) return nullptr;
    for (Int i = 0; i < block->stmts_used; ++i) {
        const IRStmt* const s = block->stmts[i];
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.tmp == value->Iex.RdTmp.tmp) return s;
    }
    return nullptr;
}

namespace {

bool is_sum(IROp op) { return (op >= Iop_Add8 && op <= Iop_Add64) || (op >= Iop_Sub8 && op <= Iop_Sub64); }

// By a few operations: an instruction has no more.
bool is_made_of(const IRSB* block, const IRExpr* value, const IRExpr* old, int operations = 4) {
    if (value->tag == Iex_RdTmp && value->Iex.RdTmp.tmp == old->Iex.RdTmp.tmp) return true;
    const IRStmt* const maker = operations == 0 ? nullptr : maker_of(block, value);
    if (maker == nullptr) return false;
    const auto is = [&](const IRExpr* from) { return is_made_of(block, from, old, operations - 1); };
    const IRExpr* const data = maker->Ist.WrTmp.data;
    if (data->tag == Iex_Unop) return is(data->Iex.Unop.arg);
    if (data->tag == Iex_Binop) return is(data->Iex.Binop.arg1) || is(data->Iex.Binop.arg2);
    return data->tag == Iex_RdTmp && is(data);
}

// How the value is made by the superblock; Replace if it was there before. `old`: what the instruction itself has
// loaded, or null. What is computed without it, as before `xchg %rax, (%rdi)`, was there before, too.
log::UpdateKind kind_of_value(const IRSB* block, const IRExpr* value, const IRExpr* old) {
    while (const IRStmt* maker = maker_of(block, value)) {
        const IRExpr* const data = maker->Ist.WrTmp.data;
        if (data->tag == Iex_Binop) {
            if (old != nullptr && !is_made_of(block, value, old)) break;
            return is_sum(data->Iex.Binop.op) ? log::UpdateKind::Add : log::UpdateKind::Compute;
        }
        if (data->tag == Iex_Unop)
            value = data->Iex.Unop.arg;
        else if (data->tag == Iex_RdTmp)
            value = data;
        else
            break;
    }
    return log::UpdateKind::Replace;
}

// The exclusive load before this exclusive store.
struct ExclusiveLoad {
    const IRStmt* statement = nullptr;  // null if it is not in the superblock
    bool branches = true;               // a branch stands between them, as far as the superblock shows
};
ExclusiveLoad exclusive_load(const IRSB* block, const IRStmt* store) {
    ExclusiveLoad load;
    for (Int i = 0; i < block->stmts_used && block->stmts[i] != store; ++i) {
        const IRStmt* const s = block->stmts[i];
        if (s->tag == Ist_LLSC && s->Ist.LLSC.storedata == nullptr) load = {s, false};
        load.branches |= s->tag == Ist_Exit;
    }
    return load;
}

}  // namespace

log::UpdateKind update_kind(const IRSB* block, const IRStmt* statement) {
    using log::UpdateKind;
    if (statement->tag != Ist_CAS && (statement->tag != Ist_LLSC || statement->Ist.LLSC.storedata == nullptr))
        return UpdateKind::Other;
    const bool cas = statement->tag == Ist_CAS;
    // VEX makes an exchange from a load and a comparison with what was loaded.
    const IRExpr* const expected = cas ? statement->Ist.CAS.details->expdLo : nullptr;
    const IRStmt* const loaded = cas ? maker_of(block, expected) : nullptr;
    const bool has_loaded = loaded != nullptr && loaded->Ist.WrTmp.data->tag == Iex_Load;
    const UpdateKind kind =
        kind_of_value(block, cas ? statement->Ist.CAS.details->dataLo : statement->Ist.LLSC.storedata,
                      has_loaded ? expected : nullptr);
    if (kind != UpdateKind::Replace) return kind;
    const bool compares = cas ? !has_loaded : exclusive_load(block, statement).branches;
    return compares ? UpdateKind::Other : kind;
}

bool compares(const IRSB* block, const IRStmt* statement) {
    if (statement->tag == Ist_LLSC) return exclusive_load(block, statement).branches;
    if (statement->tag != Ist_CAS) return false;
    const IRStmt* const expected = maker_of(block, statement->Ist.CAS.details->expdLo);
    bool loads = false;
    for (Int i = 0; i < block->stmts_used && block->stmts[i] != statement; ++i) {
        const IRStmt* const s = block->stmts[i];
        if (s->tag == Ist_IMark) loads = false;
        loads |= s == expected && s->Ist.WrTmp.data->tag == Iex_Load;
    }
    return !loads;
}

UpdateValues update_values(Emitter& emit, const IRSB* block, const IRStmt* statement) {
    if (statement->tag == Ist_CAS) {
        const IRCAS& cas = *statement->Ist.CAS.details;
        if (cas.dataHi != nullptr) return {};
        IRExpr* const before = emit.widened(IRExpr_RdTmp(cas.oldLo));
        IRExpr* const equal = emit.binop(Iop_CmpEQ64, before, emit.widened(cas.expdLo));
        return {before, emit.ite(equal, emit.widened(cas.dataLo), before)};
    }
    if (statement->tag != Ist_LLSC || statement->Ist.LLSC.storedata == nullptr) return {};
    const IRStmt* const load = exclusive_load(block, statement).statement;
    IRExpr* const stored = statement->Ist.LLSC.storedata;
    if (load == nullptr ||
        typeOfIRTemp(block->tyenv, load->Ist.LLSC.result) != typeOfIRExpr(block->tyenv, stored))
        return {};
    IRExpr* const before = emit.widened(IRExpr_RdTmp(load->Ist.LLSC.result));
    return {before, emit.ite(IRExpr_RdTmp(statement->Ist.LLSC.result), emit.widened(stored), before)};
}

bool is_fence(const IRStmt* statement, const Origin& address) {
    if (statement->tag != Ist_CAS || address.kind != Origin::AddressRoot::Stack) return false;
    const IRCAS& cas = *statement->Ist.CAS.details;
    return cas.dataHi == nullptr && cas.dataLo->tag == Iex_RdTmp && cas.expdLo->tag == Iex_RdTmp &&
           cas.dataLo->Iex.RdTmp.tmp == cas.expdLo->Iex.RdTmp.tmp;
}

namespace {

bool is_vector_register(Int offset) {
#if defined(VGA_amd64)
    return offset >= static_cast<Int>(offsetof(VexGuestAMD64State, guest_YMM0)) &&
           offset < static_cast<Int>(offsetof(VexGuestAMD64State, guest_YMM16));
#else
    return offset >= static_cast<Int>(offsetof(VexGuestARM64State, guest_Q0)) &&
           offset < static_cast<Int>(offsetof(VexGuestARM64State, guest_QCFLAG));
#endif
}

bool makes_vector(IROp op) {
    switch (op) {
        case Iop_32UtoV128:
        case Iop_64UtoV128:
        case Iop_ReinterpI32asF32:
        case Iop_ReinterpI64asF64: return true;
        default: return false;
    }
}

}  // namespace

bool reads_vector_register(const IRStmt* s) {
    return s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
           is_vector_register(s->Ist.WrTmp.data->Iex.Get.offset);
}

bool is_value_load(const IRStmt* s) {
    switch (s->tag) {
        case Ist_WrTmp: return s->Ist.WrTmp.data->tag == Iex_Load;
        case Ist_LLSC: return s->Ist.LLSC.storedata == nullptr;
        // Whole states of the processor (xrstor) are not values.
        case Ist_LoadG: return s->Ist.LoadG.details->cvt != ILGop_IdentV128;
        case Ist_CAS: return true;
        default: return false;
    }
}

bool loads_vector(const IRSB* block, Int statement) {
    const IRStmt* const load = block->stmts[statement];
    if (load->tag != Ist_WrTmp || load->Ist.WrTmp.data->tag != Iex_Load) return false;
    switch (load->Ist.WrTmp.data->Iex.Load.ty) {
        case Ity_F32:
        case Ity_F64:
        case Ity_V128:
        case Ity_V256: return true;
        case Ity_I32:
        case Ity_I64: break;
        default: return false;
    }
    const auto is_loaded = [&](const IRExpr* e) {
        return e->tag == Iex_RdTmp && e->Iex.RdTmp.tmp == load->Ist.WrTmp.tmp;
    };
    for (Int i = statement + 1; i < block->stmts_used && block->stmts[i]->tag != Ist_IMark; ++i) {
        const IRStmt* const s = block->stmts[i];
        if (s->tag == Ist_Put && is_loaded(s->Ist.Put.data)) return is_vector_register(s->Ist.Put.offset);
        if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Unop &&
            is_loaded(s->Ist.WrTmp.data->Iex.Unop.arg))
            return makes_vector(s->Ist.WrTmp.data->Iex.Unop.op);
    }
    return false;
}

bool switches_stack(const IRStmt* s, const Addresses& addresses) {
    if (!writes_stack_pointer(s)) return false;
    const Origin origin = addresses.origin(s->Ist.Put.data);
    return origin.kind != Origin::AddressRoot::Stack && origin.kind != Origin::AddressRoot::Frame &&
           !origin.from_stack;
}

static bool same_base(const Origin& a, const Origin& b) {
    return a.kind == b.kind && (a.kind == Origin::AddressRoot::Static || a.root == b.root);
}

bool KnownFine::covers(const Origin& origin, u32 bytes) const {
    for (u32 i = 0; i < count_; ++i) {
        const FineRange& range = ranges_[i];
        if (!same_base(range.origin, origin)) continue;
        u64 distance = origin.offset - range.origin.offset;
        if (distance < range.bytes && range.bytes - distance >= bytes) return true;
    }
    return false;
}

void KnownFine::add(const Origin& origin, u32 bytes) {
    ranges_[next_] = FineRange{origin, bytes};
    next_ = (next_ + 1) % kRanges;
    if (count_ < kRanges) ++count_;
}

}  // namespace memspy::instrument
