// SPDX-License-Identifier: GPL-2.0-or-later
//
// What places of variables are relative to in a frame.
#pragma once

#include "dwarf/sections.h"

namespace memspy::dwarf {

enum class Anchor : u8 {
    None,
    End,
    StackPointer,
    FixedStackPointer,  // as it is when no arguments are pushed
    FramePointer,
    Base
};

// The registers among them, by their DWARF numbers.
struct AnchorRegisters {
    u8 frame_pointer, stack_pointer;
    u8 base;  // clang's, for functions with alloca whose frames are aligned or large
};
inline constexpr AnchorRegisters kAnchorsAmd64{6, 7, 3}, kAnchorsArm64{29, 31, 19};

inline Anchor anchor_of(u64 number, Processor processor) {
    const AnchorRegisters& anchors = processor == Processor::Arm64 ? kAnchorsArm64 : kAnchorsAmd64;
    return number == anchors.frame_pointer   ? Anchor::FramePointer
           : number == anchors.stack_pointer ? Anchor::StackPointer
           : number == anchors.base          ? Anchor::Base
                                             : Anchor::None;
}

}  // namespace memspy::dwarf
