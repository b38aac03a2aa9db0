// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/call_stacks.h"

#include "instrument/core/registers.h"
#include "instrument/core/twins.h"
#include "rt/global.h"
#include "rt/vector.h"
#include "threads/frame_slots.h"
#include "threads/registry.h"

namespace memspy::instrument {
namespace {

using threads::CallPath;
using threads::Thread;

struct ShadowStack {
    CallFrame* frames = nullptr;
    bool entered = false;  // the top is in the thread's registers
};
bool follows = false, follows_twins = false;
rt::Global<rt::Vector<ShadowStack>> stacks;  // by guest thread id

ShadowStack& stack_of(u32 guest_id) {
    if (stacks->size() <= guest_id) stacks->resize(guest_id + 1);
    return (*stacks)[guest_id];
}

// Pushes the calls that a thread is in when it is first followed, as far as its stack can be unwound.
void push_present_calls(u32 guest_id, u32 serial, CallFrame* top) {
    constexpr UInt kMostCalls = 200;
    Addr addresses[kMostCalls], stack_pointers[kMostCalls], frame_pointers[kMostCalls];
    const UInt count =
        VG_(get_StackTrace)(guest_id, addresses, kMostCalls, stack_pointers, frame_pointers, 0);
    CallPath path = CallPath::Root;
#if defined(VGA_amd64)
    constexpr Addr kPushed = sizeof(Addr);
#else
    constexpr Addr kPushed = 0;
#endif
    // Outermost first. The core gives the return address minus one.
    for (UInt i = count; i-- > 1;) {
        path = threads::child_of(path, addresses[i] + 1);
        *++top = CallFrame{.slot = stack_pointers[i] - kPushed, .path = path, .caller = caller_of(path)};
        threads::frame_is_at(serial, path, top->slot);
    }
    // What is unwound of a thread that begins may not be calls.
    threads::frame_is_at(serial, CallPath::Root, VG_(get_SP)(guest_id));
    set_word(guest_id, call_top_offset(), reinterpret_cast<u64>(top));
}

void started(Thread t, u32 guest_id, u64) {
    if (!follows && !follows_twins) return;
    ShadowStack& stack = stack_of(guest_id);
    if (stack.entered) return;
    if (stack.frames == nullptr) stack.frames = take_frames();
    stack.entered = true;
    push_present_calls(guest_id, t.serial, stack.frames);
}

void exited(Thread, u32 guest_id) {
    // The tool's final code still uses the last thread's stack.
    if (threads::threads_now() == 1) return;
    if (!follows && !follows_twins) return;
    ShadowStack& stack = stack_of(guest_id);
    if (stack.frames != nullptr) give_back_frames(stack.frames);
    stack = ShadowStack{};
}

void forked(Thread, u32 guest_id) {
    for (u32 other = 0; other < stacks->size(); ++other)
        if (other != guest_id) (*stacks)[other] = ShadowStack{};
}

}  // namespace

void register_call_stacks() { threads::listen({.exited = exited, .started = started, .forked = forked}); }

void follow_calls() { follows = true; }
void follow_calls_of_twins() { follows_twins = true; }

bool follows_calls() { return follows || (follows_twins && is_twin()); }

void forget_calls() {
    for (ShadowStack& stack : *stacks) stack.entered = false;
}

void enter_twins(Thread t, u32 guest_id) {
    if (follows) return;
    forget_calls();
    started(t, guest_id, 0);
}

void note_present_slots(u32 guest_id) {
    constexpr u32 kMost = 64;  // of the innermost frames
    if (!threads::keeps_frame_slots() || !stack_of(guest_id).entered) return;
    const CallFrame* top = reinterpret_cast<const CallFrame*>(get_word(guest_id, call_top_offset()));
    const CallFrame* const bottom = stack_of(guest_id).frames;
    for (u32 i = 0; i < kMost && top > bottom + 1; ++i, --top)
        if (static_cast<u32>(top->path) > static_cast<u32>(top[-1].path))
            threads::frame_is_below(top->path, top[-1].slot, top->slot);
}

CallPath path_of(u32 guest_id) {
    if ((!follows && !follows_twins) || !stack_of(guest_id).entered) return CallPath::Root;
    return reinterpret_cast<const CallFrame*>(get_word(guest_id, call_top_offset()))->path;
}

}  // namespace memspy::instrument
