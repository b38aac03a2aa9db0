// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/uses/use_observer.h"

#include <bit>

namespace memspy::instrument {
namespace {

UseHooks hooks;

}  // namespace

void set_use_hooks(const UseHooks& given) { hooks = given; }

// if (leaves[address >> leaf_bits] != 0 && guard) helper(address)
//
// A range may begin in a leaf of nobody and end in another, so it is always told.
void UseObserver::tell(const Access& access, const char* name, void (*const (&sized)[kUseSizes])(Address),
                       void (*range)(Address, u64)) {
    const bool has_size = std::has_single_bit(access.bytes) && access.bytes < (1u << kUseSizes);
    IRDirty* dirty = nullptr;
    if (has_size) {
        void* const helper = reinterpret_cast<void*>(sized[std::countr_zero(access.bytes)]);
        dirty = unsafeIRDirty_0_N(1, name, VG_(fnptr_to_fnentry)(helper), mkIRExprVec_1(access.address));
        const u64 last = (u64{1} << (kClientAddressBits - hooks.leaf_bits)) - 1;
        IRExpr* number = emit_.binop(
            Iop_And64, emit_.binop(Iop_Shr64, access.address, Emitter::u8c(static_cast<u8>(hooks.leaf_bits))),
            Emitter::u64c(last));
        IRExpr* entry = emit_.binop(Iop_Add64, emit_.binop(Iop_Shl64, number, Emitter::u8c(3)),
                                    Emitter::pointer(hooks.leaves));
        IRExpr* wanted = emit_.binop(Iop_CmpNE64, emit_.load(Ity_I64, entry), Emitter::u64c(0));
        dirty->guard = access.guard == nullptr ? wanted : emit_.binop(Iop_And1, wanted, access.guard);
    } else {
        dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(range)),
                                  mkIRExprVec_2(access.address, Emitter::u64c(access.bytes)));
        if (access.guard != nullptr) dirty->guard = access.guard;
    }
    emit_.add(IRStmt_Dirty(dirty));
}

void UseObserver::access(int, const Access& access, const Origin&) {
    if (access.loads) tell(access, "memspy_use_load", hooks.load, hooks.load_range);
    if (access.stores) tell(access, "memspy_use_store", hooks.store, hooks.store_range);
}

extern const ObserverKind kUses;
constexpr ObserverKind kUses = {.is_on = [] { return hooks.leaves != nullptr; },
                                .make = make_observer<UseObserver>,
                                .unmake = unmake_observer<UseObserver>,
                                .tells_at_once = true};

}  // namespace memspy::instrument
