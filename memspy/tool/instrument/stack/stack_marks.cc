// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/stack/stack_marks.h"

#include "instrument/core/policy.h"
#include "instrument/core/sites.h"

namespace memspy::instrument {
namespace {

constexpr i64 kMostInline = 512;  // a frame of at most so many bytes is marked without a call

u64 ones(unsigned bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

// Bytes of states for an access, rounded up to the size of one load; 0: too many.
u32 width_of(i64 offset, u32 bytes) {
    const u32 span = static_cast<u32>(offset & 3) + bytes;
    return span <= 4 ? 1 : span <= 8 ? 2 : span <= 16 ? 4 : span <= 32 ? 8 : 0;
}

}  // namespace

StackMarks::StackMarks(Emitter& emit, const IRSB* in) : emit_(emit), in_(in), on_(policy().follow_stack) {
    if (on_) plans_.resize(static_cast<usize>(in->stmts_used));
}

bool StackMarks::find(const Origin& origin, i64* offset) const {
    if (origin.kind != Origin::AddressRoot::Stack) return false;
    for (const Root& root : roots_)
        if (root.temp == origin.root) {
            *offset = root.offset + static_cast<i64>(origin.offset);
            return *offset > -kReach && *offset < kReach;
        }
    return false;
}

void StackMarks::note(int statement, const Addresses& addresses) {
    if (!on_) return;
    const IRStmt* s = in_->stmts[statement];
    Plan& plan = plans_[static_cast<usize>(statement)];
    if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
        s->Ist.WrTmp.data->Iex.Get.offset == guest_layout().stack_pointer) {
        if (known_) roots_.push_back(Root{s->Ist.WrTmp.tmp, planned_});
        return;
    }
    if (s->tag == Ist_AbiHint) {
        if (!policy().undefined) return;
        used_ = plan.hints = true;
        if (!known_ || !find(addresses.origin(s->Ist.AbiHint.base), &plan.offset)) plan.unknown = true;
        return;
    }
    if (writes_stack_pointer(s)) {
        used_ = plan.moves = true;
        plan.switched = switches_stack(s, addresses);
        const bool found = find(addresses.origin(s->Ist.Put.data), &plan.offset);
        if (known_ && found) {
            planned_ = plan.offset;
        } else {
            plan.unknown = true;
            plan.later = addresses.origin(s->Ist.Put.data).kind == Origin::AddressRoot::Frame;
            known_ = false;
        }
        return;
    }
    const Access access = access_of(in_, s);
    if (!access || s->tag == Ist_Dirty || access.guard != nullptr) return;
    i64 offset = 0;
    if (!find(addresses.origin(access.address), &offset) || !known_) return;
    if (!policy().undefined && !policy().check_stack && offset >= planned_ - kRedZone) {
        plan.kind = MarkEffect::Nothing;
        return;
    }
    if (width_of(offset, access.bytes) == 0) return;
    plan.offset = offset;
    plan.bytes = access.bytes;
    if (access.loads || s->tag == Ist_LLSC)
        plan.kind = MarkEffect::Tests;
    else if (offset >= planned_ - kRedZone)
        plan.kind = MarkEffect::Defines;
    if (plan.kind != MarkEffect::Other) used_ = true;
}

// sp = GET(sp);  if (!(sp - low < size)) goto stack site
// states = bias + (sp >> 2)
void StackMarks::begin(Address first) {
    on_ = on_ && used_;
    if (!on_) return;
    move_ = stack_move_by(first);
    if (move_ == kWritten) fresh_ = Emitter::u64c(0);
    const StackWords words = stack_words();
    start_ = emit_.get(guest_layout().stack_pointer, Ity_I64);
    IRExpr* above = emit_.binop(Iop_Sub64, start_, emit_.get(words.low, Ity_I64));
    IRExpr* leave = emit_.binop(Iop_CmpLE64U, emit_.get(words.size, Ity_I64), above);
    emit_.add(IRStmt_Exit(leave, Ijk_Boring, IRConst_U64(stack_site(first)), emit_.block()->offsIP));
    states_ = emit_.binop(Iop_Add64, emit_.get(words.bias, Ity_I64),
                          emit_.binop(Iop_Shr64, start_, Emitter::u8c(2)));
}

IRExpr* StackMarks::at(i64 offset) {
    const i64 distance = offset >> 2;
    if (distance == 0) return states_;
    return emit_.binop(Iop_Add64, states_, Emitter::u64c(static_cast<u64>(distance)));
}

IRExpr* StackMarks::load_states(i64 offset, u32 bytes) {
    switch (bytes) {
        case 1: return emit_.unop(Iop_8Uto64, emit_.load(Ity_I8, at(offset)));
        case 2: return emit_.unop(Iop_16Uto64, emit_.load(Ity_I16, at(offset)));
        case 4: return emit_.unop(Iop_32Uto64, emit_.load(Ity_I32, at(offset)));
        default: return emit_.load(Ity_I64, at(offset));
    }
}

void StackMarks::store_states(i64 offset, u32 bytes, IRExpr* states) {
    switch (bytes) {
        case 1: emit_.store(at(offset), emit_.unop(Iop_64to8, states)); return;
        case 2: emit_.store(at(offset), emit_.unop(Iop_64to16, states)); return;
        case 4: emit_.store(at(offset), emit_.unop(Iop_64to32, states)); return;
        default: emit_.store(at(offset), states);
    }
}

IRExpr* StackMarks::pattern(Int offset, IRExpr** kept) {
    if (*kept == nullptr) *kept = emit_.get(offset, Ity_I64);
    return *kept;
}

void StackMarks::fill(i64 from, i64 to, IRExpr* pattern) {
    while (from < to) {
        const i64 left = (to - from + 3) / 4;
        const u32 bytes = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        store_states(from, bytes, pattern);
        from += i64{4} * bytes;
    }
}

void StackMarks::mark_new() {
    if (now_ >= marked_) return;
    if (marked_ - now_ > kMostInline || now_ - kRedZone <= -kReach - kRedZone)
        emit_stack_moved(emit_, emit_.binop(Iop_Add64, start_, Emitter::u64c(static_cast<u64>(marked_))),
                         emit_.binop(Iop_Add64, start_, Emitter::u64c(static_cast<u64>(now_))), move_);
    else
        fill(now_ - kRedZone, marked_ - kRedZone, pattern(stack_words().fresh, &fresh_));
    marked_ = now_;
}

void StackMarks::before_check() {
    if (on_) mark_new();
}

void StackMarks::leave() {
    if (!on_) return;
    mark_new();
    if (now_ % kStateGroup != 0) emit_.put(stack_words().size, Emitter::u64c(0));
    if (now_ > marked_) {
        if (now_ - marked_ > kMostInline)
            emit_stack_moved(emit_, emit_.binop(Iop_Add64, start_, Emitter::u64c(static_cast<u64>(marked_))),
                             emit_.binop(Iop_Add64, start_, Emitter::u64c(static_cast<u64>(now_))), move_);
        else
            fill(marked_ - kRedZone, now_ - kRedZone, pattern(stack_words().dead, &dead_));
        marked_ = now_;
    }
    if (moved_from_ == nullptr || (moved_from_ == moved_to_ && moved_how_ == 0)) return;
    emit_stack_moved(emit_, moved_from_, moved_to_, moved_how_ | move_);
    moved_from_ = moved_to_;
    moved_how_ = 0;
}

void StackMarks::met(int statement) {
    if (!on_) return;
    const Plan& plan = plans_[static_cast<usize>(statement)];
    const IRStmt* s = in_->stmts[statement];
    if (plan.hints && kRedZone != 0) {
        if (plan.unknown) {
            moved_how_ |= kHint;
            return;
        }
        leave();
        fill(plan.offset, plan.offset + kRedZone, pattern(stack_words().fresh, &fresh_));
    }
    if (!plan.moves) return;
    if (!plan.unknown) {
        // The stack pointer moved back and forth in one superblock: events in between are not reported.
        now_ = plan.offset;
        return;
    }
    if (moved_from_ == nullptr) {
        mark_new();
        moved_from_ = emit_.binop(Iop_Add64, start_, Emitter::u64c(static_cast<u64>(marked_)));
        marked_ = now_;
    }
    moved_to_ = s->Ist.Put.data;
    if (plan.switched) moved_how_ |= kSwitched;
    // Later code may use the memory.
    if (plan.later) return;
    emit_stack_moved(emit_, moved_from_, moved_to_, moved_how_ | move_);
    moved_from_ = moved_to_;
    moved_how_ = 0;
}

IRExpr* StackMarks::test(int statement) {
    const Plan& plan = plans_[static_cast<usize>(statement)];
    if (plan.offset < marked_ - kRedZone) mark_new();
    const u32 width = width_of(plan.offset, plan.bytes);
    const u64 mask = (ones(2 * plan.bytes) & (policy().undefined ? ~u64{0} : 0xAAAA'AAAA'AAAA'AAAAu))
                     << 2 * (plan.offset & 3);
    IRExpr* states = load_states(plan.offset, width);
    if (mask != ones(8 * width)) states = emit_.binop(Iop_And64, states, Emitter::u64c(mask));
    return emit_.unop(Iop_CmpNEZ64, states);
}

void StackMarks::define(int statement) {
    const Plan& plan = plans_[static_cast<usize>(statement)];
    if (plan.offset < marked_ - kRedZone) mark_new();
    if (!policy().undefined) return;
    const u32 width = width_of(plan.offset, plan.bytes);
    const u64 mask = ones(2 * plan.bytes) << 2 * (plan.offset & 3);
    if (mask == ones(8 * width)) return store_states(plan.offset, width, Emitter::u64c(0));
    IRExpr* states = emit_.binop(Iop_And64, load_states(plan.offset, width), Emitter::u64c(~mask));
    store_states(plan.offset, width, states);
}

}  // namespace memspy::instrument
