// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits calls where functions of the program's own begin and end, so that marks on a stack are those of one
// function's frame at a time (analyses/zeros/frames.h).
#pragma once

#include "instrument/core/emitter.h"

namespace memspy::instrument {

struct FollowedFrame;

struct FrameHooks {
    // At translation: the frames of the function that begins there; null: they are not followed.
    FollowedFrame* (*frame_of)(Address code) = nullptr;
    // Whether functions with this code may have such frames.
    bool (*is_followed)(Address code) = nullptr;
    // A frame begins that ends at `end`, the stack pointer before the call. May come twice.
    void (*entered)(FollowedFrame* frame, Address end) = nullptr;
    // The function that returns, or gives back what it took as it went, has had the stack below `end`. Called if that
    // is at least `*lowest_end`.
    void (*left)(Address end) = nullptr;
    const Address* lowest_end = nullptr;
};
void set_frame_hooks(const FrameHooks& hooks);

class FrameCalls {
public:
    FrameCalls(Emitter& emit, const IRSB* in) : emit_(emit), in_(in) {}

    void may_enter() { may_enter_ = true; }  // the next instruction may be a function's first one
    void instruction(Address code);
    void met(const IRStmt* statement);
    void end_of_instruction();
    void returns();  // before the end of the superblock

private:
    void call(const char* name, const void* function, IRExpr** arguments, IRExpr* guard);

    Emitter& emit_;
    const IRSB* in_;
    bool may_enter_ = false;
    bool gives_back_ = false;  // the instruction sets the stack pointer to what it was some time ago
    Address instruction_ = 0;
};

}  // namespace memspy::instrument
