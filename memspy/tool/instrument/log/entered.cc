// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/log/entered.h"

#include <cstddef>

#include "instrument/core/call_stacks.h"
#include "instrument/core/observer.h"
#include "instrument/core/registers.h"
#include "instrument/core/state_call.h"
#include "instrument/log/log_policy.h"
#include "instrument/log/record_keeping.h"

namespace memspy::instrument {
namespace {

constexpr u32 kMostHooks = 2;
EntryHooks all_hooks[kMostHooks];
u32 hook_count = 0;

// Those that want to know of the function, a bit each.
UWord hooks_of(Address code) {
    UWord found = 0;
    for (u32 i = 0; i < hook_count; ++i)
        if (all_hooks[i].is_hooked(code)) found |= UWord{1} << i;
    return found;
}

}  // namespace

void hook_entries(const EntryHooks& chosen) {
    CHECK(hook_count < kMostHooks);
    all_hooks[hook_count++] = chosen;
}

u64 EnteredFunction::further(u32 number) const {
#if defined(VGA_amd64)
    constexpr u32 kFirst = 1;  // behind the return address
#else
    constexpr u32 kFirst = 0;
#endif
    const Address at = stack_pointer + (kFirst + number) * 8;
    u64 value = 0;
    if (VG_(am_is_valid_for_client)(at, sizeof value, VKI_PROT_READ))
        value = *reinterpret_cast<const u64*>(at);
    return value;
}

extern "C" {
[[gnu::used]] void memspy_entered(Addr function, UWord hooked, u8* state) {
    if (log_policy().is_logging()) read_log_now(state);
    const auto& guest = *reinterpret_cast<const VexGuestArchState*>(state);
    const u32 guest_id = VG_(get_running_tid)();
    EnteredFunction call{};
    call.function = function;
    call.path = path_of(guest_id);
#if defined(VGA_amd64)
    call.stack_pointer = guest.guest_RSP;
    call.caller = *reinterpret_cast<const Address*>(guest.guest_RSP);
    const u64 arguments[] = {guest.guest_RDI, guest.guest_RSI, guest.guest_RDX,
                             guest.guest_RCX, guest.guest_R8,  guest.guest_R9};
#else
    call.stack_pointer = guest.guest_XSP;
    call.caller = guest.guest_X30;
    const u64 arguments[] = {guest.guest_X0, guest.guest_X1, guest.guest_X2,
                             guest.guest_X3, guest.guest_X4, guest.guest_X5};
#endif
    for (u32 i = 0; i < 6; ++i) call.arguments[i] = arguments[i];
    bool others_run = false;
    for (u32 i = 0; i < hook_count; ++i)
        if ((hooked >> i & 1) != 0 && all_hooks[i].entered(guest_id, call)) others_run = true;
    if (others_run) *reinterpret_cast<UInt*>(state + offsetof(VexGuestArchState, host_EvC_COUNTER)) = 0;
}
}
MEMSPY_STATE_HELPER(memspy_entered, 2);

namespace {

// Emits, at the first instruction of a hooked function: memspy_entered(function, hooks, state)
class EntryWriter final : public Observer {
public:
    EntryWriter(Emitter& emit, const IRSB*) : emit_(emit) {}

    static bool is_hooked(Address code, Address before) { return code != before && hooks_of(code) != 0; }

    void instruction(const IRStmt* mark) override {
        const Address code = instruction_address(mark);
        const Address before = end_;
        end_ = code - mark->Ist.IMark.delta + mark->Ist.IMark.len;
        const UWord hooked = code == before ? 0 : hooks_of(code);
        if (hooked == 0) return;
        IRDirty* call =
            unsafeIRDirty_0_N(0, "memspy_entered", VG_(fnptr_to_fnentry)(MEMSPY_STATE_ENTRY(memspy_entered)),
                              arguments_and_state(Emitter::pointer(reinterpret_cast<void*>(code)),
                                                  IRExpr_Const(IRConst_U64(hooked))));
        // The registers with arguments, and the stack pointer.
        call->nFxState = kRead;
        VG_(memset)(&call->fxState, 0, sizeof call->fxState);
        for (u32 i = 0; i < kRead; ++i) {
            call->fxState[i].fx = Ifx_Read;
            call->fxState[i].offset = kOffsets[i];
            call->fxState[i].size = 8;
        }
        emit_.add(IRStmt_Dirty(call));
    }

private:
#if defined(VGA_amd64)
    static constexpr UShort kOffsets[] = {
        offsetof(VexGuestAMD64State, guest_RSP), offsetof(VexGuestAMD64State, guest_RDI),
        offsetof(VexGuestAMD64State, guest_RSI), offsetof(VexGuestAMD64State, guest_RDX),
        offsetof(VexGuestAMD64State, guest_RCX), offsetof(VexGuestAMD64State, guest_R8),
        offsetof(VexGuestAMD64State, guest_R9)};
#else
    static constexpr UShort kOffsets[] = {
        offsetof(VexGuestARM64State, guest_XSP), offsetof(VexGuestARM64State, guest_X0),
        offsetof(VexGuestARM64State, guest_X1),  offsetof(VexGuestARM64State, guest_X2),
        offsetof(VexGuestARM64State, guest_X3),  offsetof(VexGuestARM64State, guest_X4),
        offsetof(VexGuestARM64State, guest_X5)};
#endif
    static constexpr u32 kRead = sizeof kOffsets / sizeof *kOffsets;
    static_assert(kRead <= VEX_N_FXSTATE);

    Emitter& emit_;
    Address end_ = 0;
};

}  // namespace

extern const ObserverKind kEntries;
constexpr ObserverKind kEntries = {.is_on = [] { return hook_count != 0; },
                                   .make = make_observer<EntryWriter>,
                                   .unmake = unmake_observer<EntryWriter>,
                                   .must_begin = EntryWriter::is_hooked};

}  // namespace memspy::instrument
