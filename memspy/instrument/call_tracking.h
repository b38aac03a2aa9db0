// SPDX-License-Identifier: GPL-2.0-or-later
//
// Follows calls and returns, so that each record of the access log knows the chain of calls it was made in.
//
// Each thread has a shadow stack of CallFrames. A call pushes the callee's node of the call tree
// (threads/call_tree.h) together with its *slot*: the stack pointer at the callee's first instruction. A
// return whose slot is the top one pops; whatever else happens (longjmp, exceptions, another stack) is put
// right by a helper, which pops the frames whose slots lie below the stack pointer.
#pragma once

#include "instrument/emitter.h"
#include "threads/call_tree.h"

namespace memspy::instrument {

struct CallFrame {
    Address slot;
    threads::CallPath path;
    u32 unused;
};
static_assert(sizeof(CallFrame) == 16);

// Frames of a thread: room for kMostFrames, then the deepest calls share one. The bottom frame is never
// popped.
inline constexpr u64 kFramesEndBit = u64{1} << 20;
inline constexpr usize kFramesStride = 2 * kFramesEndBit;  // alignment of a thread's frames
inline constexpr u32 kMostFrames = kFramesEndBit / sizeof(CallFrame);

// Memory for a thread's frames with the bottom frame in it (and back again).
CallFrame* take_frames();
void give_back_frames(CallFrame* bottom);

// What a superblock's statements say of calls: where they return to, and calls that VEX followed into the
// callee.
class CallFinder {
public:
    explicit CallFinder(const IRSB* in) : in_(in) {}
    // Feed it every statement in order.
    void note(const IRStmt* statement);
    // At the end of an instruction: whether it was a call that the next one is the target of.
    bool followed_call(int next_statement) const;
    bool links() const { return links_; }  // whether the present instruction saved where to return to
    Address return_address() const { return end_; }           // of a call that is the present instruction
    IRExpr* stack_pointer() const { return stack_pointer_; }  // null: not written yet

private:
    const IRSB* in_;
    Address end_ = 0;     // of the instruction
    bool links_ = false;  // it saved its end as a return address
    IRExpr* stack_pointer_ = nullptr;
};

// A call that is the instruction noted last.
void emit_call(Emitter& emit, const CallFinder& calls);
// At the end of a superblock, for its last jump.
void emit_call_or_return(Emitter& emit, const CallFinder& calls, IRJumpKind jump);

}  // namespace memspy::instrument
