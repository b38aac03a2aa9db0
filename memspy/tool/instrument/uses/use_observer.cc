// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/uses/use_observer.h"

#include <bit>

#include "instrument/core/registers.h"

namespace memspy::instrument {
namespace {

UseHooks users[kMostUsers];
u32 user_count = 0;

}  // namespace

void add_use_hooks(const UseHooks& hooks) {
    CHECK_LT(user_count, kMostUsers);
    users[user_count++] = hooks;
}

// leaves[address >> leaf_bits] != 0 && guard
IRExpr* UseObserver::is_wanted(const UseHooks& hooks, const Access& access) {
    const u64 last = (u64{1} << (kClientAddressBits - hooks.leaf_bits)) - 1;
    IRExpr* number = emit_.binop(
        Iop_And64, emit_.binop(Iop_Shr64, access.address, Emitter::u8c(static_cast<u8>(hooks.leaf_bits))),
        Emitter::u64c(last));
    IRExpr* entry = emit_.binop(Iop_Add64, emit_.binop(Iop_Shl64, number, Emitter::u8c(3)),
                                Emitter::pointer(hooks.leaves));
    IRExpr* wanted = emit_.binop(Iop_CmpNE64, emit_.load(Ity_I64, entry), Emitter::u64c(0));
    return access.guard == nullptr ? wanted : emit_.binop(Iop_And1, wanted, access.guard);
}

// if (is_wanted) helper(address)
//
// A range may begin in a leaf of nobody and end in another, so it is always told.
void UseObserver::tell(const UseHooks& hooks, const Access& access, bool stores) {
    const char* const name = stores ? "memspy_use_store" : "memspy_use_load";
    const bool has_size = std::has_single_bit(access.bytes) && access.bytes < (1u << kUseSizes);
    IRDirty* dirty = nullptr;
    if (has_size) {
        const int size = std::countr_zero(access.bytes);
        void* const helper = reinterpret_cast<void*>(stores ? hooks.store[size] : hooks.load[size]);
        dirty = unsafeIRDirty_0_N(1, name, VG_(fnptr_to_fnentry)(helper), mkIRExprVec_1(access.address));
        dirty->guard = is_wanted(hooks, access);
    } else {
        void* const helper = reinterpret_cast<void*>(stores ? hooks.store_range : hooks.load_range);
        dirty = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(helper),
                                  mkIRExprVec_2(access.address, Emitter::u64c(access.bytes)));
        if (access.guard != nullptr) dirty->guard = access.guard;
    }
    emit_.add(IRStmt_Dirty(dirty));
}

// if (is_wanted) placed(address, instruction, use)
void UseObserver::tell_placed(const UseHooks& hooks, const Access& access) {
    const u64 use = u64{access.bytes} << PlacedUse::kBytesShift | (access.loads ? PlacedUse::kLoads : 0) |
                    (access.stores ? PlacedUse::kStores : 0);
    IRDirty* dirty = unsafeIRDirty_0_N(
        0, "memspy_use_placed", VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(hooks.placed)),
        mkIRExprVec_3(access.address, Emitter::u64c(static_cast<u64>(instruction_)), Emitter::u64c(use)));
    dirty->guard = is_wanted(hooks, access);
    reads_frame_registers(dirty);
    emit_.add(IRStmt_Dirty(dirty));
}

void UseObserver::access(int, const Access& access, const Origin& origin) {
    for (u32 i = 0; i < user_count; ++i) {
        if (users[i].placed != nullptr) {
            if (origin.kind != Origin::AddressRoot::Stack) tell_placed(users[i], access);
            continue;
        }
        if (access.loads) tell(users[i], access, false);
        if (access.stores) tell(users[i], access, true);
    }
}

extern const ObserverKind kUses;
constexpr ObserverKind kUses = {.is_on = [] { return user_count != 0; },
                                .make = make_observer<UseObserver>,
                                .unmake = unmake_observer<UseObserver>,
                                .tells_at_once = true};

}  // namespace memspy::instrument
