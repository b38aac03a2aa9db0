// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/frame_end.h"

#include "vg/no_memory.h"
#include "vg/vg.h"

// Only the core's own headers declare it. Memory that is not between `low` and `high` is not read.
extern "C" Addr vgModuleLocal_get_CFA(Addr code, Addr stack_pointer, Addr frame_pointer, Addr low, Addr high);

namespace memspy::vg {

FrameEnd frame_end(Address code) {
    // The answer shows which of the two made-up registers it was computed from.
    constexpr Address kStack = Address{1} << 40, kFrame = Address{1} << 41;
    constexpr i64 kMost = 1 << 24;
    const Address end = vgModuleLocal_get_CFA(code, kStack, kFrame, kNoMemory.low, kNoMemory.high);
    const i64 of_stack = static_cast<i64>(end - kStack), of_frame = static_cast<i64>(end - kFrame);
    if (of_stack >= 0 && of_stack < kMost) return {FrameEnd::ByRegister::StackPointer, of_stack};
    if (of_frame >= 0 && of_frame < kMost) return {FrameEnd::ByRegister::FramePointer, of_frame};
    return {};
}

}  // namespace memspy::vg
