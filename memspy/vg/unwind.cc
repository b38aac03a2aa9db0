// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/unwind.h"

#include "rt/base.h"

namespace {

// The core's registers for unwinding by call frame information.
#if defined(VGA_amd64)
struct UnwindRegisters {
    Addr code, stack_pointer, frame_pointer;
};
#else
struct UnwindRegisters {
    Addr code, stack_pointer, link, frame_pointer;
};
constexpr Int kLink = offsetof(VexGuestArchState, guest_X30);
#endif

}  // namespace

// Declared by the core for itself only: one step; only memory between the two addresses is read.
extern "C" Bool VG_(use_CF_info)(UnwindRegisters* registers, Addr min_accessible, Addr max_accessible);

namespace memspy::vg {

void unwind(ThreadId thread, UnwoundFrames* frames) {
    frames->count = VG_(get_StackTrace)(thread, frames->codes, kMostFrames, frames->stack_pointers,
                                        frames->frame_pointers, 0);
    // The core takes a stack pointer in the last 512 bytes of a stack for a mistake. Coroutines begin there.
    if (frames->count != 1) return;
    const Addr sp = frames->stack_pointers[0];
    const NSegment* segment = VG_(am_find_nsegment)(sp);
    if (segment == nullptr || !segment->hasR) return;
    UnwindRegisters registers{};
    registers.code = frames->codes[0];
    registers.stack_pointer = sp;
    registers.frame_pointer = frames->frame_pointers[0];
#if defined(VGA_arm64)
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&registers.link), 0, kLink, sizeof(Addr));
#endif
    while (frames->count < kMostFrames &&
           VG_(use_CF_info)(&registers, sp - VG_STACK_REDZONE_SZB, segment->end - sizeof(Addr)) &&
           registers.stack_pointer > frames->stack_pointers[frames->count - 1] && registers.code > 1) {
        frames->codes[frames->count] = --registers.code;
        frames->stack_pointers[frames->count] = registers.stack_pointer;
        frames->frame_pointers[frames->count++] = registers.frame_pointer;
    }
}

}  // namespace memspy::vg
