// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/zero_counts.h"

#include "instrument/core/call_tracking.h"
#include "instrument/core/rare.h"

namespace memspy::instrument {

namespace {

extern "C" {
void memspy_enter_stretch(Stretch* stretch, ULong path) {
    zero_hooks().fill_cell(*stretch, static_cast<threads::CallPath>(path));
}
void memspy_count_batch() { zero_hooks().count_batch(); }
// `site`: the type's code, the piece and the offset of the counters.
void memspy_count_rare(ULong site, ULong value) {
    u8* const piece = running_pieces[static_cast<u32>(site >> 32) & (kMostPieces - 1)];
    zero_hooks().count(reinterpret_cast<u64*>(piece + static_cast<u32>(site)),
                       ValueType::from_code(static_cast<u8>(site >> kHeadTypeShift)), &value);
}
}

void emit_helper(Emitter& emit, const char* name, void* function, IRExpr** arguments, IRExpr* guard,
                 IRExpr* written, Int bytes) {
    IRDirty* call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    call->guard = guard;
    call->mFx = Ifx_Modify;
    call->mAddr = written;
    call->mSize = bytes;
    emit.add(IRStmt_Dirty(call));
}

// Scalar integers are counted inline, including both of a double swap.
bool is_inline(const IRStmt* s, ValueType type) {
    return !type.is_float() && (type.lanes() == 1 || s->tag == Ist_CAS);
}

// The loaded value of a guarded load, without its widening.
IRExpr* narrowed(Emitter& emit, IRLoadGOp conversion, IRExpr* value) {
    switch (conversion) {
        case ILGop_8Uto32:
        case ILGop_8Sto32: return emit.unop(Iop_32to8, value);
        case ILGop_16Uto32:
        case ILGop_16Sto32: return emit.unop(Iop_32to16, value);
        default: return value;
    }
}

}  // namespace

void ZeroCounts::begin(int from, int end) {
    bool any = false, batched = false;
    Address instruction = 0, instruction_at = instruction_;
    for (int i = from; i < end; ++i) {
        const IRStmt* s = in_->stmts[i];
        if (s->tag == Ist_IMark) instruction_at = instruction_address(s);
        if (s->tag == Ist_IMark && instruction == 0) instruction = instruction_at;
        if (!is_value_load(s)) continue;
        any = true;
        if (counts_by_helper(i) || types_.of(i).repeats) continue;
        batched |= !is_inline(s, types_.of(i).type) || !is_inline(s, best_type(i, instruction_at));
    }
    if (batched && !checked_) check_batch();
    if (any && zero_hooks().contexts) enter_stretch(instruction);
}

// Another translation may know the type of a value that is a plain integer here.
ValueType ZeroCounts::best_type(int statement, Address instruction) const {
    const LoadUse& use = types_.of(statement);
    if (use.type.known()) return use.type;
    return zero_hooks().type_of(zero_hooks().site_of(instruction, use.type, use.uses));
}

// if (batch.cursor >= batch.full) count_batch()
void ZeroCounts::check_batch() {
    checked_ = true;
    IRExpr* const address = Emitter::pointer(&batch.cursor);
    IRExpr* full = emit_.binop(Iop_CmpLE64U, Emitter::pointer(batch.full), emit_.load(Ity_I64, address));
    emit_helper(emit_, "memspy_count_batch", reinterpret_cast<void*>(&memspy_count_batch), mkIRExprVec_0(),
                full, address, sizeof(batch.cursor));
}

void ZeroCounts::enter_stretch(Address first) {
    stretch_.open(emit_, first, cells, kCells, offsetof(CallFrame, path),
                  [this](IRExpr** arguments, IRExpr* guard, IRExpr* cell) {
                      emit_helper(emit_, "memspy_enter_stretch",
                                  reinterpret_cast<void*>(&memspy_enter_stretch), arguments, guard, cell,
                                  sizeof(ContextCell));
                  });
}

void ZeroCounts::loaded(int statement) {
    if (!types_.of(statement).repeats) waiting_.push_back(statement);
}

void ZeroCounts::before_exit() { flush(); }
void ZeroCounts::instruction(const IRStmt* mark) { instruction_ = instruction_address(mark); }
void ZeroCounts::end_of_instruction() { flush(); }

void ZeroCounts::flush() {
    for (int statement : waiting_) count(statement);
    waiting_.resize(0);
    if (batched_ == flushed_) return;
    flushed_ = batched_;
    emit_.store(Emitter::pointer(&batch.cursor), emit_.binop(Iop_Add64, cursor_, Emitter::u64c(batched_)));
}

void ZeroCounts::end() {
    if (!stretch_.is_open()) return;
    const Stretch* stretch = zero_hooks().stretch_of(stretch_.first(), sites_);
    stretch_.close(*stretch, stretch);
    sites_.resize(0);
}

void ZeroCounts::count(int statement) {
    const IRStmt* s = in_->stmts[statement];
    IRExpr* value = nullptr;
    IRExpr* guard = nullptr;
    switch (s->tag) {
        case Ist_WrTmp: value = IRExpr_RdTmp(s->Ist.WrTmp.tmp); break;
        case Ist_LLSC: value = IRExpr_RdTmp(s->Ist.LLSC.result); break;
        case Ist_CAS: value = IRExpr_RdTmp(s->Ist.CAS.details->oldLo); break;
        case Ist_LoadG:
            guard = s->Ist.LoadG.details->guard;
            value = narrowed(emit_, s->Ist.LoadG.details->cvt, IRExpr_RdTmp(s->Ist.LoadG.details->dst));
            break;
        default: CHECK(false);
    }
    if (counts_by_helper(statement)) return count_by_helper(types_.of(statement), value, guard);
    const Counters place = counters_at(types_.of(statement));
    if (place.base == nullptr) return;
    if (!is_inline(s, place.type)) return write_to_batch(place, value, guard);
    count_integer(place, value, guard);
    if (s->tag == Ist_CAS && s->Ist.CAS.details->dataHi != nullptr)
        count_integer(place, IRExpr_RdTmp(s->Ist.CAS.details->oldHi), guard);
}

// Rare superblocks: all but vectors and double swaps.
bool ZeroCounts::counts_by_helper(int statement) const {
    const IRStmt* s = in_->stmts[statement];
    return is_rare() && !zero_hooks().contexts && s->tag != Ist_CAS &&
           types_.of(statement).type.load_bytes() <= sizeof(u64);
}

// if (guard) count_rare(site, value)
void ZeroCounts::count_by_helper(const LoadUse& use, IRExpr* value, IRExpr* guard) {
    const SiteNumber number = zero_hooks().site_of(instruction_, use.type, use.uses);
    const CounterSlot slot = zero_hooks().slot_of(number);
    if (slot.piece == kMostPieces) return;
    switch (emit_.type_of(value)) {
        case Ity_F32: value = emit_.unop(Iop_32Uto64, emit_.unop(Iop_ReinterpF32asI32, value)); break;
        case Ity_F64: value = emit_.unop(Iop_ReinterpF64asI64, value); break;
        default: value = emit_.widened(value);
    }
    const u64 site =
        u64{zero_hooks().type_of(number).code()} << kHeadTypeShift | u64{slot.piece} << 32 | slot.offset;
    IRDirty* call = unsafeIRDirty_0_N(0, "memspy_count_rare",
                                      VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&memspy_count_rare)),
                                      mkIRExprVec_2(Emitter::u64c(site), value));
    if (guard != nullptr) call->guard = guard;
    emit_.add(IRStmt_Dirty(call));
}

ZeroCounts::Counters ZeroCounts::counters_at(const LoadUse& use) {
    const SiteNumber number = zero_hooks().site_of(instruction_, use.type, use.uses);
    Counters place{.type = zero_hooks().type_of(number)};
    if (stretch_.is_open()) {
        place.base = stretch_.block();
        for (SiteNumber known : sites_) {
            if (known == number) return place;
            place.offset += counters_of(zero_hooks().type_of(known)) * sizeof(u64);
        }
        sites_.push_back(number);
        return place;
    }
    const CounterSlot slot = zero_hooks().slot_of(number);
    if (slot.piece == kMostPieces) return place;
    IRExpr*& base = pieces_[slot.piece % kPiecesKept];
    if (base == nullptr || kept_[slot.piece % kPiecesKept] != slot.piece) {
        base = emit_.load(Ity_I64, Emitter::pointer(&running_pieces[slot.piece]));
        kept_[slot.piece % kPiecesKept] = slot.piece;
    }
    place.base = base;
    place.offset = slot.offset;
    return place;
}

//
// counters[leading zero bytes of value] += guard ? 1 : 0;  of 8 bytes, last[leading zero bytes of value] = value
// For a byte one subtraction detects zero. On amd64 Clz64(0) is undefined, and 0 must differ from 1. So a
// value of less than 8 bytes moves up by a byte and gets a bit below. A value v of 8 bytes becomes v | 2 * v
// | 1: one bit longer unless it already has 64 bits, with one zero bit less. On arm64 zero has 64 zero bits.
void ZeroCounts::count_integer(const Counters& place, IRExpr* value, IRExpr* guard) {
    const u32 bytes = place.type.bytes();
    value = emit_.widened(value);
    IRExpr* index = nullptr;
    u64 offset = place.offset;
    if (bytes == 1) {
        index = emit_.binop(Iop_Shr64, emit_.binop(Iop_Sub64, value, Emitter::u64c(1)), Emitter::u8c(63));
    } else {
#if defined(VGA_amd64)
        auto marked = [&](IRExpr* bits) { return emit_.binop(Iop_Or64, bits, Emitter::u64c(1)); };
        IRExpr* zero_bits = nullptr;
        if (bytes == 8) {
            IRExpr* twice = emit_.binop(Iop_Shl64, value, Emitter::u8c(1));
            zero_bits = emit_.unop(leading_zeros_64(), marked(emit_.binop(Iop_Or64, twice, value)));
            zero_bits = emit_.binop(Iop_Add64, zero_bits, Emitter::u64c(1));
        } else {
            zero_bits =
                emit_.unop(leading_zeros_64(), marked(emit_.binop(Iop_Shl64, value, Emitter::u8c(8))));
            offset += sizeof(u64);  // one zero byte less
        }
#else
        IRExpr* zero_bits = emit_.unop(leading_zeros_64(), value);
#endif
        index = emit_.binop(Iop_Shr64, zero_bits, Emitter::u8c(3));
        offset -= (8 - bytes) * sizeof(u64);
    }
    // The address is computed twice, so that the instruction selector can fold it into both instructions.
    auto address = [&](u64 at) {
        IRExpr* scaled = emit_.binop(Iop_Shl64, index, Emitter::u8c(3));
        return emit_.binop(Iop_Add64, emit_.binop(Iop_Add64, place.base, scaled), Emitter::u64c(at));
    };
    IRExpr* more = guard == nullptr ? Emitter::u64c(1) : emit_.unop(Iop_1Uto64, guard);
    IRExpr* sum = emit_.binop(Iop_Add64, emit_.load(Ity_I64, address(offset)), more);
    emit_.store(address(offset), sum);
    if (bytes < 8) return;
    const u64 last = offset + kLastValues * sizeof(u64);
    if (guard != nullptr) value = emit_.ite(guard, value, emit_.load(Ity_I64, address(last)));
    emit_.store(address(last), value);
}

// cursor[0] = guard ? counters and type : nobody's and type;  cursor[1 …] = value
void ZeroCounts::write_to_batch(const Counters& place, IRExpr* value, IRExpr* guard) {
    CHECK(checked_);
    if (cursor_ == nullptr) cursor_ = emit_.load(Ity_I64, Emitter::pointer(&batch.cursor));
    const u64 type = u64{place.type.code()} << kHeadTypeShift;
    IRExpr* head = emit_.binop(Iop_Add64, place.base, Emitter::u64c(place.offset + type));
    if (guard != nullptr)
        head = emit_.ite(guard, head, Emitter::u64c(reinterpret_cast<u64>(nobodys_counters) + type));
    auto at = [&](u32 offset) { return emit_.binop(Iop_Add64, cursor_, Emitter::u64c(batched_ + offset)); };
    emit_.store(at(0), head);
    emit_.store(at(8), value);
    batched_ += 8 + (place.type.load_bytes() < 8 ? 8 : place.type.load_bytes());
    CHECK_LE(batched_, kMostBatchOfSuperblock);
}

}  // namespace memspy::instrument
