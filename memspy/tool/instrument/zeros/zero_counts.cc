// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/zero_counts.h"

#include "instrument/core/call_tracking.h"
#include "instrument/core/rare.h"
#include "instrument/zeros/value_bits.h"

namespace memspy::instrument {

namespace {

constexpr u32 kTypeShift = 56;

extern "C" {
void memspy_enter_stretch(Stretch* stretch, ULong path) {
    zero_hooks().fill_cell(*stretch, static_cast<threads::CallPath>(path));
}
// `site`: the type's code, the piece and the offset of the counters.
void memspy_count_rare(ULong site, ULong value) {
    u8* const piece = running_pieces[static_cast<u32>(site >> 32) & (kMostPieces - 1)];
    zero_hooks().count(reinterpret_cast<u64*>(piece + static_cast<u32>(site)),
                       ValueType::from_code(static_cast<u8>(site >> kTypeShift)), &value);
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

bool is_integer(IRType type) {
    return type == Ity_I8 || type == Ity_I16 || type == Ity_I32 || type == Ity_I64;
}

}  // namespace

void ZeroCounts::begin(int from, int end) {
    if (!zero_hooks().contexts) return;
    Address instruction = 0;
    for (int i = from; i < end; ++i) {
        const IRStmt* s = in_->stmts[i];
        if (s->tag == Ist_IMark && instruction == 0) instruction = instruction_address(s);
        if (is_value_load(s)) return enter_stretch(instruction);
    }
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
    if (types_.of(statement).repeats) return;
    LoadedValue value{.statement = statement, .words = {}};
    const IRStmt* s = in_->stmts[statement];
    // The instruction may yet store where a load that is repeated would look.
    if (s->tag == Ist_WrTmp && !is_integer(emit_.type_of(IRExpr_RdTmp(s->Ist.WrTmp.tmp)))) find_words(value);
    waiting_.push_back(value);
}

void ZeroCounts::find_words(LoadedValue& value) {
    const IRStmt* s = in_->stmts[value.statement];
    const u32 bytes = types_.of(value.statement).type.load_bytes();
    CHECK_LE(bytes, kMostWords * ValueCounter::kWord);
    for (u32 at = 0; at < bytes; at += ValueCounter::kWord)
        value.words[at / ValueCounter::kWord] =
            loaded_word(emit_, s, at, bytes - at < ValueCounter::kWord ? bytes - at : ValueCounter::kWord);
}

void ZeroCounts::before_exit() { flush(); }
void ZeroCounts::instruction(const IRStmt* mark) { instruction_ = instruction_address(mark); }
void ZeroCounts::end_of_instruction() { flush(); }

void ZeroCounts::flush() {
    for (LoadedValue& value : waiting_) count(value);
    waiting_.resize(0);
}

void ZeroCounts::end() {
    if (!stretch_.is_open()) return;
    const Stretch* stretch = zero_hooks().stretch_of(stretch_.first(), sites_);
    stretch_.close(*stretch, stretch);
    sites_.resize(0);
}

void ZeroCounts::count(LoadedValue& value) {
    const IRStmt* s = in_->stmts[value.statement];
    IRExpr* guard = s->tag == Ist_LoadG ? s->Ist.LoadG.details->guard : nullptr;
    if (value.words[0] == nullptr) {
        if (s->tag == Ist_WrTmp)
            value.words[0] = emit_.widened(IRExpr_RdTmp(s->Ist.WrTmp.tmp));
        else
            find_words(value);
    }
    const LoadUse& use = types_.of(value.statement);
    if (is_rare() && !zero_hooks().contexts && use.type.load_bytes() <= ValueCounter::kWord)
        return count_by_helper(use, value.words[0], guard);
    const SiteCounters place = counters_at(use);
    if (place.base != nullptr) ValueCounter(emit_, place, guard).count(value.words);
}

// if (guard) count_rare(site, value)
void ZeroCounts::count_by_helper(const LoadUse& use, IRExpr* value, IRExpr* guard) {
    const SiteNumber number = zero_hooks().site_of(instruction_, use.type, use.uses);
    const CounterSlot slot = zero_hooks().slot_of(number);
    if (slot.piece == kMostPieces) return;
    const u64 site =
        u64{zero_hooks().type_of(number).code()} << kTypeShift | u64{slot.piece} << 32 | slot.offset;
    IRDirty* call = unsafeIRDirty_0_N(0, "memspy_count_rare",
                                      VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&memspy_count_rare)),
                                      mkIRExprVec_2(Emitter::u64c(site), value));
    if (guard != nullptr) call->guard = guard;
    emit_.add(IRStmt_Dirty(call));
}

SiteCounters ZeroCounts::counters_at(const LoadUse& use) {
    const SiteNumber number = zero_hooks().site_of(instruction_, use.type, use.uses);
    SiteCounters place{.type = zero_hooks().type_of(number)};
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

}  // namespace memspy::instrument
