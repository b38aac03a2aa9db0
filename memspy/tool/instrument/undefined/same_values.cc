// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/undefined/same_values.h"

namespace memspy::instrument {

// Code compiled without optimisation loads a variable twice for x ^ x.
void SameValues::note_loaded(IRTemp temp, const IRExpr* load, const Addresses& addresses) {
    const Origin origin = addresses.origin(load->Iex.Load.addr);
    for (const Loaded& before : loaded_) {
        if (before.type != load->Iex.Load.ty || before.origin.kind != origin.kind ||
            before.origin.root != origin.root || before.origin.offset != origin.offset)
            continue;
        same_[temp] = same_as(before.temp) + 1;
        return;
    }
    loaded_.push_back(Loaded{origin, load->Iex.Load.ty, temp});
}

// Registers are zero-extended when they are written, and narrowed when they are read.
void SameValues::note(IRTemp temp, const IRExpr* value, const Addresses& addresses) {
    if (value->tag == Iex_Load) return note_loaded(temp, value, addresses);
    if (value->tag == Iex_RdTmp) same_[temp] = same_as(value->Iex.RdTmp.tmp) + 1;
    if (value->tag != Iex_Unop || value->Iex.Unop.arg->tag != Iex_RdTmp) return;
    const IRTemp from = value->Iex.Unop.arg->Iex.RdTmp.tmp;
    switch (value->Iex.Unop.op) {
        case Iop_8Uto32:
        case Iop_16Uto32:
        case Iop_8Uto64:
        case Iop_16Uto64:
        case Iop_32Uto64: widened_[temp] = same_as(from) + 1; break;
        case Iop_64to8:
        case Iop_64to16:
        case Iop_64to32:
        case Iop_32to8:
        case Iop_32to16: {
            const IRTemp narrow = widened_[same_as(from)];
            if (narrow != 0 && types_->types[narrow - 1] == types_->types[temp]) same_[temp] = narrow;
            break;
        }
        default: break;
    }
}

IRTemp SameValues::same_as(IRTemp temp) const { return same_[temp] == 0 ? temp : same_[temp] - 1; }

bool SameValues::cancels(const IRExpr* e) const {
    const IRExpr *a = e->Iex.Binop.arg1, *b = e->Iex.Binop.arg2;
    if (a->tag != Iex_RdTmp || b->tag != Iex_RdTmp || same_as(a->Iex.RdTmp.tmp) != same_as(b->Iex.RdTmp.tmp))
        return false;
    switch (e->Iex.Binop.op) {
        case Iop_Xor8:
        case Iop_Xor16:
        case Iop_Xor32:
        case Iop_Xor64:
        case Iop_XorV128:
        case Iop_XorV256:
        case Iop_Sub8:
        case Iop_Sub16:
        case Iop_Sub32:
        case Iop_Sub64: return true;
        default: return false;
    }
}

}  // namespace memspy::instrument
