// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where on its stack a thread has the frames of a path, for accesses that are looked at after the calls have
// returned.
//
// A frame's *slot* is the stack pointer at its function's first instruction. How far it is below its caller's
// depends on the code alone, unless the caller takes memory as it goes (alloca, arrays of variable length).
// So a node of the call tree keeps this distance, as it was at the call that made it, and a thread the slots
// of some paths. A node whose distance was seen to change has no slot from then on. No Valgrind here.
#pragma once

#include "threads/call_tree.h"

namespace memspy::threads {

// From now on. Otherwise nothing is known, and nothing kept.
void keep_frame_slots();
bool keeps_frame_slots();

// The thread's frame of `path` has its slot there. Of CallPath::Root: its stack pointer when it began.
void frame_is_at(u32 serial, CallPath path, Address slot);
// A call from a frame to that of its child.
void frame_is_below(CallPath child, Address callers_slot, Address slot);
// The frame of `path` takes memory as it goes: those of its calls have no slot but by frame_is_at().
void frame_grows(CallPath path);
bool has_varying_slot(CallPath path);
// The running thread's code took the bytes [begin, end) of its stack as it went: `code` moved the stack pointer.
struct Growth {
    Address code, begin, end;
    const u64* record = nullptr;  // of the log: all accesses in it and behind it come later
};
struct GrowthListener {
    bool (*takes)(Address code) =
        nullptr;  // what looks like a frame's own bytes, which are taken when it begins
    void (*took)(const Growth& growth) = nullptr;
};
void listen_to_growth(const GrowthListener& listener);
bool takes_as_it_goes(Address code);
void tell_growth(const Growth& growth);
bool follows_growth();  // somebody wants to know
// With folded recursion (threads/call_tree.h) the frame of `path` is in several places: that of another call,
// from the frame of `caller`, is so many bytes below the one before.
void frame_recurs(CallPath path, CallPath caller, u64 bytes);
// Of a recursion that `path` is in, as far as all its turns take as many bytes: the node of its first call, and
// the bytes of a turn. 0: `path` is in none; kVaryingTurns: where its frames are is not known.
inline constexpr u32 kVaryingTurns = 1;
struct Recursion {
    CallPath first{};
    u32 turn = 0;
};
Recursion recursion_of(CallPath path);
// 0: not known.
Address slot_of(u32 serial, CallPath path);
// Grows when a slot that was told may have become wrong.
u32 age_of_slots();

}  // namespace memspy::threads
