// SPDX-License-Identifier: GPL-2.0-or-later
//
// Follows calls and returns, so that each record of the access log has its chain of calls.
//
// Each thread has a shadow stack of CallFrames. A call pushes the callee's node of the call tree
// (threads/call_tree.h) together with its *slot*: the stack pointer at the callee's first instruction. A
// return pops the top frame if its slot matches. In all other cases (longjmp, exceptions, another stack) a
// helper pops the frames whose slots lie below the stack pointer.
#pragma once

#include "instrument/core/emitter.h"
#include "threads/call_tree.h"

namespace memspy::instrument {

struct CallFrame {
    Address slot;
    threads::CallPath path;
    u32 caller;  // what stands for the path in contexts, see name_callers()
};
static_assert(sizeof(CallFrame) == 16);

// A thread's frames: room for kMostFrames; deeper calls share the last one. The bottom frame is never popped.
inline constexpr u64 kFramesEndBit = u64{1} << 20;
inline constexpr usize kFramesStride = 2 * kFramesEndBit;  // alignment of a thread's frames
inline constexpr u32 kMostFrames = kFramesEndBit / sizeof(CallFrame);

// Offset from the guest state of the address of the running thread's top frame.
Int call_top_offset();

// `number_of` gives numbers to paths that an analysis need not tell apart; 0: Root. Without, all have 0. Call
// before any translation.
void name_callers(u32 (*number_of)(threads::CallPath path));
u32 caller_of(threads::CallPath path);

// take_frames() allocates a thread's frames, with the bottom frame in place; give_frames() frees them.
CallFrame* take_frames();
void give_back_frames(CallFrame* bottom);

// Finds the calls in a superblock's statements: their return addresses, and the calls that VEX followed into
// the callee.
// Where `put` moves the stack pointer from, if its function may take memory as it goes, and somebody follows that.
struct Taking {
    const IRExpr* from = nullptr;  // null: it does not
    bool computed = false;         // by a number that code has computed; else the compiler knew it
};
Taking find_taking(const IRSB* in, const IRStmt* put);

class CallFinder {
public:
    explicit CallFinder(const IRSB* in) : in_(in) {}
    // Call for every statement in order.
    void note(const IRStmt* statement);
    // Call at the end of an instruction. True if the instruction was a call whose target is the next
    // instruction.
    bool followed_call(int next_statement) const;
    bool links() const { return links_; }  // whether the present instruction saved a return address
    Address instruction() const { return begin_; }
    Address return_address() const { return end_; }  // if the present instruction is a call
    // The target of the call that ends the superblock; 0 if it is not fixed.
    Address callee() const;
    IRExpr* stack_pointer() const { return stack_pointer_; }  // null: not written yet
    // What find_taking() says of the present instruction; null also if the memory is known to be nobody's.
    const IRExpr* grows_from() const { return grows_from_; }

private:
    const IRSB* in_;
    Address first_ = 0;            // instruction of the superblock
    Address begin_ = 0, end_ = 0;  // of the instruction
    bool links_ = false;           // it saved its end as a return address
    const IRExpr* grows_from_ = nullptr;
    IRExpr* stack_pointer_ = nullptr;
};

// Emits the push for the call that was noted last. `callee`: 0 if it is not fixed.
void emit_call(Emitter& emit, const CallFinder& calls, Address callee);
// Emits the push or pop for the superblock's final jump.
void emit_call_or_return(Emitter& emit, const CallFinder& calls, IRJumpKind jump);
// Tells threads/frame_slots.h that the present frame takes memory as it goes. Call at the end of the instruction.
void emit_growth(Emitter& emit, const CallFinder& calls);
void set_log_position(const u64* (*f)(const u8* state));  // of the running thread's next record

}  // namespace memspy::instrument
