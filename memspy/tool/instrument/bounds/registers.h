// SPDX-License-Identifier: GPL-2.0-or-later
//
// The registers that pass a function's arguments, and the program counter while something is reported.
#pragma once

#include <cstddef>

#include "instrument/core/registers.h"
#include "vg/vg.h"

namespace memspy::instrument {

// The last one passes the result.
constexpr Int argument_register(u32 number) {
#if defined(VGA_amd64)
    constexpr usize kOffsets[] = {
        offsetof(VexGuestArchState, guest_RDI), offsetof(VexGuestArchState, guest_RSI),
        offsetof(VexGuestArchState, guest_RDX), offsetof(VexGuestArchState, guest_RCX),
        offsetof(VexGuestArchState, guest_R8),  offsetof(VexGuestArchState, guest_R9),
        offsetof(VexGuestArchState, guest_RAX)};
#else
    constexpr usize kOffsets[] = {
        offsetof(VexGuestArchState, guest_X0), offsetof(VexGuestArchState, guest_X1),
        offsetof(VexGuestArchState, guest_X2), offsetof(VexGuestArchState, guest_X3),
        offsetof(VexGuestArchState, guest_X4), offsetof(VexGuestArchState, guest_X5),
        offsetof(VexGuestArchState, guest_X0)};
#endif
    return static_cast<Int>(kOffsets[number]);
}

// The running thread's register is read, or is at another instruction as long as this lives.
inline u64 guest_word(Int offset) {
    u64 value = 0;
    VG_(get_shadow_regs_area)(VG_(get_running_tid)(), reinterpret_cast<UChar*>(&value), 0, offset,
                              sizeof value);
    return value;
}
class AtInstruction {
public:
    explicit AtInstruction(Address code) : before_(guest_word(guest_layout().program_counter)) { set(code); }
    ~AtInstruction() { set(before_); }
    AtInstruction(const AtInstruction&) = delete;
    AtInstruction& operator=(const AtInstruction&) = delete;

private:
    static void set(Address code) {
        VG_(set_shadow_regs_area)(VG_(get_running_tid)(), 0, guest_layout().program_counter, sizeof code,
                                  reinterpret_cast<UChar*>(&code));
    }
    Address before_;
};

// How far a call moves the stack pointer before the called function's first instruction.
#if defined(VGA_amd64)
inline constexpr u64 kReturnAddressBytes = 8;
#else
inline constexpr u64 kReturnAddressBytes = 0;
#endif

}  // namespace memspy::instrument
