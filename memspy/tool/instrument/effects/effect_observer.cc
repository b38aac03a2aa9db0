// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/effects/effect_observer.h"

#include <algorithm>
#include <bit>

#include "instrument/core/call_tracking.h"
#include "instrument/core/registers.h"
#include "instrument/core/twins.h"
#include "instrument/stack/stack_window.h"

namespace memspy::instrument {

EffectCell* effect_cells = nullptr;

namespace {

EffectHooks hooks;

constexpr u32 kWord = 8, kMostBytes = 32;

u32 size_index(u32 bytes) { return static_cast<u32>(std::countr_zero(bytes)); }

}  // namespace

void set_effect_hooks(const EffectHooks& given) { hooks = given; }

void EffectObserver::instruction(const IRStmt* mark) {
    instruction_ = instruction_address(mark);
    loads_ = 0;
    moves_stack_ = false;
}

// --- Sites ---

// if (block->age != *age) refresh(block)
void EffectObserver::open_stretch() {
    stretch_.open(emit_, instruction_, effect_cells, kEffectCells, offsetof(CallFrame, caller),
                  [this](IRExpr** arguments, IRExpr* guard, IRExpr*) {
                      call("memspy_effect_enter", reinterpret_cast<const void*>(hooks.enter), arguments,
                           guard);
                  });
    IRExpr* of_block = emit_.load(
        Ity_I32, emit_.binop(Iop_Add64, stretch_.block(), Emitter::u64c(offsetof(EffectBlock, age))));
    IRExpr* other = emit_.binop(Iop_CmpNE32, of_block, emit_.load(Ity_I32, Emitter::pointer(hooks.age)));
    call("memspy_effect_refresh", reinterpret_cast<const void*>(hooks.refresh),
         mkIRExprVec_1(stretch_.block()), other);
}

void EffectObserver::close_stretch() {
    if (!stretch_.is_open()) return;
    const EffectStretch* stretch = hooks.stretch_of(stretch_.first(), sites_);
    stretch_.close(*stretch, stretch);
    sites_.resize(0);
}

IRExpr* EffectObserver::counts_of(const EffectSite& site) {
    if (!stretch_.is_open()) open_stretch();
    const u64 offset = sizeof(EffectBlock) + sites_.size() * sizeof(SiteCounts);
    sites_.push_back(site);
    return emit_.binop(Iop_Add64, stretch_.block(), Emitter::u64c(offset));
}

EffectSite EffectObserver::site_of(EffectKind kind, const Access& access, const Origin& origin) const {
    return {.instruction = instruction_,
            .kind = kind,
            .bytes = static_cast<u8>(access.bytes <= kMostBytes ? access.bytes : 0),
            .direct = origin.kind == Origin::AddressRoot::Stack || origin.kind == Origin::AddressRoot::Frame,
            .pushes = moves_stack_};
}

// A helper may unwind the stack, so the registers that this needs must be in the guest state.
void EffectObserver::call(const char* name, const void* function, IRExpr** arguments, IRExpr* guard) {
    IRDirty* dirty =
        unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(const_cast<void*>(function)), arguments);
    if (guard != nullptr) dirty->guard = guard;
    reads_frame_registers(dirty);
    // VEX moves no load or store of the client across a call that changes memory.
    dirty->mFx = Ifx_Modify;
    dirty->mAddr = Emitter::pointer(effect_cells);
    dirty->mSize = 8;
    emit_.add(IRStmt_Dirty(dirty));
}

// --- Accesses ---

// The bits of a value of up to eight bytes, as an I64.
IRExpr* EffectObserver::bits_of(IRExpr* value) {
    switch (emit_.type_of(value)) {
        case Ity_F32: return emit_.unop(Iop_32Uto64, emit_.unop(Iop_ReinterpF32asI32, value));
        case Ity_F64: return emit_.unop(Iop_ReinterpF64asI64, value);
        default: return emit_.widened(value);
    }
}

// A value of four or eight bytes that is a float, or comes from a vector register.
bool EffectObserver::is_float(const IRExpr* value) const {
    const IRType type = emit_.type_of(value);
    if (type == Ity_F32 || type == Ity_F64) return true;
    if (value->tag != Iex_RdTmp || (type != Ity_I32 && type != Ity_I64)) return false;
    return std::find(vector_parts_.begin(), vector_parts_.end(), value->Iex.RdTmp.tmp) != vector_parts_.end();
}

IRExpr* EffectObserver::is_same(IRExpr* left, IRExpr* right) {
    return emit_.unop(Iop_1Uto64, emit_.binop(Iop_CmpEQ64, bits_of(left), bits_of(right)));
}

// old = LD(address), where the value has at most eight bytes; else before_store(address, bytes)
void EffectObserver::before_store(int statement, const Access& access) {
    const IRStmt* const s = in_->stmts[statement];
    old_ = nullptr;
    if (s->tag == Ist_Store && access.bytes <= kWord && !(hooks.tolerant && is_float(s->Ist.Store.data))) {
        constexpr IRType kTypes[] = {Ity_I8, Ity_I16, Ity_I32, Ity_I64};
        old_ = emit_.load(kTypes[size_index(access.bytes)], access.address);
        return;
    }
    call("memspy_effect_before", reinterpret_cast<const void*>(hooks.before_store),
         mkIRExprVec_2(access.address, Emitter::u64c(access.bytes)), access.guard);
}

void EffectObserver::access(int statement, const Access& access, const Origin& origin) {
    const IRStmt* const s = in_->stmts[statement];
    if (s->tag == Ist_CAS) return swapped(*s->Ist.CAS.details, access, origin);
    if (access.loads) loaded(statement, access, origin);
    if (access.stores) stored(statement, access, origin);
}

void EffectObserver::loaded(int statement, const Access& access, const Origin& origin) {
    ++loads_;
    if (in_->stmts[statement]->tag == Ist_Dirty)
        return call("memspy_effect_load_range", reinterpret_cast<const void*>(hooks.load_range),
                    mkIRExprVec_2(access.address, Emitter::u64c(access.bytes)), access.guard);
    EffectSite site = site_of(EffectKind::Load, access, origin);
    site.decides = deciding_.decides(in_->stmts[statement]);
    call("memspy_effect_load", reinterpret_cast<const void*>(hooks.load[size_index(access.bytes)]),
         mkIRExprVec_2(access.address, counts_of(site)), access.guard);
}

void EffectObserver::stored(int statement, const Access& access, const Origin& origin) {
    const IRStmt* const s = in_->stmts[statement];
    EffectSite site = site_of(EffectKind::Store, access, origin);
    if (s->tag == Ist_Dirty) {
        site.bytes = 0;
        return call("memspy_effect_store_range", reinterpret_cast<const void*>(hooks.store_range),
                    mkIRExprVec_3(access.address, Emitter::u64c(access.bytes), counts_of(site)),
                    access.guard);
    }
    site.floating = s->tag == Ist_Store && is_float(s->Ist.Store.data);
    // Between an exclusive load and its store nothing may look at memory, so what that overwrites is not
    // known.
    const bool exclusive = s->tag == Ist_LLSC;
    if (old_ == nullptr && !exclusive)
        return call("memspy_effect_compared", reinterpret_cast<const void*>(hooks.compared_store),
                    mkIRExprVec_2(access.address, counts_of(site)), access.guard);
    IRExpr* same = exclusive ? Emitter::u64c(0) : is_same(old_, s->Ist.Store.data);
    call("memspy_effect_store", reinterpret_cast<const void*>(hooks.store[size_index(access.bytes)]),
         mkIRExprVec_3(access.address, counts_of(site), same),
         exclusive ? IRExpr_RdTmp(s->Ist.LLSC.result) : nullptr);
}

// An atomic read-modify-write is a load and a store. VEX makes some from a load and a comparison with what
// was loaded: then the load has been told already.
//   load_value(address, old);  if (old == expected) store(address, new == old)      each for both halves
void EffectObserver::swapped(const IRCAS& cas, const Access& access, const Origin& origin) {
    const bool two = cas.dataHi != nullptr;
    Access half = access;
    half.bytes = two ? access.bytes / 2 : access.bytes;
    IRExpr* success = emit_.binop(Iop_CmpEQ64, bits_of(IRExpr_RdTmp(cas.oldLo)), bits_of(cas.expdLo));
    if (two)
        success =
            emit_.binop(Iop_And1, success,
                        emit_.binop(Iop_CmpEQ64, bits_of(IRExpr_RdTmp(cas.oldHi)), bits_of(cas.expdHi)));
    const auto tell = [&](u32 offset, IRTemp old, IRExpr* data) {
        half.address =
            offset == 0 ? access.address : emit_.binop(Iop_Add64, access.address, Emitter::u64c(offset));
        if (loads_ == 0)
            call("memspy_effect_load_value", reinterpret_cast<const void*>(hooks.load_value),
                 mkIRExprVec_3(half.address, counts_of(site_of(EffectKind::Load, half, origin)),
                               bits_of(IRExpr_RdTmp(old))));
        call("memspy_effect_store", reinterpret_cast<const void*>(hooks.store[size_index(half.bytes)]),
             mkIRExprVec_3(half.address, counts_of(site_of(EffectKind::Store, half, origin)),
                           is_same(IRExpr_RdTmp(old), data)),
             success);
    };
    tell(0, cas.oldLo, cas.dataLo);
    if (two) tell(half.bytes, cas.oldHi, cas.dataHi);
}

// --- Frames ---

void EffectObserver::met(const IRStmt* s) {
    addresses_.note(s);
    if (hooks.tolerant && reads_vector_register(s)) vector_parts_.push_back(s->Ist.WrTmp.tmp);
    if (s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
        s->Ist.WrTmp.data->Iex.Get.offset == guest_layout().stack_pointer)
        roots_.push_back({s->Ist.WrTmp.tmp, now_});
    if (!writes_stack_pointer(s)) return;
    moves_stack_ = true;
    stack_moves(s);
}

// Where the stack pointer moves up, keeps what it was.
void EffectObserver::stack_moves(const IRStmt* put) {
    const Origin origin = addresses_.origin(put->Ist.Put.data);
    const auto keep = [&] {
        if (lowest_ != nullptr && lowest_offset_ <= now_) return;
        lowest_ = emit_.get(guest_layout().stack_pointer, Ity_I64);
        lowest_offset_ = now_;
    };
    if (origin.kind == Origin::AddressRoot::Stack)
        for (const StackRoot& root : roots_)
            if (root.temp == origin.root) {
                const i64 to = root.offset + static_cast<i64>(origin.offset);
                if (to > now_) keep();
                now_ = to;
                return;
            }
    // `leave`: up to the frame pointer. Another stack, or what longjmp finds, ends no frame here.
    if (origin.kind == Origin::AddressRoot::Frame || origin.kind == Origin::AddressRoot::Stack ||
        origin.from_stack) {
        if (lowest_ == nullptr) keep();
        constexpr i64 kBelow = i64{1} << 40;  // below any offset from the new place
        lowest_offset_ = -kBelow;
    } else {
        lowest_ = nullptr;
    }
    roots_.resize(0);
    now_ = 0;
}

// frame_end(lowest - red zone, GET(sp) - red zone)      without the second one where the function returns
void EffectObserver::end_frames(bool returns) {
    if (lowest_ == nullptr) return;
    IRExpr* low = emit_.binop(Iop_Sub64, lowest_, Emitter::u64c(kRedZone));
    IRExpr* high = emit_.get(guest_layout().stack_pointer, Ity_I64);
    if (!returns && kRedZone != 0) high = emit_.binop(Iop_Sub64, high, Emitter::u64c(kRedZone));
    IRExpr* any = emit_.binop(Iop_CmpLT64U, low, high);
    const EffectSite site{.instruction = instruction_, .kind = EffectKind::FrameEnd, .pushes = returns};
    call("memspy_effect_frame_end", reinterpret_cast<const void*>(hooks.frame_end),
         mkIRExprVec_3(low, high, counts_of(site)), any);
}

void EffectObserver::before_exit(const IRStmt*) { end_frames(false); }

void EffectObserver::end(IRJumpKind jump) {
    end_frames(jump == Ijk_Ret);
    close_stretch();
}

extern const ObserverKind kEffects;
constexpr ObserverKind kEffects = {
    .is_on = [] { return hooks.enter != nullptr && (is_twin() || !hooks.in_twins); },
    .make = make_observer<EffectObserver>,
    .unmake = unmake_observer<EffectObserver>,
    .tells_at_once = true};

}  // namespace memspy::instrument
