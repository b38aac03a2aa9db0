// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/register_use.h"

namespace memspy::instrument {

void RegisterUse::read(Int offset, Int bytes) {
    use_.touched |= groups_of(offset, bytes);
    if (read_count_ < kMaxReads)
        reads_[read_count_++] = RegisterRange{offset, bytes};
    else
        open_ = false;
}

void RegisterUse::write(Int offset, Int bytes) {
    RegisterMask groups = groups_of(offset, bytes);
    use_.touched |= groups;
    if (!open_ || groups == 0 || use_.overwrites == kMaxOverwrites) return;
    for (u32 i = 0; i < read_count_; ++i)
        if (reads_[i].offset < offset + bytes && offset < reads_[i].offset + reads_[i].bytes) return;
    use_.overwritten[use_.overwrites++] = Overwrite{static_cast<u16>(offset), static_cast<u16>(bytes)};
}

void RegisterUse::note(const IRStmt* s) {
    switch (s->tag) {
        case Ist_WrTmp: {
            const IRExpr* data = s->Ist.WrTmp.data;
            if (data->tag == Iex_Get) {
                read(data->Iex.Get.offset, sizeofIRType(data->Iex.Get.ty));
            } else if (data->tag == Iex_GetI) {
                const IRRegArray* bank = data->Iex.GetI.descr;
                read(bank->base, bank->nElems * sizeofIRType(bank->elemTy));
            }
            break;
        }
        case Ist_Put:
            write(s->Ist.Put.offset, sizeofIRType(typeOfIRExpr(block_->tyenv, s->Ist.Put.data)));
            break;
        case Ist_PutI: {
            const IRRegArray* bank = s->Ist.PutI.details->descr;
            use_.touched |= groups_of(bank->base, bank->nElems * sizeofIRType(bank->elemTy));
            break;
        }
        case Ist_Dirty: {
            const IRDirty* call = s->Ist.Dirty.details;
            for (Int k = 0; k < call->nFxState; ++k)
                for (Int r = 0; r <= call->fxState[k].nRepeats; ++r)
                    read(call->fxState[k].offset + r * call->fxState[k].repeatLen, call->fxState[k].size);
            break;
        }
        case Ist_Exit: open_ = false; break;
        default: break;
    }
}

}  // namespace memspy::instrument
