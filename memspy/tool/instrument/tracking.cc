// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/tracking.h"

#include "instrument/core/policy.h"
#include "instrument/core/shadow_code.h"
#include "instrument/core/sites.h"
#include "instrument/core/tracking_hooks.h"
#include "instrument/observers.h"
#include "instrument/register_use.h"
#include "instrument/stack/stack_window.h"
#include "instrument/undefined/value_shadows.h"

namespace memspy::instrument {

namespace {

Quiet* running_quiet = nullptr;  // of the running tracking translation, set at its entry

void note_need(bool needed) {
    if (needed && running_quiet != nullptr) running_quiet->left = running_quiet->reload;
}

extern "C" {
void memspy_load(Addr a, ULong bytes) { note_need(tracking_hooks().load(a, bytes)); }
void memspy_store(Addr a, ULong bytes) { note_need(tracking_hooks().store(a, bytes)); }
void memspy_update(Addr a, ULong bytes) { note_need(tracking_hooks().update(a, bytes)); }
void memspy_load_range(Addr a, ULong bytes) { note_need(tracking_hooks().load_range(a, bytes)); }
void memspy_store_range(Addr a, ULong bytes) { note_need(tracking_hooks().store_range(a, bytes)); }
void memspy_use_condition(ULong origin) {
    note_need(true);
    tracking_hooks().use_condition(static_cast<ContextId>(origin));
}
void memspy_switch_stack(Addr stack_pointer) {
    note_need(true);
    tracking_hooks().switch_stack(stack_pointer);
}
void memspy_use_value(ULong bytes, ULong origin) {
    note_need(true);
    tracking_hooks().use_value(bytes, static_cast<ContextId>(origin));
}
}

class TrackingTranslator {
public:
    explicit TrackingTranslator(const IRSB* in)
        : in_(in),
          out_(deepCopyIRSBExceptStmts(in)),
          emit_(out_),
          undefined_(emit_),
          addresses_(in),
          observers_(emit_, in),
          same_(in),
          values_(emit_, undefined_, same_, in, undefined()) {}
    IRSB* run();

private:
    void emit_demotion_check(Address first, RegisterMask touched);
    void translate(IRStmt* statement);
    void translate_write(IRStmt* statement);
    void translate_load_guarded(IRStmt* statement);
    void translate_store_guarded(IRStmt* statement);
    void translate_cas(IRStmt* statement);
    void translate_llsc(IRStmt* statement);
    void translate_dirty(IRStmt* statement);

    void check_address(IRExpr* address);
    void check_condition(const IRExpr* condition);
    IRExpr* bad_states(const Access& access);
    void call(const char* name, void* function, IRExpr** arguments, IRExpr* guard);
    void load_slot(const Access& access, const char* name, void* function, IRExpr* guard);
    IRExpr* slot_bits(IRType type, u32 at = 0);
    IRExpr* slot_origin();
    void fill_slot(const Shadow& shadow, IRType type, u32 at, bool with_origin);
    void store_slot(const Access& access, const char* name, void* function, const Shadow& any_shadow,
                    IRExpr* bad, IRExpr* guard);
    IRExpr* both(IRExpr* a, IRExpr* b);
    IRExpr* either(IRExpr* a, IRExpr* b);

    bool undefined() const { return policy().undefined; }

    const IRSB* in_;
    IRSB* out_;
    Emitter emit_;
    Undefined undefined_;
    Addresses addresses_;
    Observers observers_;
    SameValues same_;
    ValueShadows values_;
    int statement_ = 0;          // that is translated
    u64 stack_move_ = kDerived;  // flags that hold for all moves of the stack pointer in the superblock
};

IRType type_in(const IRSB* block, const IRExpr* atom) {
    return typeOfIRExpr(block->tyenv, const_cast<IRExpr*>(atom));
}

IRSB* TrackingTranslator::run() {
    int begin = preamble_end(in_);
    for (int i = 0; i < begin; ++i) emit_.add(in_->stmts[i]);

    RegisterUse use(in_);
    for (int i = begin; i < in_->stmts_used; ++i) use.note(in_->stmts[i]);
    const Address first = instruction_address(in_->stmts[begin]);
    if (sites_left()) emit_demotion_check(first, use.use().touched);
    stack_move_ = stack_move_by(first);

    observers_.begin(begin, in_->stmts_used);
    for (int i = begin; i < in_->stmts_used; ++i) {
        IRStmt* s = in_->stmts[i];
        if (s->tag == Ist_IMark && i != begin) observers_.end_of_instruction(i);
        const Access access = access_of(in_, s);
        if (s->tag == Ist_Exit) observers_.before_exit(s);
        if (s->tag != Ist_IMark) observers_.met(s);
        statement_ = i;
        translate(s);
        if (s->tag == Ist_IMark) observers_.instruction(s);
        if (is_value_load(s)) observers_.loaded(i);
        if (s->tag == Ist_Exit) observers_.passed_exit(s);
        if (access) observers_.access(i, access, addresses_.origin(access.address));
    }
    if (undefined()) check_address(in_->next);
    observers_.end_of_instruction(in_->stmts_used);
    observers_.end(out_->jumpkind);
    return out_;
}

// running_quiet = quiet
// left = (poison_mask & touched) ? quiet->reload : quiet->left - 1;  quiet->left = left
// if (left == 0) goto demotion site
void TrackingTranslator::emit_demotion_check(Address first, RegisterMask touched) {
    Quiet* quiet = quiet_countdown(first);
    emit_.store(Emitter::pointer(&running_quiet), Emitter::pointer(quiet));
    IRExpr* left =
        emit_.binop(Iop_Sub32, emit_.load(Ity_I32, Emitter::pointer(&quiet->left)), Emitter::u32c(1));
    if (undefined()) {
        IRExpr* met = emit_.binop(Iop_And32, emit_.get(mask_offset(), Ity_I32), Emitter::u32c(touched));
        IRExpr* reload = emit_.load(Ity_I32, Emitter::pointer(&quiet->reload));
        left = emit_.ite(emit_.unop(Iop_CmpNEZ32, met), reload, left);
    }
    emit_.store(Emitter::pointer(&quiet->left), left);
    IRExpr* over = emit_.binop(Iop_CmpEQ32, left, Emitter::u32c(0));
    emit_.add(IRStmt_Exit(over, Ijk_Boring, IRConst_U64(demotion_site(first)), out_->offsIP));
}

void TrackingTranslator::translate(IRStmt* s) {
    addresses_.note(s);
    if (switches_stack(s, addresses_))
        call("memspy_switch_stack", reinterpret_cast<void*>(&memspy_switch_stack),
             mkIRExprVec_1(s->Ist.Put.data), nullptr);
    const bool writes_memory = s->tag == Ist_Store || s->tag == Ist_StoreG || s->tag == Ist_CAS ||
                               s->tag == Ist_LLSC || s->tag == Ist_Dirty;
    if (writes_memory) same_.forget_memory();
    if (policy().follow_stack && writes_stack_pointer(s))
        emit_stack_moved(emit_, emit_.get(guest_layout().stack_pointer, Ity_I64), s->Ist.Put.data,
                         stack_move_ | (switches_stack(s, addresses_) ? kSwitched : kDerived));
    if (policy().follow_stack && s->tag == Ist_AbiHint) {
        IRExpr* top = emit_.binop(Iop_Add64, s->Ist.AbiHint.base, Emitter::u64c(kRedZone));
        emit_stack_moved(emit_, top, top, stack_move_ | kHint);
    }
    switch (s->tag) {
        case Ist_IMark:
            emit_.add(s);
            // VEX leaves out this write where it unrolled a loop or followed a jump, but a report must name
            // the instruction.
            emit_.put(guest_layout().program_counter, Emitter::u64c(instruction_address(s)));
            break;
        case Ist_NoOp:
        case Ist_AbiHint:
        case Ist_MBE: emit_.add(s); break;
        case Ist_Put:
            if (undefined())
                values_.put(s->Ist.Put.offset, type_in(in_, s->Ist.Put.data), values_.of(s->Ist.Put.data),
                            nullptr);
            emit_.add(s);
            break;
        case Ist_PutI:
            if (undefined()) values_.put_indexed(s);
            emit_.add(s);
            break;
        case Ist_WrTmp: translate_write(s); break;
        case Ist_Store: {
            Access access = access_of(in_, s);
            check_address(access.address);
            IRType type = type_in(in_, s->Ist.Store.data);
            Shadow shadow = values_.of(s->Ist.Store.data);
            fill_slot(shadow, type, 0, true);
            store_slot(access, "memspy_store", reinterpret_cast<void*>(&memspy_store), shadow,
                       bad_states(access), nullptr);
            observers_.before_store(statement_, access);
            emit_.add(s);
            break;
        }
        case Ist_LoadG: translate_load_guarded(s); break;
        case Ist_StoreG: translate_store_guarded(s); break;
        case Ist_CAS: translate_cas(s); break;
        case Ist_LLSC: translate_llsc(s); break;
        case Ist_Dirty: translate_dirty(s); break;
        case Ist_Exit:
            check_condition(s->Ist.Exit.guard);
            emit_.add(s);
            break;
    }
}

// --- Uses ---

void TrackingTranslator::call(const char* name, void* function, IRExpr** arguments, IRExpr* guard) {
    IRDirty* dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard != nullptr) dirty->guard = guard;
    // For reports.
    reads_frame_registers(dirty);
    dirty->mFx = Ifx_Modify;
    dirty->mAddr = Emitter::pointer(&memory_slot);
    dirty->mSize = sizeof(memory_slot);
    emit_.add(IRStmt_Dirty(dirty));
}

void TrackingTranslator::check_condition(const IRExpr* condition) {
    Shadow shadow = values_.of(condition);
    if (shadow.bits == nullptr) return;
    call("memspy_use_condition", reinterpret_cast<void*>(&memspy_use_condition),
         mkIRExprVec_1(emit_.unop(Iop_32Uto64, shadow.origin)), undefined_.any(shadow.bits));
    if (condition->tag == Iex_RdTmp) values_.set(condition->Iex.RdTmp.tmp, Shadow{});
}

// A use is reported once: behind the check, the value counts as defined in this superblock.
void TrackingTranslator::check_address(IRExpr* address) {
    Shadow shadow = values_.of(address);
    if (shadow.bits == nullptr) return;
    call("memspy_use_value", reinterpret_cast<void*>(&memspy_use_value),
         mkIRExprVec_2(Emitter::u64c(8), emit_.unop(Iop_32Uto64, shadow.origin)),
         undefined_.any(shadow.bits));
    if (address->tag == Iex_RdTmp) values_.set(address->Iex.RdTmp.tmp, Shadow{});
}

// --- Memory ---

IRExpr* TrackingTranslator::both(IRExpr* a, IRExpr* b) {
    if (a == nullptr) return b;
    return b == nullptr ? a : emit_.binop(Iop_And1, a, b);
}

IRExpr* TrackingTranslator::either(IRExpr* a, IRExpr* b) {
    if (a == nullptr) return b;
    return b == nullptr ? a : emit_.binop(Iop_Or1, a, b);
}

IRExpr* TrackingTranslator::bad_states(const Access& access) {
    // Any state but fine goes to the helper, including the uninitialised states that a store makes fine.
    Access strict = access;
    strict.loads = true;
    return test_exact(emit_, strict).bad;
}

IRExpr* TrackingTranslator::slot_bits(IRType type, u32 at) {
    IRType shadow_type = Undefined::shadow_type(type);
    return emit_.load(shadow_type, Emitter::u64c(reinterpret_cast<u64>(&memory_slot.undefined) + at));
}

IRExpr* TrackingTranslator::slot_origin() {
    return emit_.load(Ity_I32, Emitter::pointer(&memory_slot.origin));
}

// slot.undefined = 0;  if (bad) load(address, bytes)
void TrackingTranslator::load_slot(const Access& access, const char* name, void* function, IRExpr* guard) {
    IRExpr* bad = bad_states(access);
    if (undefined())
        for (u32 i = 0; i < (access.bytes + 7) / 8; ++i)
            emit_.store(Emitter::pointer(&memory_slot.undefined[i]), Emitter::u64c(0));
    call(name, function, mkIRExprVec_2(access.address, Emitter::u64c(access.bytes)), both(bad, guard));
}

void TrackingTranslator::fill_slot(const Shadow& shadow, IRType type, u32 at, bool with_origin) {
    if (!undefined()) return;
    emit_.store(Emitter::u64c(reinterpret_cast<u64>(&memory_slot.undefined) + at),
                undefined_.or_zero(shadow.bits, type));
    if (with_origin && shadow.bits != nullptr)
        emit_.store(Emitter::pointer(&memory_slot.origin), shadow.origin);
}

// if (guard && (bits != 0 || bad)) store(address, bytes)
void TrackingTranslator::store_slot(const Access& access, const char* name, void* function,
                                    const Shadow& shadow, IRExpr* bad, IRExpr* guard) {
    IRExpr* needed = either(undefined_.any(shadow.bits), bad);
    call(name, function, mkIRExprVec_2(access.address, Emitter::u64c(access.bytes)), both(needed, guard));
}

void TrackingTranslator::translate_write(IRStmt* s) {
    IRTemp temp = s->Ist.WrTmp.tmp;
    IRExpr* data = s->Ist.WrTmp.data;
    if (undefined()) same_.note(temp, data, addresses_);
    if (data->tag != Iex_Load) {
        values_.set(temp, values_.evaluate(data));
        emit_.add(s);
        return;
    }
    Access access = access_of(in_, s);
    check_address(access.address);
    load_slot(access, "memspy_load", reinterpret_cast<void*>(&memspy_load), nullptr);
    emit_.add(s);
    if (undefined()) values_.set(temp, Shadow{slot_bits(data->Iex.Load.ty), slot_origin()});
}

void TrackingTranslator::translate_load_guarded(IRStmt* s) {
    const IRLoadG* load = s->Ist.LoadG.details;
    Access access = access_of(in_, s);
    check_condition(load->guard);
    check_address(access.address);
    load_slot(access, "memspy_load", reinterpret_cast<void*>(&memspy_load), load->guard);
    emit_.add(s);
    if (!undefined()) return;
    IRType result = Ity_INVALID, loaded = Ity_INVALID;
    typeOfIRLoadGOp(load->cvt, &result, &loaded);
    IRExpr* bits = slot_bits(loaded);
    switch (load->cvt) {
        case ILGop_8Uto32: bits = emit_.unop(Iop_8Uto32, bits); break;
        case ILGop_8Sto32: bits = emit_.unop(Iop_8Sto32, bits); break;
        case ILGop_16Uto32: bits = emit_.unop(Iop_16Uto32, bits); break;
        case ILGop_16Sto32: bits = emit_.unop(Iop_16Sto32, bits); break;
        default: break;
    }
    Shadow other = values_.of(load->alt);
    IRExpr* origin = slot_origin();
    Shadow shadow;
    shadow.bits = emit_.ite(load->guard, bits, undefined_.or_zero(other.bits, result));
    shadow.origin = other.bits == nullptr ? origin : emit_.ite(load->guard, origin, other.origin);
    values_.set(load->dst, shadow);
}

void TrackingTranslator::translate_store_guarded(IRStmt* s) {
    const IRStoreG* store = s->Ist.StoreG.details;
    Access access = access_of(in_, s);
    check_condition(store->guard);
    check_address(access.address);
    Shadow shadow = values_.of(store->data);
    fill_slot(shadow, type_in(in_, store->data), 0, true);
    store_slot(access, "memspy_store", reinterpret_cast<void*>(&memspy_store), shadow, bad_states(access),
               store->guard);
    observers_.before_store(statement_, access);
    emit_.add(s);
}

// The load part is checked and gives the old value's shadow. The store part is recorded if the swap happened.
void TrackingTranslator::translate_cas(IRStmt* s) {
    const IRCAS* cas = s->Ist.CAS.details;
    Access access = access_of(in_, s);
    IRType type = type_in(in_, cas->dataLo);
    u32 half = static_cast<u32>(sizeofIRType(type));
    bool two = cas->dataHi != nullptr;
    check_address(access.address);
    load_slot(access, "memspy_load", reinterpret_cast<void*>(&memspy_load), nullptr);
    if (undefined()) {
        // Read the slot before it is filled again.
        values_.set(cas->oldLo, Shadow{slot_bits(type), slot_origin()});
        if (two) values_.set(cas->oldHi, Shadow{slot_bits(type, half), slot_origin()});
    }
    IRExpr* bad = bad_states(access);
    emit_.add(s);
    if (!undefined()) return;

    IROp equal = type == Ity_I64   ? Iop_CasCmpEQ64
                 : type == Ity_I32 ? Iop_CasCmpEQ32
                 : type == Ity_I16 ? Iop_CasCmpEQ16
                                   : Iop_CasCmpEQ8;
    IRExpr* swapped = emit_.binop(equal, IRExpr_RdTmp(cas->oldLo), cas->expdLo);
    if (two) swapped = both(swapped, emit_.binop(equal, IRExpr_RdTmp(cas->oldHi), cas->expdHi));
    Shadow low = values_.of(cas->dataLo), high = two ? values_.of(cas->dataHi) : Shadow{};
    fill_slot(low, type, 0, true);
    if (two) fill_slot(high, type, half, low.bits == nullptr);
    store_slot(access, "memspy_update", reinterpret_cast<void*>(&memspy_update), values_.merge(low, high),
               bad, swapped);
}

void TrackingTranslator::translate_llsc(IRStmt* s) {
    Access access = access_of(in_, s);
    check_address(access.address);
    if (s->Ist.LLSC.storedata == nullptr) {
        load_slot(access, "memspy_load", reinterpret_cast<void*>(&memspy_load), nullptr);
        emit_.add(s);
        if (undefined())
            values_.set(s->Ist.LLSC.result,
                        Shadow{slot_bits(type_in(in_, IRExpr_RdTmp(s->Ist.LLSC.result))), slot_origin()});
        return;
    }
    // Everything for a store-conditional comes after it, because a store in between would break the
    // reservation.
    emit_.add(s);
    IRExpr* bad = bad_states(access);
    Shadow shadow = values_.of(s->Ist.LLSC.storedata);
    fill_slot(shadow, type_in(in_, s->Ist.LLSC.storedata), 0, true);
    store_slot(access, "memspy_store", reinterpret_cast<void*>(&memspy_store), shadow, bad,
               IRExpr_RdTmp(s->Ist.LLSC.result));
}

// A helper of the core counts as one operation: any undefined bit among its inputs makes all its outputs
// undefined.
void TrackingTranslator::translate_dirty(IRStmt* s) {
    const IRDirty* dirty = s->Ist.Dirty.details;
    bool always = dirty->guard->tag == Iex_Const;
    IRExpr* guard = always ? nullptr : dirty->guard;
    check_condition(dirty->guard);
    Shadow input;  // of shadow type I64

    auto add = [&](const Shadow& shadow) {
        input = values_.merge(input, Shadow{undefined_.any_to(Ity_I64, shadow.bits), shadow.origin});
    };
    auto for_each_piece = [&](auto&& f) {
        for (Int k = 0; k < dirty->nFxState; ++k) {
            for (Int r = 0; r <= dirty->fxState[k].nRepeats; ++r) {
                Int at = dirty->fxState[k].offset + r * dirty->fxState[k].repeatLen;
                Int end = at + dirty->fxState[k].size;
                while (at < end) {
                    Int piece = at % 8 == 0 && end - at >= 8 ? 8 : at % 4 == 0 && end - at >= 4 ? 4 : 1;
                    f(dirty->fxState[k].fx, at, piece == 8 ? Ity_I64 : piece == 4 ? Ity_I32 : Ity_I8);
                    at += piece;
                }
            }
        }
    };

    if (undefined()) {
        for (unsigned i = 0; dirty->args[i] != nullptr; ++i)
            if (is_atom(dirty->args[i]) && !(dirty->cee->mcx_mask & (1u << i)))
                add(values_.of(dirty->args[i]));
        for_each_piece([&](IREffect effect, Int offset, IRType type) {
            if (effect != Ifx_Write) add(values_.get(offset, type));
        });
    }
    if (dirty->mFx != Ifx_None) {
        check_address(dirty->mAddr);
        IRExpr** arguments = mkIRExprVec_2(dirty->mAddr, Emitter::u64c(static_cast<u64>(dirty->mSize)));
        if (dirty->mFx != Ifx_Write) {
            if (undefined()) emit_.store(Emitter::pointer(&memory_slot.undefined[0]), Emitter::u64c(0));
            call("memspy_load_range", reinterpret_cast<void*>(&memspy_load_range), arguments, guard);
            if (undefined()) add(Shadow{slot_bits(Ity_I64), slot_origin()});
        }
        if (dirty->mFx != Ifx_Read) {
            fill_slot(input, Ity_I64, 0, true);
            call("memspy_store_range", reinterpret_cast<void*>(&memspy_store_range), arguments, guard);
        }
    }
    emit_.add(s);
    if (!undefined()) return;

    if (dirty->tmp != IRTemp_INVALID && input.bits != nullptr) {
        IRType type = type_in(in_, IRExpr_RdTmp(dirty->tmp));
        IRExpr* bits = undefined_.any_to(Undefined::shadow_type(type), input.bits);
        if (guard != nullptr) bits = emit_.ite(guard, bits, undefined_.zero(Undefined::shadow_type(type)));
        values_.set(dirty->tmp, Shadow{bits, input.origin});
    }
    for_each_piece([&](IREffect effect, Int offset, IRType type) {
        if (effect == Ifx_Read) return;
        values_.put(offset, type, Shadow{undefined_.any_to(type, input.bits), input.origin}, guard);
    });
}

}  // namespace

IRSB* translate_tracking(const IRSB* in) { return TrackingTranslator(in).run(); }

}  // namespace memspy::instrument
