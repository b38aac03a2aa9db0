// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counts of a *stretch* of code by the calls above it: generated code finds the block of counts for the
// running thread's call path in a table of cells, and calls a helper only where the cell has another one.
#pragma once

#include "instrument/core/call_tracking.h"
#include "instrument/core/emitter.h"
#include "instrument/core/stretch_number.h"

namespace memspy::instrument {

// A cell is its key, 64 bits (the stretch's tag | path; 0: empty), and the address of the block.
class ContextLookup {
public:
    bool is_open() const { return block_ != nullptr; }
    IRExpr* block() const { return block_; }
    Address first() const { return first_; }  // instruction of the stretch

    // path = GET(top)->path, or ->caller;  cell = &cells[(path ^ spread) % count]
    // if (cell->key != (path | tag)) enter(stretch, path);  block = cell->block
    //
    // enter(arguments, guard, cell) emits the call. `count` is a power of two, `field` the path's offset in a
    // CallFrame.
    template <typename F>
    void open(Emitter& emit, Address first, const void* cells, u64 count, u64 field, F enter) {
        first_ = first;
        count_ = count;
        tag_ = IRConst_U64(0);
        spread_ = IRConst_U64(0);
        address_ = IRConst_U64(0);
        IRExpr* top = emit.get(call_top_offset(), Ity_I64);
        IRExpr* path =
            emit.unop(Iop_32Uto64, emit.load(Ity_I32, emit.binop(Iop_Add64, top, Emitter::u64c(field))));
        IRExpr* way = emit.binop(Iop_And64, emit.binop(Iop_Xor64, path, IRExpr_Const(spread_)),
                                 Emitter::u64c(count - 1));
        IRExpr* cell =
            emit.binop(Iop_Add64, emit.binop(Iop_Shl64, way, Emitter::u8c(4)), Emitter::pointer(cells));
        IRExpr* key = emit.binop(Iop_Or64, path, IRExpr_Const(tag_));
        IRExpr* other = emit.binop(Iop_CmpNE64, emit.load(Ity_I64, cell), key);
        enter(mkIRExprVec_2(IRExpr_Const(address_), path), other, cell);
        block_ = emit.load(Ity_I64, emit.binop(Iop_Add64, cell, Emitter::u64c(8)));
    }
    // All sites of the stretch are known, so it has its number: the constants are filled in.
    void close(const StretchNumber& number, const void* stretch) {
        tag_->Ico.U64 = number.tag();
        spread_->Ico.U64 = number.spread() & (count_ - 1);
        address_->Ico.U64 = reinterpret_cast<u64>(stretch);
        *this = ContextLookup();
    }

private:
    Address first_ = 0;
    u64 count_ = 0;
    IRExpr* block_ = nullptr;
    IRConst* tag_ = nullptr;
    IRConst* spread_ = nullptr;
    IRConst* address_ = nullptr;
};

}  // namespace memspy::instrument
