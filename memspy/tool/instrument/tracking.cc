// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tracking translations: every value has a shadow of undefined bits and an origin. Memory accesses and uses
// of undefined values go through helpers. A null shadow is known to be fully defined when the translation is
// made, and nothing is emitted for it.
#include "instrument/tracking.h"

#include "instrument/instrument.h"
#include "instrument/observers.h"
#include "instrument/register_use.h"
#include "instrument/shadow_code.h"
#include "instrument/stack_window.h"
#include "instrument/undefined.h"

namespace memspy::instrument {

MemorySlot memory_slot;

namespace {

TrackingHooks hooks;
Quiet* running_quiet = nullptr;  // of the running tracking translation, set at its entry

void note_need(bool needed) {
    if (needed && running_quiet != nullptr) running_quiet->left = running_quiet->reload;
}

extern "C" {
void memspy_load(Addr a, ULong bytes) { note_need(hooks.load(a, bytes)); }
void memspy_store(Addr a, ULong bytes) { note_need(hooks.store(a, bytes)); }
void memspy_update(Addr a, ULong bytes) { note_need(hooks.update(a, bytes)); }
void memspy_load_range(Addr a, ULong bytes) { note_need(hooks.load_range(a, bytes)); }
void memspy_store_range(Addr a, ULong bytes) { note_need(hooks.store_range(a, bytes)); }
void memspy_use_condition(ULong origin) {
    note_need(true);
    hooks.use_condition(static_cast<ContextId>(origin));
}
void memspy_switch_stack(Addr stack_pointer) {
    note_need(true);
    hooks.switch_stack(stack_pointer);
}
void memspy_use_value(ULong bytes, ULong origin) {
    note_need(true);
    hooks.use_value(bytes, static_cast<ContextId>(origin));
}
}

// Undefined bits and origin; both null when fully defined.
struct Shadow {
    IRExpr* bits = nullptr;
    IRExpr* origin = nullptr;
};

class TrackingTranslator {
public:
    explicit TrackingTranslator(const IRSB* in)
        : in_(in),
          out_(deepCopyIRSBExceptStmts(in)),
          emit_(out_),
          undefined_(emit_),
          addresses_(in),
          observers_(emit_, in) {
        shadows_.resize(static_cast<usize>(in->tyenv->types_used));
        same_.resize(static_cast<usize>(in->tyenv->types_used));
        widened_.resize(static_cast<usize>(in->tyenv->types_used));
    }
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
    void translate_put(const IRStmt* statement);
    void translate_put_indexed(const IRStmt* statement);

    Shadow shadow_of(const IRExpr* atom);
    Shadow evaluate(IRExpr* expression);
    IRExpr* gather(IRExpr* const* operands, unsigned count, IRExpr** bits);
    Shadow get_register(Int offset, IRType type);
    void put_register(Int offset, IRType type, const Shadow& shadow, IRExpr* guard);
    void raise_mask(RegisterMask groups, IRExpr* bits);
    IRExpr* either_origin(const Shadow& a, const Shadow& b);
    Shadow merge(const Shadow& a, const Shadow& b);

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

    void note_loaded(IRTemp temp, const IRExpr* load);
    void note_same(IRTemp temp, const IRExpr* value);
    IRTemp same_as(IRTemp temp) const;
    bool cancels(const IRExpr* binop) const;

    bool undefined() const { return policy().undefined; }

    const IRSB* in_;
    IRSB* out_;
    Emitter emit_;
    Undefined undefined_;
    Addresses addresses_;
    Observers observers_;
    u64 stack_move_ = kDerived;  // flags that hold for all moves of the stack pointer in the superblock
    Scratch<Shadow> shadows_;
    // Loads since memory was last written. For each temporary, the first temporary that is known to have the
    // same value (its number + 1; 0: none but itself).
    struct Loaded {
        Origin origin;
        IRType type;
        IRTemp temp;
    };
    Scratch<Loaded> loaded_;
    Scratch<IRTemp> same_;
    Scratch<IRTemp> widened_;  // likewise: the temporary of which it is the zero-extended value
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
        if (s->tag == Ist_Exit) observers_.before_exit(s);
        translate(s);
        if (s->tag == Ist_IMark)
            observers_.instruction(s);
        else
            observers_.met(s);
        if (is_value_load(s)) observers_.loaded(i);
        if (s->tag == Ist_Exit) observers_.passed_exit(s);
        if (Access access = access_of(in_, s))
            observers_.access(i, access, addresses_.origin(access.address));
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
    if (writes_memory) loaded_.resize(0);
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
            translate_put(s);
            emit_.add(s);
            break;
        case Ist_PutI:
            translate_put_indexed(s);
            emit_.add(s);
            break;
        case Ist_WrTmp: translate_write(s); break;
        case Ist_Store: {
            Access access = access_of(in_, s);
            check_address(access.address);
            IRType type = type_in(in_, s->Ist.Store.data);
            Shadow shadow = shadow_of(s->Ist.Store.data);
            fill_slot(shadow, type, 0, true);
            store_slot(access, "memspy_store", reinterpret_cast<void*>(&memspy_store), shadow,
                       bad_states(access), nullptr);
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

// --- Values ---

Shadow TrackingTranslator::shadow_of(const IRExpr* atom) {
    if (atom->tag != Iex_RdTmp || !undefined()) return {};
    return shadows_[atom->Iex.RdTmp.tmp];
}

// The origin of a value made from two: that of the one with undefined bits, that of the first if both have
// some.
IRExpr* TrackingTranslator::either_origin(const Shadow& a, const Shadow& b) {
    if (a.bits == nullptr) return b.origin;
    if (b.bits == nullptr || a.origin == b.origin) return a.origin;
    return emit_.ite(undefined_.any(a.bits), a.origin, b.origin);
}

Shadow TrackingTranslator::merge(const Shadow& a, const Shadow& b) {
    return Shadow{undefined_.merge(a.bits, b.bits), either_origin(a, b)};
}

// Fills in the operands' undefined bits; the origin is that of the first operand that has some.
IRExpr* TrackingTranslator::gather(IRExpr* const* operands, unsigned count, IRExpr** bits) {
    Shadow all;
    for (unsigned i = 0; i < count; ++i) {
        Shadow shadow = is_atom(operands[i]) ? shadow_of(operands[i]) : Shadow{};
        bits[i] = shadow.bits;
        if (shadow.bits != nullptr) all = Shadow{shadow.bits, either_origin(all, shadow)};
    }
    return all.origin;
}

Shadow TrackingTranslator::evaluate(IRExpr* e) {
    if (!undefined()) return {};
    Shadow result;
    switch (e->tag) {
        case Iex_Get: return get_register(e->Iex.Get.offset, e->Iex.Get.ty);
        case Iex_GetI: {
            const IRRegArray* bank = e->Iex.GetI.descr;
            if (groups_of(bank->base, 1) == 0) return {};
            IRType type = Undefined::shadow_type(bank->elemTy);
            IRRegArray* shadow_bank = mkIRRegArray(shadow_offset(bank->base), type, bank->nElems);
            result.bits = emit_.assign(type, IRExpr_GetI(shadow_bank, e->Iex.GetI.ix, e->Iex.GetI.bias));
            result.origin = emit_.get(origin_offset(bank->base), Ity_I32);
            return merge(result, Shadow{undefined_.any_to(type, shadow_of(e->Iex.GetI.ix).bits),
                                        shadow_of(e->Iex.GetI.ix).origin});
        }
        case Iex_RdTmp: return shadow_of(e);
        case Iex_Unop: {
            Shadow a = shadow_of(e->Iex.Unop.arg);
            result.bits = undefined_.unop(e->Iex.Unop.op, e->Iex.Unop.arg, a.bits);
            result.origin = a.origin;
            break;
        }
        case Iex_Binop: {
            if (cancels(e)) return {};
            Shadow a = shadow_of(e->Iex.Binop.arg1), b = shadow_of(e->Iex.Binop.arg2);
            result.bits =
                undefined_.binop(e->Iex.Binop.op, e->Iex.Binop.arg1, e->Iex.Binop.arg2, a.bits, b.bits);
            if (result.bits != nullptr) result.origin = either_origin(a, b);
            break;
        }
        case Iex_Triop: {
            const IRTriop* op = e->Iex.Triop.details;
            IRExpr* operands[3] = {op->arg1, op->arg2, op->arg3};
            IRExpr* bits[3];
            result.origin = gather(operands, 3, bits);
            result.bits = undefined_.triop(op->op, operands, bits);
            break;
        }
        case Iex_Qop: {
            const IRQop* op = e->Iex.Qop.details;
            IRExpr* operands[4] = {op->arg1, op->arg2, op->arg3, op->arg4};
            IRExpr* bits[4];
            result.origin = gather(operands, 4, bits);
            result.bits = undefined_.qop(op->op, operands, bits);
            break;
        }
        case Iex_ITE: {
            Shadow c = shadow_of(e->Iex.ITE.cond);
            Shadow t = shadow_of(e->Iex.ITE.iftrue), f = shadow_of(e->Iex.ITE.iffalse);
            result.bits = undefined_.ite(e->Iex.ITE.cond, e->Iex.ITE.iftrue, e->Iex.ITE.iffalse, c.bits,
                                         t.bits, f.bits);
            if (result.bits == nullptr) break;
            // The origin is that of the chosen value.
            IRExpr* none = Emitter::u32c(0);
            IRExpr* chosen =
                t.bits == nullptr && f.bits == nullptr
                    ? nullptr
                    : emit_.ite(e->Iex.ITE.cond, t.origin ? t.origin : none, f.origin ? f.origin : none);
            if (chosen == nullptr)
                result.origin = c.origin;
            else
                result.origin =
                    c.bits == nullptr ? chosen : emit_.ite(undefined_.any(c.bits), c.origin, chosen);
            break;
        }
        case Iex_CCall: {
            constexpr unsigned kMaxArguments = 16;
            IRExpr* bits[kMaxArguments];
            unsigned count = 0;
            while (count < kMaxArguments && e->Iex.CCall.args[count] != nullptr) ++count;
            result.origin = gather(e->Iex.CCall.args, count, bits);
            result.bits =
                undefined_.ccall(e->Iex.CCall.cee, e->Iex.CCall.retty, e->Iex.CCall.args, bits, count);
            break;
        }
        default: break;
    }
    if (result.bits == nullptr)
        result.origin = nullptr;
    else if (result.origin == nullptr)
        result.origin = Emitter::u32c(0);
    return result;
}

// Code compiled without optimisation loads a variable twice for x ^ x.
void TrackingTranslator::note_loaded(IRTemp temp, const IRExpr* load) {
    const Origin origin = addresses_.origin(load->Iex.Load.addr);
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
void TrackingTranslator::note_same(IRTemp temp, const IRExpr* value) {
    if (value->tag == Iex_Load) return note_loaded(temp, value);
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
            if (narrow != 0 && in_->tyenv->types[narrow - 1] == in_->tyenv->types[temp]) same_[temp] = narrow;
            break;
        }
        default: break;
    }
}

IRTemp TrackingTranslator::same_as(IRTemp temp) const { return same_[temp] == 0 ? temp : same_[temp] - 1; }

// Whether the result is 0 for all operands.
bool TrackingTranslator::cancels(const IRExpr* e) const {
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

// --- Registers ---

Shadow TrackingTranslator::get_register(Int offset, IRType type) {
    if (groups_of(offset, 1) == 0) return {};
    return Shadow{emit_.get(shadow_offset(offset), Undefined::shadow_type(type)),
                  emit_.get(origin_offset(offset), Ity_I32)};
}

// poison_mask |= bits != 0 ? groups : 0
void TrackingTranslator::raise_mask(RegisterMask groups, IRExpr* bits) {
    IRExpr* any = emit_.unop(Iop_1Sto32, undefined_.any(bits));
    IRExpr* raised = emit_.binop(Iop_And32, any, Emitter::u32c(groups));
    emit_.put(mask_offset(), emit_.binop(Iop_Or32, emit_.get(mask_offset(), Ity_I32), raised));
}

void TrackingTranslator::put_register(Int offset, IRType type, const Shadow& shadow, IRExpr* guard) {
    RegisterMask groups = groups_of(offset, sizeofIRType(type));
    if (groups == 0) return;
    IRType shadow_type = Undefined::shadow_type(type);
    IRExpr* bits = undefined_.or_zero(shadow.bits, type);
    if (guard != nullptr) bits = emit_.ite(guard, bits, emit_.get(shadow_offset(offset), shadow_type));
    emit_.put(shadow_offset(offset), bits);
    if (shadow.bits == nullptr) return;
    emit_.put(origin_offset(offset), shadow.origin);
    raise_mask(groups, bits);
}

void TrackingTranslator::translate_put(const IRStmt* s) {
    if (!undefined()) return;
    put_register(s->Ist.Put.offset, type_in(in_, s->Ist.Put.data), shadow_of(s->Ist.Put.data), nullptr);
}

void TrackingTranslator::translate_put_indexed(const IRStmt* s) {
    if (!undefined()) return;
    const IRPutI* put = s->Ist.PutI.details;
    RegisterMask groups = groups_of(put->descr->base, 1);
    if (groups == 0) return;
    IRType type = Undefined::shadow_type(put->descr->elemTy);
    Shadow shadow = shadow_of(put->data);
    Shadow index = shadow_of(put->ix);
    shadow = merge(shadow, Shadow{undefined_.any_to(type, index.bits), index.origin});
    IRExpr* bits = undefined_.or_zero(shadow.bits, put->descr->elemTy);
    IRRegArray* bank = mkIRRegArray(shadow_offset(put->descr->base), type, put->descr->nElems);
    emit_.add(IRStmt_PutI(mkIRPutI(bank, put->ix, put->bias, bits)));
    if (shadow.bits == nullptr) return;
    emit_.put(origin_offset(put->descr->base), shadow.origin);
    raise_mask(groups, bits);
}

// --- Uses ---

void TrackingTranslator::call(const char* name, void* function, IRExpr** arguments, IRExpr* guard) {
    IRDirty* dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard != nullptr) dirty->guard = guard;
    // A report unwinds the stack, so the registers that this needs must be in the guest state.
    GuestLayout layout = guest_layout();
    const Int needed[3] = {layout.stack_pointer, layout.frame_pointer, layout.program_counter};
    dirty->nFxState = 3;
    VG_(memset)(&dirty->fxState, 0, sizeof(dirty->fxState));
    for (int i = 0; i < 3; ++i) {
        dirty->fxState[i].fx = Ifx_Read;
        dirty->fxState[i].offset = static_cast<UShort>(needed[i]);
        dirty->fxState[i].size = 8;
    }
    dirty->mFx = Ifx_Modify;
    dirty->mAddr = Emitter::pointer(&memory_slot);
    dirty->mSize = sizeof(memory_slot);
    emit_.add(IRStmt_Dirty(dirty));
}

void TrackingTranslator::check_condition(const IRExpr* condition) {
    Shadow shadow = shadow_of(condition);
    if (shadow.bits == nullptr) return;
    call("memspy_use_condition", reinterpret_cast<void*>(&memspy_use_condition),
         mkIRExprVec_1(emit_.unop(Iop_32Uto64, shadow.origin)), undefined_.any(shadow.bits));
    if (condition->tag == Iex_RdTmp) shadows_[condition->Iex.RdTmp.tmp] = {};
}

// A use is reported once: behind the check, the value counts as defined in this superblock.
void TrackingTranslator::check_address(IRExpr* address) {
    Shadow shadow = shadow_of(address);
    if (shadow.bits == nullptr) return;
    call("memspy_use_value", reinterpret_cast<void*>(&memspy_use_value),
         mkIRExprVec_2(Emitter::u64c(8), emit_.unop(Iop_32Uto64, shadow.origin)),
         undefined_.any(shadow.bits));
    if (address->tag == Iex_RdTmp) shadows_[address->Iex.RdTmp.tmp] = {};
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
    if (undefined()) note_same(temp, data);
    if (data->tag != Iex_Load) {
        shadows_[temp] = evaluate(data);
        emit_.add(s);
        return;
    }
    Access access = access_of(in_, s);
    check_address(access.address);
    load_slot(access, "memspy_load", reinterpret_cast<void*>(&memspy_load), nullptr);
    emit_.add(s);
    if (undefined()) shadows_[temp] = Shadow{slot_bits(data->Iex.Load.ty), slot_origin()};
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
    Shadow other = shadow_of(load->alt);
    IRExpr* origin = slot_origin();
    Shadow& shadow = shadows_[load->dst];
    shadow.bits = emit_.ite(load->guard, bits, undefined_.or_zero(other.bits, result));
    shadow.origin = other.bits == nullptr ? origin : emit_.ite(load->guard, origin, other.origin);
}

void TrackingTranslator::translate_store_guarded(IRStmt* s) {
    const IRStoreG* store = s->Ist.StoreG.details;
    Access access = access_of(in_, s);
    check_condition(store->guard);
    check_address(access.address);
    Shadow shadow = shadow_of(store->data);
    fill_slot(shadow, type_in(in_, store->data), 0, true);
    store_slot(access, "memspy_store", reinterpret_cast<void*>(&memspy_store), shadow, bad_states(access),
               store->guard);
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
        shadows_[cas->oldLo] = Shadow{slot_bits(type), slot_origin()};
        if (two) shadows_[cas->oldHi] = Shadow{slot_bits(type, half), slot_origin()};
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
    Shadow low = shadow_of(cas->dataLo), high = two ? shadow_of(cas->dataHi) : Shadow{};
    fill_slot(low, type, 0, true);
    if (two) fill_slot(high, type, half, low.bits == nullptr);
    store_slot(access, "memspy_update", reinterpret_cast<void*>(&memspy_update), merge(low, high), bad,
               swapped);
}

void TrackingTranslator::translate_llsc(IRStmt* s) {
    Access access = access_of(in_, s);
    check_address(access.address);
    if (s->Ist.LLSC.storedata == nullptr) {
        load_slot(access, "memspy_load", reinterpret_cast<void*>(&memspy_load), nullptr);
        emit_.add(s);
        if (undefined())
            shadows_[s->Ist.LLSC.result] =
                Shadow{slot_bits(type_in(in_, IRExpr_RdTmp(s->Ist.LLSC.result))), slot_origin()};
        return;
    }
    // Everything for a store-conditional comes after it, because a store in between would break the
    // reservation.
    emit_.add(s);
    IRExpr* bad = bad_states(access);
    Shadow shadow = shadow_of(s->Ist.LLSC.storedata);
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
        input = merge(input, Shadow{undefined_.any_to(Ity_I64, shadow.bits), shadow.origin});
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
                add(shadow_of(dirty->args[i]));
        for_each_piece([&](IREffect effect, Int offset, IRType type) {
            if (effect != Ifx_Write) add(get_register(offset, type));
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
        shadows_[dirty->tmp] = Shadow{bits, input.origin};
    }
    for_each_piece([&](IREffect effect, Int offset, IRType type) {
        if (effect == Ifx_Read) return;
        put_register(offset, type, Shadow{undefined_.any_to(type, input.bits), input.origin}, guard);
    });
}

}  // namespace

void set_tracking_hooks(const TrackingHooks& given) { hooks = given; }
const TrackingHooks& tracking_hooks() { return hooks; }

IRSB* translate_tracking(const IRSB* in) { return TrackingTranslator(in).run(); }

}  // namespace memspy::instrument
