// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/bounds/checks.h"

#include "instrument/bounds/calls.h"
#include "instrument/bounds/registers.h"
#include "instrument/core/registers.h"
#include "rt/base.h"
#include "vg/vg.h"

namespace memspy::instrument {
namespace {

using DerivedFrom = Derived::DerivedFrom;

// A check that trips leaves the superblock, and the next one begins at its instruction.
u64 resumed_at = 0;     // that instruction, if it was left and nothing has begun since
u64 running_first = 0;  // of the superblock that runs
u64 has_resumed = 0;    // that one was begun so

void left(u8*, Address instruction) {
    resumed_at = instruction != running_first || has_resumed != 0 ? instruction : 0;
}

// What a check that fails says of its access.
struct CheckedAccess {
    Address code;
    u32 bytes;
    bool stores;
};

extern "C" {
[[gnu::used]] void memspy_outside(const CheckedAccess* checked, Addr address, Addr begin,
                                  const places::VariableBounds* variable) {
    // Generated code does not keep the program counter of an instruction that has no other check.
    const AtInstruction accessing(checked->code);
    tell_outside({.address = address,
                  .code = checked->code,
                  .bytes = checked->bytes,
                  .stores = checked->stores,
                  .begin = begin,
                  .variable = variable});
}
}

// The report unwinds from these registers.
void declare_effects(IRDirty* call) {
    const GuestLayout layout = guest_layout();
    const Int read[] = {layout.stack_pointer, layout.frame_pointer};
    VG_(memset)(&call->fxState, 0, sizeof(call->fxState));
    call->nFxState = 0;
    for (const Int offset : read) {
        auto& effect = call->fxState[call->nFxState++];
        effect.fx = Ifx_Read;
        effect.offset = static_cast<UShort>(offset);
        effect.size = 8;
    }
    auto& effect = call->fxState[call->nFxState++];
    effect.fx = Ifx_Modify;
    effect.offset = static_cast<UShort>(layout.program_counter);
    effect.size = 8;
}

}  // namespace

void BoundsChecks::begin(int begin, int end) {
    const Address first = instruction_address(in_->stmts[begin]);
    if (const u32 function = buffer_function(first); function != 0) emit_call_check(emit_, function);
    is_on_ = derived_.run(begin, end);
    if (!is_on_) return;
    if (is_return_place(first)) emit_return_check(emit_, first);
    for (int i = begin; i < end; ++i)
        if (const Access access = access_of(in_, in_->stmts[i])) derived_.note_use(access.address);
    for (u32 i = 0; i <= kResult; ++i)
        if (const IRExpr* value = derived_.in_register(argument_register(i))) derived_.note_use(value);
    looked_up_.resize(derived_.sources().size());
    emit_resumption(first);
    if (derived_.is_entry() || derived_.follows_call())
        frame_end_ = emit_.binop(Iop_Add64, emit_.get(guest_layout().stack_pointer, Ity_I64),
                                 Emitter::u64c(derived_.is_entry() ? kReturnAddressBytes : 0));
}

// resumes = resumed_at == first;  resumed_at = 0;  running_first = first;  has_resumed = resumes
void BoundsChecks::emit_resumption(Address first) {
    IRExpr* const at = Emitter::pointer(&resumed_at);
    resumes_ = emit_.binop(Iop_CmpEQ64, emit_.load(Ity_I64, at), Emitter::u64c(first));
    emit_.store(at, Emitter::u64c(0));
    emit_.store(Emitter::pointer(&running_first), Emitter::u64c(first));
    emit_.store(Emitter::pointer(&has_resumed), emit_.unop(Iop_1Uto64, resumes_));
    if (derived_.uses_held()) frame_pointer_ = emit_.get(guest_layout().frame_pointer, Ity_I64);
}

void BoundsChecks::access(int statement, const Access& access, const Origin&) {
    if (!is_on_) return;
    if (in_->stmts[statement]->tag != Ist_Dirty) check(access.address, access);
    if (const PointerSource* source = derived_.source_at(statement); source != nullptr && source->is_used)
        looked_up(derived_.of(IRExpr_RdTmp(source->value)).loaded);
    if (const PointerStore* store = derived_.store_at(statement)) note_store(*store, in_->stmts[statement]);
}

// if (variable.known && address - variable.begin > variable.bytes - bytes) memspy_outside(...)
void BoundsChecks::check(const IRExpr* address, const Access& access) {
    const Derived from = derived_.of(address);
    if (from.source != DerivedFrom::Indexed && from.source != DerivedFrom::Loaded) return;
    if (from.source == DerivedFrom::Indexed && (from.bare || from.variable->bytes < access.bytes)) return;
    PointerCode pointer;
    if (!describe(address, &pointer)) return;
    IRExpr* const at = access.address;
    IRExpr* room = emit_.binop(Iop_Sub64, pointer.bytes, Emitter::u64c(access.bytes));
    IRExpr* bad = emit_.binop(Iop_CmpLT64U, room, emit_.binop(Iop_Sub64, at, pointer.begin));
    if (pointer.known != nullptr) bad = emit_.binop(Iop_And1, bad, pointer.known);
    if (access.guard != nullptr) bad = emit_.binop(Iop_And1, bad, access.guard);
    auto* const checked = static_cast<CheckedAccess*>(rt::allocate(sizeof(CheckedAccess), "memspy.checked"));
    *checked = {code_, access.bytes, access.stores};
    IRDirty* call = unsafeIRDirty_0_N(
        0, "memspy_outside", VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&memspy_outside)),
        mkIRExprVec_4(Emitter::pointer(checked), at, pointer.begin, pointer.variable));
    call->guard = bad;
    declare_effects(call);
    emit_.add(IRStmt_Dirty(call));
}

// What is known of the variable that the pointer belongs to; false: nothing.
bool BoundsChecks::describe(const IRExpr* value, PointerCode* pointer) {
    const Derived from = derived_.of(value);
    return describe(from, from.source == DerivedFrom::Loaded ? nullptr : derived_.variable_of(value),
                    pointer);
}

bool BoundsChecks::describe(const Derived& from, const places::VariableBounds* variable,
                            PointerCode* pointer) {
    if (from.source == DerivedFrom::Loaded) {
        *pointer = looked_up(from.loaded);
        return pointer->known != nullptr;
    }
    if (variable == nullptr) return false;
    pointer->begin = Emitter::u64c(static_cast<u64>(variable->begin));
    if (!variable->is_static) {
        IRExpr* const anchor =
            from.anchor == kFramePointerAtBegin ? frame_pointer_ : IRExpr_RdTmp(from.anchor);
        pointer->begin =
            emit_.binop(Iop_Add64, anchor, Emitter::u64c(static_cast<u64>(variable->begin - from.anchor_at)));
    }
    if (from.resumed) pointer->known = resumes_;
    pointer->bytes = Emitter::u64c(variable->bytes);
    pointer->variable = Emitter::pointer(variable);
    return true;
}

// For a variable this comes right behind its load, because another pointer may be stored there.
const PointerCode& BoundsChecks::looked_up(u32 number) {
    PointerCode& code = looked_up_[number];
    const PointerSource& source = derived_.sources()[number];
    if (code.known != nullptr) return code;
    IRExpr* place = source.place;
    if (source.owner == kArgument) {
        if (frame_end_ == nullptr) return code;
        place = emit_.binop(Iop_Add64, frame_end_, Emitter::u64c(kArgumentsAt + source.argument));
    } else if (source.statement == kNoStatement) {
        place = emit_.binop(Iop_Add64, frame_pointer_, Emitter::u64c(static_cast<u64>(source.from_anchor)));
        code = emit_lookup(emit_, emit_entry(emit_, place), place, source.owner, emit_.load(Ity_I64, place));
        code.known = emit_.binop(Iop_And1, code.known, resumes_);
        return code;
    }
    IRExpr* const entry = emit_entry(emit_, place);
    code = emit_lookup(emit_, entry, place, source.owner, IRExpr_RdTmp(source.value));
    // An argument belongs to one call.
    if (source.owner == kArgument) emit_forget(emit_, entry);
    return code;
}

void BoundsChecks::note_store(const PointerStore& store, const IRStmt* statement) {
    IRExpr* const place = statement->Ist.Store.addr;
    PointerCode pointer;
    const bool is_known = describe(statement->Ist.Store.data, &pointer);
    IRExpr* const entry = emit_entry(emit_, place);
    if (is_known)
        emit_note(emit_, entry, place, store.owner, statement->Ist.Store.data, pointer);
    else
        emit_forget(emit_, entry);
}

// Before a call: what is known of its arguments; before a return: of the result.
void BoundsChecks::end(IRJumpKind jump) {
    if (!is_on_ || derived_.function() == nullptr) return;
    IRExpr* const stack_pointer = emit_.get(guest_layout().stack_pointer, Ity_I64);
    if (jump == Ijk_Ret) note_passed(kResult, stack_pointer);
    // The superblock ends before an instruction that another one translates.
    if (jump == Ijk_Boring && emit_.block()->next->tag == Iex_Const &&
        emit_.block()->next->Iex.Const.con->Ico.U64 == derived_.next())
        emit_.store(Emitter::pointer(&resumed_at), Emitter::u64c(derived_.next()));
    if (jump != Ijk_Call) return;
    note_return_place(derived_.next());
    IRExpr* const frame_end = emit_.binop(Iop_Add64, stack_pointer, Emitter::u64c(kReturnAddressBytes));
    for (u32 i = 0; i < kArgumentRegisters; ++i) note_passed(i, frame_end);
}

void BoundsChecks::note_passed(u32 number, IRExpr* frame_end) {
    const Int offset = argument_register(number);
    IRExpr* value = derived_.in_register(offset);
    const Derived* const held = value == nullptr ? derived_.held_in(offset) : nullptr;
    PointerCode pointer;
    if (held != nullptr) {
        if (!describe(*held, held->source == DerivedFrom::Loaded ? nullptr : derived_.variable_of(*held),
                      &pointer))
            return;
        value = emit_.get(offset, Ity_I64);
    } else if (value == nullptr && number == kResult && derived_.follows_call()) {
        pointer = passed_on();
        value = emit_.get(offset, Ity_I64);
    } else if (value == nullptr || emit_.type_of(value) != Ity_I64 || !describe(value, &pointer)) {
        return;
    }
    IRExpr* const place = emit_.binop(Iop_Add64, frame_end, Emitter::u64c(kArgumentsAt + number));
    emit_note(emit_, emit_entry(emit_, place), place, kArgument, value, pointer);
}

// What is known of the called function's result, which the function returns as it is.
PointerCode BoundsChecks::passed_on() {
    for (u32 i = 0; i < derived_.sources().size(); ++i)
        if (derived_.sources()[i].owner == kArgument && derived_.sources()[i].argument == kResult)
            return looked_up(i);
    IRExpr* const place = emit_.binop(Iop_Add64, frame_end_, Emitter::u64c(kArgumentsAt + kResult));
    IRExpr* const entry = emit_entry(emit_, place);
    IRExpr* const value = emit_.get(argument_register(kResult), Ity_I64);
    const PointerCode result = emit_lookup(emit_, entry, place, kArgument, value);
    emit_forget(emit_, entry);
    return result;
}

extern const ObserverKind kBounds;
constexpr ObserverKind kBounds = {.is_on = checks_bounds,
                                  .make = make_observer<BoundsChecks>,
                                  .unmake = unmake_observer<BoundsChecks>,
                                  .tripped = left};

}  // namespace memspy::instrument
