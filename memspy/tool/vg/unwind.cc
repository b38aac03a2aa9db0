// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/unwind.h"

#include "rt/base.h"
#include "vg/no_memory.h"

// Declared by the core for itself only: one step; only memory between the two addresses is read.
extern "C" {
Addr vgModuleLocal_get_CFA(Addr code, Addr stack_pointer, Addr frame_pointer, Addr min_accessible,
                           Addr max_accessible);
Bool VG_(use_CF_info)(memspy::vg::UnwindRegisters* registers, Addr min_accessible, Addr max_accessible);
Addr VG_(get_FP)(ThreadId thread);
}

namespace memspy::vg {
namespace {

bool is_code(Addr a) { return VG_(am_is_valid_for_client)(a, 1, VKI_PROT_EXEC); }

// Whether the code right before is a call.
bool is_return_address(Addr a) {
#if defined(VGA_amd64)
    constexpr Addr kLongest = 7;
    if (a < kLongest || !is_code(a) || !is_code(a - kLongest)) return false;
    const auto* end = reinterpret_cast<const UChar*>(a);
    // A direct call, then call *register and call *memory by the length of their operands.
    if (end[-5] == 0xE8) return true;
    for (Int bytes = 2; bytes <= 7; ++bytes)
        if (end[-bytes] == 0xFF && (end[-bytes + 1] & 0x38) == 0x10) return true;
    return false;
#else
    constexpr UInt kCall = 0x94000000, kCallMask = 0xFC000000, kCallRegister = 0xD63F0000,
                   kRegisterMask = 0xFFFFFC1F;
    if (a < 4 || a % 4 != 0 || !is_code(a - 4)) return false;
    const UInt before = *reinterpret_cast<const UInt*>(a - 4);
    return (before & kCallMask) == kCall || (before & kRegisterMask) == kCallRegister;
#endif
}

// A call of what is no code has made no frame yet. Otherwise the core would go on with the frame pointer, which
// is the caller's, and leave the caller out.
bool unwind_wild_call(UnwindRegisters* registers, Addr low, Addr high) {
    if (is_code(registers->code)) return false;
#if defined(VGA_amd64)
    const Addr sp = registers->stack_pointer;
    if (sp < low || sp > high || sp % sizeof(Addr) != 0) return false;
    const Addr caller = *reinterpret_cast<const Addr*>(sp);
    if (!is_return_address(caller)) return false;
    registers->stack_pointer += sizeof(Addr);
#else
    static_cast<void>(low), static_cast<void>(high);
    const Addr caller = registers->link;
    if (!is_return_address(caller)) return false;
#endif
    registers->code = caller;
    return true;
}

}  // namespace

UnwindRegisters registers_of(ThreadId thread) {
    UnwindRegisters registers{};
    registers.code = VG_(get_IP)(thread);
    registers.stack_pointer = VG_(get_SP)(thread);
    registers.frame_pointer = VG_(get_FP)(thread);
#if defined(VGA_arm64)
    constexpr Int kLink = offsetof(VexGuestArchState, guest_X30);
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&registers.link), 0, kLink, sizeof(Addr));
#endif
    return registers;
}

bool unwind_once(UnwindRegisters* registers, Addr low, Addr high) {
    return VG_(use_CF_info)(registers, low, high);
}

usize frame_size_at(Address code) {
    // Registers that are far apart show by which one the frame's end is found. No memory may be read for it.
    constexpr Address kStackPointer = Address{1} << 40, kFramePointer = Address{1} << 44;
    constexpr usize kMost = usize{1} << 32;
    const Address end =
        vgModuleLocal_get_CFA(code, kStackPointer, kFramePointer, kNoMemory.low, kNoMemory.high);
    return end > kStackPointer && end - kStackPointer < kMost ? end - kStackPointer : 0;
}

void unwind(ThreadId thread, UnwoundFrames* frames) {
    frames->count = VG_(get_StackTrace)(thread, frames->codes, kMostFrames, frames->stack_pointers,
                                        frames->frame_pointers, 0);
    // The core takes a stack pointer in the last 512 bytes of a stack for a mistake. Coroutines begin there.
    if (frames->count != 1) return;
    UnwindRegisters registers = registers_of(thread);
    const Addr sp = registers.stack_pointer;
    const NSegment* segment = VG_(am_find_nsegment)(sp);
    if (segment == nullptr || !segment->hasR) return;
    while (frames->count < kMostFrames &&
           unwind_once(&registers, sp - VG_STACK_REDZONE_SZB, segment->end - sizeof(Addr)) &&
           registers.stack_pointer > frames->stack_pointers[frames->count - 1] && registers.code > 1) {
        frames->codes[frames->count] = --registers.code;
        frames->stack_pointers[frames->count] = registers.stack_pointer;
        frames->frame_pointers[frames->count++] = registers.frame_pointer;
    }
}

}  // namespace memspy::vg

extern "C" {
Bool __real_vgPlain_use_CF_info(memspy::vg::UnwindRegisters* registers, Addr low, Addr high);
Bool __wrap_vgPlain_use_CF_info(memspy::vg::UnwindRegisters* registers, Addr low, Addr high);
Bool __wrap_vgPlain_use_CF_info(memspy::vg::UnwindRegisters* registers, Addr low, Addr high) {
    return __real_vgPlain_use_CF_info(registers, low, high) ||
           memspy::vg::unwind_wild_call(registers, low, high);
}
}
