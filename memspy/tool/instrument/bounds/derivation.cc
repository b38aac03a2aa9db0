// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/bounds/derivation.h"

#include <utility>

#include "instrument/bounds/known_pointers.h"
#include "instrument/bounds/registers.h"
#include "instrument/core/registers.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::instrument {

using DerivedFrom = Derived::DerivedFrom;

namespace {
rt::Global<rt::HashMap<HeldValues>> held_at;  // by instruction
rt::Global<rt::HashMap<bool>> return_places;
}  // namespace

void note_return_place(Address code) { (*return_places)[code] = true; }
bool is_return_place(Address code) { return return_places->find(code) != nullptr; }

bool HeldValues::HeldValue::operator==(const HeldValue& other) const {
    return offset == other.offset && value.source == other.value.source && value.at == other.value.at &&
           value.base == other.value.base && value.made_by == other.value.made_by &&
           value.variable == other.value.variable && value.bare == other.value.bare &&
           loaded_from == other.loaded_from;
}

Derivations::Derivations(const IRSB* in) : in_(in) {}

bool Derivations::run(int begin, int end) {
    begin_instruction(instruction_address(in_->stmts[begin]));
    is_entry_ = begins_function_ = function_ != nullptr && function_->begin() == code_;
    follows_call_ = function_ != nullptr && is_return_place(code_);
    if (function_ != nullptr) take_held();
    of_temp_.resize(static_cast<usize>(in_->tyenv->types_used));
    bool any = function_ != nullptr;
    for (int i = begin; i < end; ++i) {
        const IRStmt* const s = in_->stmts[i];
        if (s->tag == Ist_IMark) {
            begin_instruction(instruction_address(s));
            next_ = code_ + s->Ist.IMark.len;
            any = any || function_ != nullptr;
            if (i != begin && function_ != nullptr) keep_held();
        }
        if (function_ == nullptr) continue;
        if (s->tag == Ist_WrTmp) {
            note_write(i, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data);
        } else if (s->tag == Ist_Store) {
            note_store(i, s);
        } else if (s->tag == Ist_Put) {
            puts_.push_back({s->Ist.Put.offset, s->Ist.Put.data});
            // From here on it is the frame's register itself.
            const GuestLayout layout = guest_layout();
            if (s->Ist.Put.data->tag == Iex_RdTmp &&
                (s->Ist.Put.offset == layout.frame_pointer || s->Ist.Put.offset == layout.stack_pointer))
                if (Derived& put = of_temp_[s->Ist.Put.data->Iex.RdTmp.tmp]; put.source == DerivedFrom::Frame)
                    put.bare = true;
        }
    }
    return any;
}

void Derivations::begin_instruction(Address code) {
    const bool follows = code == next_;
    code_ = code;
    knows_frame_ = false;
    if (function_ != nullptr && function_->has(code)) return;
    if (function_ == nullptr && follows && next_ != 0) return;
    is_entry_ = false;
    function_ = places::plain_function(code);
}

Derived Derivations::of(const IRExpr* value) const {
    return value->tag == Iex_RdTmp ? of_temp_[value->Iex.RdTmp.tmp] : Derived{};
}

const places::VariableBounds* Derivations::variable_of(const IRExpr* value) const {
    if (function_ == nullptr) return nullptr;
    if (value->tag == Iex_Const && value->Iex.Const.con->tag == Ico_U64)
        return function_->static_array_at(value->Iex.Const.con->Ico.U64, true);
    return variable_of(of(value));
}

const places::VariableBounds* Derivations::variable_of(const Derived& from) const {
    if (from.source == DerivedFrom::Indexed) return from.bare ? nullptr : from.variable;
    return from.source == DerivedFrom::Frame && !from.bare ? function_->array_at(from.made_by, from.base)
                                                           : nullptr;
}

void Derivations::note_write(int statement, IRTemp temp, const IRExpr* data) {
    Derived& result = of_temp_[temp];
    switch (data->tag) {
        case Iex_Get:
            if (data->Iex.Get.ty == Ity_I64) note_register(data->Iex.Get.offset, temp, result);
            break;
        case Iex_RdTmp: result = of(data); break;
        case Iex_Binop:
            if (data->Iex.Binop.op == Iop_Add64 || data->Iex.Binop.op == Iop_Sub64)
                note_sum(data->Iex.Binop.arg1, data->Iex.Binop.arg2, data->Iex.Binop.op == Iop_Sub64, result);
            break;
        case Iex_Load:
            if (data->Iex.Load.ty == Ity_I64) note_load(statement, temp, data->Iex.Load.addr, result);
            break;
        default: break;
    }
}

void Derivations::note_register(Int offset, IRTemp temp, Derived& result) {
    using ByRegister = vg::FrameEnd::ByRegister;
    const GuestLayout layout = guest_layout();
    if (offset == layout.frame_pointer || offset == layout.stack_pointer) {
        if (!knows_frame_) frame_ = vg::frame_end(code_);
        knows_frame_ = true;
        if (frame_.by !=
            (offset == layout.frame_pointer ? ByRegister::FramePointer : ByRegister::StackPointer))
            return;
        result.source = DerivedFrom::Frame;
        result.bare = true;
        result.at = result.base = -frame_.above;
        result.made_by = code_;
        result.anchor = temp;
        result.anchor_at = result.at;
        return;
    }
    if (const Derived* const held = held_in(offset)) {
        result = *held;
        return;
    }
    // What the caller passed, or the called function returned.
    for (u32 i = is_entry_ ? 0 : kResult; i < (follows_call_ ? kResult + 1 : kArgumentRegisters); ++i) {
        if (argument_register(i) != offset) continue;
        result.source = DerivedFrom::Loaded;
        result.loaded = static_cast<u32>(sources_.size());
        sources_.push_back({.argument = i, .value = temp, .owner = kArgument});
    }
}

// Before the instruction code_.
void Derivations::keep_held() {
    HeldValues held;
    const GuestLayout layout = guest_layout();
    for (usize i = puts_.size(); i-- > 0 && held.count < HeldValues::kMost;) {
        const Int offset = puts_[i].offset;
        if (offset == layout.frame_pointer || offset == layout.stack_pointer) continue;
        bool is_old = false;
        for (usize later = i + 1; later < puts_.size(); ++later)
            is_old = is_old || puts_[later].offset == offset;
        const Derived value = of(puts_[i].value);
        if (is_old || value.source == DerivedFrom::Other || value.bare) continue;
        if (value.resumed) return;  // it has been told by the superblock that was left
        HeldValues::HeldValue one{offset, value, 0};
        if (value.source == DerivedFrom::Loaded) {
            if (sources_[value.loaded].place == nullptr) continue;
            one.loaded_from = sources_[value.loaded].at;
        }
        held.values[held.count++] = one;
    }
    if (held.count == 0) return;
    if (HeldValues* known = held_at->find(code_)) {
        bool is_same = known->count == held.count;
        for (u32 i = 0; is_same && i < held.count; ++i) is_same = known->values[i] == held.values[i];
        known->contradicted = known->contradicted || !is_same;
        return;
    }
    (*held_at)[code_] = held;
}

// Variables of the frame are found from a register of it.
void Derivations::take_held() {
    const HeldValues* const known = held_at->find(code_);
    const vg::FrameEnd frame = vg::frame_end(code_);
    if (known == nullptr || known->contradicted || frame.by != vg::FrameEnd::ByRegister::FramePointer) return;
    uses_held_ = true;
    for (u32 i = 0; i < known->count; ++i) {
        const HeldValues::HeldValue& held = known->values[i];
        Derived value = held.value;
        value.resumed = true;
        value.anchor = kFramePointerAtBegin;
        value.anchor_at = -frame.above;
        if (value.source == DerivedFrom::Loaded) {
            value.loaded = static_cast<u32>(sources_.size());
            sources_.push_back({.owner = owner_of(*function_),
                                .at = held.loaded_from,
                                .anchor = kFramePointerAtBegin,
                                .from_anchor = held.loaded_from + frame.above});
        }
        held_.push_back({held.offset, value});
    }
}

const Derived* Derivations::held_in(Int offset) const {
    for (const HeldNow& held : held_)
        if (held.offset == offset) return &held.value;
    return nullptr;
}

Derived Derivations::moved(Derived from, i64 distance) const {
    if (from.source == DerivedFrom::Frame) {
        from.at += distance;
        if (from.bare || from.made_by == code_) {
            from.base = from.at;
            from.made_by = code_;
        }
        from.bare = false;
    } else if (from.source == DerivedFrom::Indexed && from.bare) {
        from.base += distance;
        from.bare = false;
        from.variable = function_->array_at(code_, from.base);
        if (from.variable == nullptr) from = {};
    }
    return from;
}

Derived Derivations::indexed(const Derived& from) const {
    if (from.source != DerivedFrom::Frame) return from;
    Derived result = from;
    result.source = DerivedFrom::Indexed;
    if (from.bare) return result;
    result.variable = function_->array_at(from.made_by, from.base);
    return result.variable == nullptr ? Derived{} : result;
}

void Derivations::note_sum(const IRExpr* left, const IRExpr* right, bool minus, Derived& result) {
    if (!minus && left->tag == Iex_Const) std::swap(left, right);
    const Derived from = of(left), more = of(right);
    if (right->tag == Iex_Const) {
        const u64 constant = right->Iex.Const.con->Ico.U64;
        if (from.source != DerivedFrom::Other) {
            result = moved(from, static_cast<i64>(minus ? -constant : constant));
            return;
        }
        constexpr u64 kLeast = 1 << 16;  // an address
        if (left->tag != Iex_RdTmp || minus || constant < kLeast || constant >> kClientAddressBits != 0)
            return;
        result.variable = function_->static_array_at(constant, false);
        if (result.variable != nullptr) result.source = DerivedFrom::Indexed;
        return;
    }
    if (left->tag == Iex_Const) return;
    // The difference of two pointers, or what else makes no pointer.
    if (from.source != DerivedFrom::Other && more.source != DerivedFrom::Other) return;
    if (from.source != DerivedFrom::Other)
        result = indexed(from);
    else if (!minus && more.source != DerivedFrom::Other)
        result = indexed(more);
}

void Derivations::note_load(int statement, IRTemp temp, IRExpr* address, Derived& result) {
    const Derived place = of(address);
    if (place.source != DerivedFrom::Frame || !function_->is_pointer_at(code_, place.at)) return;
    result.source = DerivedFrom::Loaded;
    result.loaded = static_cast<u32>(sources_.size());
    sources_.push_back({.statement = statement,
                        .value = temp,
                        .place = address,
                        .owner = owner_of(*function_),
                        .at = place.at});
}

void Derivations::note_store(int statement, const IRStmt* store) {
    const IRExpr* const value = store->Ist.Store.data;
    const Derived place = of(store->Ist.Store.addr);
    if (place.source != DerivedFrom::Frame || typeOfIRExpr(in_->tyenv, value) != Ity_I64 ||
        !function_->is_pointer_at(code_, place.at))
        return;
    stores_.push_back({statement, owner_of(*function_), place.at});
    note_use(value);
}

void Derivations::note_use(const IRExpr* value) {
    if (const Derived from = of(value); from.source == DerivedFrom::Loaded)
        sources_[from.loaded].is_used = true;
}

PointerSource* Derivations::source_at(int statement) {
    for (PointerSource& source : sources_)
        if (source.statement == statement) return &source;
    return nullptr;
}

const PointerStore* Derivations::store_at(int statement) const {
    for (const PointerStore& store : stores_)
        if (store.statement == statement) return &store;
    return nullptr;
}

IRExpr* Derivations::in_register(Int offset) const {
    for (usize i = puts_.size(); i-- > 0;)
        if (puts_[i].offset == offset) return puts_[i].value;
    return nullptr;
}

}  // namespace memspy::instrument
