// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/effects/deciding_loads.h"

namespace memspy::instrument {

// Backwards: a temporary decides if an exit's guard, or one that decides, is computed from it. A load's address
// does not decide because of what is loaded.
DecidingLoads::DecidingLoads(const IRSB* block) {
    decides_.resize(static_cast<usize>(block->tyenv->types_used));
    for (int i = block->stmts_used - 1; i >= 0; --i) {
        const IRStmt* const s = block->stmts[i];
        if (s->tag == Ist_Exit) use(s->Ist.Exit.guard);
        if (s->tag == Ist_WrTmp && decides_[s->Ist.WrTmp.tmp]) use(s->Ist.WrTmp.data);
    }
}

void DecidingLoads::use(const IRExpr* e) {
    switch (e->tag) {
        case Iex_RdTmp: decides_[e->Iex.RdTmp.tmp] = true; return;
        case Iex_Unop: return use(e->Iex.Unop.arg);
        case Iex_Binop: use(e->Iex.Binop.arg1); return use(e->Iex.Binop.arg2);
        case Iex_Triop: use(e->Iex.Triop.details->arg2); return use(e->Iex.Triop.details->arg3);
        case Iex_ITE:
            use(e->Iex.ITE.cond);
            use(e->Iex.ITE.iftrue);
            return use(e->Iex.ITE.iffalse);
        case Iex_CCall:
            for (IRExpr** argument = e->Iex.CCall.args; *argument != nullptr; ++argument) use(*argument);
            return;
        default: return;
    }
}

}  // namespace memspy::instrument
