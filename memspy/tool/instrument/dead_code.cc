// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/dead_code.h"

#include <cstddef>
#include <initializer_list>

#include "instrument/core/emitter.h"
#include "instrument/core/registers.h"
#include "rt/vector.h"

namespace memspy::instrument {
namespace {

// The second shadow of the event counter is free, because the counter has no origin.
Int sink_offset() {
    return static_cast<Int>(offsetof(VexGuestArchState, host_EvC_COUNTER)) + 2 * guest_layout().state_bytes;
}

// The temporaries that statements behind the present one need. Filled from the block's end.
class Needed {
public:
    explicit Needed(const IRSB* block) {
        temps_.resize(static_cast<usize>(block->tyenv->types_used));
        add(block->next);
    }
    bool has(IRTemp temp) const { return temps_[temp]; }
    void add(const IRExpr* e) {
        if (e == nullptr) return;
        switch (e->tag) {
            case Iex_RdTmp: temps_[e->Iex.RdTmp.tmp] = true; break;
            case Iex_GetI: add(e->Iex.GetI.ix); break;
            case Iex_Qop: add(e->Iex.Qop.details->arg4); [[fallthrough]];
            case Iex_Triop: add_three(e); break;
            case Iex_Binop:
                add(e->Iex.Binop.arg1);
                add(e->Iex.Binop.arg2);
                break;
            case Iex_Unop: add(e->Iex.Unop.arg); break;
            case Iex_Load: add(e->Iex.Load.addr); break;
            case Iex_CCall:
                for (IRExpr** argument = e->Iex.CCall.args; *argument != nullptr; ++argument) add(*argument);
                break;
            case Iex_ITE:
                add(e->Iex.ITE.cond);
                add(e->Iex.ITE.iftrue);
                add(e->Iex.ITE.iffalse);
                break;
            case Iex_Binder:
            case Iex_Get:
            case Iex_Const:
            case Iex_VECRET:
            case Iex_GSPTR: break;
        }
    }
    void add(const IRStmt* s) {
        switch (s->tag) {
            case Ist_WrTmp: add(s->Ist.WrTmp.data); break;
            case Ist_Put: add(s->Ist.Put.data); break;
            case Ist_PutI:
                add(s->Ist.PutI.details->ix);
                add(s->Ist.PutI.details->data);
                break;
            case Ist_Store:
                add(s->Ist.Store.addr);
                add(s->Ist.Store.data);
                break;
            case Ist_LoadG:
                add(s->Ist.LoadG.details->addr);
                add(s->Ist.LoadG.details->alt);
                add(s->Ist.LoadG.details->guard);
                break;
            case Ist_StoreG:
                add(s->Ist.StoreG.details->addr);
                add(s->Ist.StoreG.details->data);
                add(s->Ist.StoreG.details->guard);
                break;
            case Ist_CAS: {
                const IRCAS* cas = s->Ist.CAS.details;
                for (const IRExpr* e : {cas->addr, cas->expdLo, cas->expdHi, cas->dataLo, cas->dataHi})
                    add(e);
                break;
            }
            case Ist_LLSC:
                add(s->Ist.LLSC.addr);
                add(s->Ist.LLSC.storedata);
                break;
            case Ist_Dirty:
                add(s->Ist.Dirty.details->guard);
                add(s->Ist.Dirty.details->mAddr);
                for (IRExpr** argument = s->Ist.Dirty.details->args; *argument != nullptr; ++argument)
                    add(*argument);
                break;
            case Ist_Exit: add(s->Ist.Exit.guard); break;
            case Ist_AbiHint:
                add(s->Ist.AbiHint.base);
                add(s->Ist.AbiHint.nia);
                break;
            case Ist_NoOp:
            case Ist_IMark:
            case Ist_MBE: break;
        }
    }

private:
    void add_three(const IRExpr* e) {
        const bool is_qop = e->tag == Iex_Qop;
        add(is_qop ? e->Iex.Qop.details->arg1 : e->Iex.Triop.details->arg1);
        add(is_qop ? e->Iex.Qop.details->arg2 : e->Iex.Triop.details->arg2);
        add(is_qop ? e->Iex.Qop.details->arg3 : e->Iex.Triop.details->arg3);
    }

    Scratch<bool> temps_;
};

bool is_load(const IRStmt* s) { return s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Load; }

IRExpr* low_word(Emitter& emit, IRExpr* value) {
    switch (emit.type_of(value)) {
        case Ity_I8: return emit.unop(Iop_8Uto32, value);
        case Ity_I16: return emit.unop(Iop_16Uto32, value);
        case Ity_I32: return value;
        case Ity_I64: return emit.unop(Iop_64to32, value);
        case Ity_F32: return emit.unop(Iop_ReinterpF32asI32, value);
        case Ity_F64: return low_word(emit, emit.unop(Iop_ReinterpF64asI64, value));
        case Ity_V128: return emit.unop(Iop_V128to32, value);
        case Ity_V256: return low_word(emit, emit.unop(Iop_V256to64_0, value));
        default: return nullptr;
    }
}

}  // namespace

IRSB* remove_dead_code(IRSB* block) {
    Needed needed(block);
    Scratch<bool> dead;  // loads
    bool any = false;
    for (int i = block->stmts_used - 1; i >= 0; --i) {
        IRStmt*& s = block->stmts[i];
        const bool unused = s->tag == Ist_WrTmp && !needed.has(s->Ist.WrTmp.tmp);
        if (unused && !is_load(s)) {
            s = IRStmt_NoOp();
            continue;
        }
        needed.add(s);
        if (!unused) continue;
        if (!any) dead.resize(static_cast<usize>(block->stmts_used));
        dead[static_cast<usize>(i)] = any = true;
    }
    if (!any) return block;
    IRSB* out = deepCopyIRSBExceptStmts(block);
    Emitter emit(out);
    for (int i = 0; i < block->stmts_used; ++i) {
        IRStmt* s = block->stmts[i];
        emit.add(s);
        if (!dead[static_cast<usize>(i)]) continue;
        if (IRExpr* word = low_word(emit, IRExpr_RdTmp(s->Ist.WrTmp.tmp))) emit.put(sink_offset(), word);
    }
    return out;
}

}  // namespace memspy::instrument
