// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/registers.h"

#include <cstddef>

namespace memspy::instrument {
namespace {

// A run of equal registers in the guest state. Register i of the run belongs to group `first_group + i %
// groups`.
struct Bank {
    Int begin;  // offset of the first register
    Int count;  // number of registers
    Int register_bytes;
    Int first_group;
    Int groups;
    bool one_origin;  // the whole bank keeps one origin (condition codes)
};

#if defined(VGA_amd64)
using GuestState = VexGuestAMD64State;
constexpr Bank kBanks[] = {
    {offsetof(GuestState, guest_RAX), 16, 8, 0, 16, false},
    {offsetof(GuestState, guest_CC_OP), 4, 8, 16, 1, true},
    {offsetof(GuestState, guest_YMM0), 17, 32, 17, 8, false},
    {offsetof(GuestState, guest_FPREG), 8, 8, 25, 1, false},
    {offsetof(GuestState, guest_FPTAG), 8, 1, 25, 1, true},
    {offsetof(GuestState, guest_DFLAG), 1, 8, 26, 1, false},
    {offsetof(GuestState, guest_ACFLAG), 1, 8, 26, 1, false},
    {offsetof(GuestState, guest_IDFLAG), 1, 8, 26, 1, false},
    {offsetof(GuestState, guest_SSEROUND), 1, 8, 26, 1, false},
    {offsetof(GuestState, guest_FPROUND), 1, 8, 26, 1, false},
    {offsetof(GuestState, guest_FC3210), 1, 8, 26, 1, false},
    {offsetof(GuestState, guest_FTOP), 1, 4, 26, 1, false},
};
constexpr GuestLayout kLayout = {sizeof(GuestState), offsetof(GuestState, guest_RSP),
                                 offsetof(GuestState, guest_RBP), offsetof(GuestState, guest_RIP)};
#elif defined(VGA_arm64)
using GuestState = VexGuestARM64State;
constexpr Bank kBanks[] = {
    {offsetof(GuestState, guest_X0), 31, 8, 0, 16, false},
    {offsetof(GuestState, guest_CC_OP), 4, 8, 16, 1, true},
    {offsetof(GuestState, guest_Q0), 32, 16, 17, 8, false},
    {offsetof(GuestState, guest_QCFLAG), 1, 16, 26, 1, false},
    {offsetof(GuestState, guest_FPCR), 1, 4, 26, 1, false},
    {offsetof(GuestState, guest_XSP), 1, 8, 27, 1, false},
};
constexpr GuestLayout kLayout = {sizeof(GuestState), offsetof(GuestState, guest_XSP),
                                 offsetof(GuestState, guest_X29), offsetof(GuestState, guest_PC)};
#else
#error "memspy knows the guest states of amd64 and arm64"
#endif

constexpr Int kMaskHome = offsetof(GuestState, host_EvC_COUNTER);

constexpr Int end_of(const Bank& bank) { return bank.begin + bank.count * bank.register_bytes; }

const Bank* bank_of(Int offset) {
    for (const Bank& bank : kBanks)
        if (offset >= bank.begin && offset < end_of(bank)) return &bank;
    return nullptr;
}

constexpr RegisterMask group_bit(const Bank& bank, Int index) {
    return RegisterMask{1} << (bank.first_group + index % bank.groups);
}

// The group of each byte of the guest state. Registers of less than kStep bytes have neighbours of their group.
class GroupTable {
public:
    static constexpr Int kStep = 4;
    constexpr GroupTable() {
        for (const Bank& bank : kBanks)
            for (Int at = bank.begin; at < end_of(bank); ++at)
                groups_[at] = group_bit(bank, (at - bank.begin) / bank.register_bytes);
    }
    RegisterMask at(Int offset) const { return groups_[offset]; }

private:
    RegisterMask groups_[sizeof(GuestState)] = {};
};
constexpr GroupTable kGroups;

// Calls f(group, offset, bytes) for every register of the groups in `among`.
template <typename F>
void for_each_register(RegisterMask among, F&& f) {
    for (const Bank& bank : kBanks) {
        const RegisterMask mine = among >> bank.first_group & ((RegisterMask{1} << bank.groups) - 1);
        for (RegisterMask left = mine; left != 0; left &= left - 1)
            for (Int i = __builtin_ctz(left); i < bank.count; i += bank.groups)
                f(group_bit(bank, i), bank.begin + i * bank.register_bytes, bank.register_bytes);
    }
}

// Whether any of the bytes is not zero.
bool is_any(const u8* bytes, Int count) {
    u64 any = 0;
    for (; count >= 8; count -= 8, bytes += 8) {
        u64 word;
        __builtin_memcpy(&word, bytes, sizeof word);
        any |= word;
    }
    for (; count > 0; --count) any |= *bytes++;
    return any != 0;
}

}  // namespace

GuestLayout guest_layout() { return kLayout; }
Int shadow_offset(Int offset) { return offset + kLayout.state_bytes; }
Int mask_offset() { return shadow_offset(kMaskHome); }
Int checked_offset() { return shadow_offset(kLayout.program_counter); }

StackWords stack_words() {
    constexpr Int kSecond = 2 * kLayout.state_bytes;
    return {.low = kSecond + static_cast<Int>(offsetof(GuestState, guest_CMSTART)),
            .size = kSecond + static_cast<Int>(offsetof(GuestState, guest_CMLEN)),
            .bias = kSecond + static_cast<Int>(offsetof(GuestState, guest_NRADDR)),
            .dead = kSecond + spare_state_word(),
            .fresh = kSecond + kLayout.program_counter};
}

RegisterMask groups_of(Int offset, Int bytes) {
    RegisterMask groups = 0;
    for (Int at = offset; at < offset + bytes; at += kGroups.kStep) groups |= kGroups.at(at);
    return groups | kGroups.at(offset + bytes - 1);
}

Int origin_offset(Int offset) {
    const Bank* bank = bank_of(offset);
    if (bank == nullptr) return -1;
    Int index = bank->one_origin ? 0 : (offset - bank->begin) / bank->register_bytes;
    return 2 * kLayout.state_bytes + bank->begin + index * bank->register_bytes;
}

RegisterMask poisoned_groups(const u8* state, RegisterMask among) {
    RegisterMask poisoned = 0;
    for_each_register(among, [&](RegisterMask group, Int offset, Int bytes) {
        if (is_any(state + shadow_offset(offset), bytes)) poisoned |= group;
    });
    return poisoned;
}

void clear_shadow(u8* state, Int offset, Int bytes) {
    VG_(memset)(state + shadow_offset(offset), 0, static_cast<SizeT>(bytes));
}

RegisterMask& mask_of(u8* state) { return *reinterpret_cast<RegisterMask*>(state + mask_offset()); }

Address dwarf_register(ThreadId thread, u32 number) {
#if defined(VGA_amd64)
    constexpr Int kFirst[] = {
        offsetof(VexGuestAMD64State, guest_RAX), offsetof(VexGuestAMD64State, guest_RDX),
        offsetof(VexGuestAMD64State, guest_RCX), offsetof(VexGuestAMD64State, guest_RBX),
        offsetof(VexGuestAMD64State, guest_RSI), offsetof(VexGuestAMD64State, guest_RDI),
        offsetof(VexGuestAMD64State, guest_RBP), offsetof(VexGuestAMD64State, guest_RSP)};
    const Int offset = number < 8
                           ? kFirst[number]
                           : static_cast<Int>(offsetof(VexGuestAMD64State, guest_R8) + 8 * (number - 8));
#else
    const Int offset = static_cast<Int>(offsetof(VexGuestARM64State, guest_X0) + 8 * number);
#endif
    Address value = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&value), 0, offset, sizeof value);
    return value;
}

void define_registers(ThreadId thread) {
    constexpr UChar kNone[32] = {};
    for_each_register(~RegisterMask{0}, [&](RegisterMask, Int offset, Int bytes) {
        VG_(set_shadow_regs_area)(thread, 1, offset, static_cast<SizeT>(bytes), kNone);
    });
    VG_(set_shadow_regs_area)(thread, 1, kMaskHome, sizeof(RegisterMask), kNone);
}

u64 get_word(ThreadId thread, Int offset) {
    const Int state_bytes = guest_layout().state_bytes;
    u64 word = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&word), offset / state_bytes,
                              offset % state_bytes, sizeof(word));
    return word;
}

void set_word(ThreadId thread, Int offset, u64 word) {
    const Int state_bytes = guest_layout().state_bytes;
    VG_(set_shadow_regs_area)(thread, offset / state_bytes, offset % state_bytes, sizeof(word),
                              reinterpret_cast<const UChar*>(&word));
}

bool frame_pointer_is_one() {
    const ThreadId thread = VG_(get_running_tid)();
    if (thread == VG_INVALID_THREADID) return false;
    return get_word(thread, guest_layout().frame_pointer) - VG_(get_SP)(thread) < kLargestFrame;
}

void reads_frame_registers(IRDirty* call) {
    const GuestLayout layout = guest_layout();
    const Int needed[3] = {layout.stack_pointer, layout.frame_pointer, layout.program_counter};
    call->nFxState = 3;
    VG_(memset)(&call->fxState, 0, sizeof(call->fxState));
    for (int i = 0; i < 3; ++i) {
        call->fxState[i].fx = Ifx_Read;
        call->fxState[i].offset = static_cast<UShort>(needed[i]);
        call->fxState[i].size = 8;
    }
}

}  // namespace memspy::instrument
