// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/frames.h"

#include <algorithm>
#include <new>

#include "instrument/zeros/byte_marks.h"
#include "instrument/zeros/frame_calls.h"
#include "places/frames.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/vg.h"

namespace memspy::instrument {

// The frames of a function: their variables, by distance from the frame's end, and a place for each.
struct FollowedFrame {
    Address entry = 0;
    Address in_page = 0;   // of the frames' ends, if that matters
    u64 depth = 0;         // from the first variable on; a multiple of kUnit
    Address kept_end = 0;  // their end, behind the client's addresses; 0: there was no room
    rt::Vector<places::VariableOfFrame> variables;
    FollowedFrame* other = nullptr;  // with other places of the ends
    bool by_page = false;
    Address kept(Address end, Address a) const { return kept_end - (end - a); }
};

}  // namespace memspy::instrument

namespace memspy::zeros {
namespace {

using instrument::FollowedFrame;

constexpr Address kUnit = 32, kPage = 4096;

// What a function takes as it goes has the place of the largest of its kind.
struct GrownVariable {
    places::VariableOfFrame variable;
    Address kept_begin = 0;
    usize room = 0;
};

// A frame, or bytes that one has taken since it began.
struct LiveFrame {
    Address end;           // it is gone when the stack pointer is there or above
    FollowedFrame* frame;  // null:
    GrownVariable* grown = nullptr;
    Address grown_begin = 0, grown_end = 0;
};
using FrameStack = rt::Vector<LiveFrame>;
rt::Global<rt::Vector<FrameStack*>> stacks;  // by serial of the thread; innermost last
FrameStack* running = nullptr;
constexpr Address kNone = ~Address{0};
Address lowest_end = kNone;

rt::Global<rt::Vector<FollowedFrame*>> followed;
rt::Global<rt::HashMap<FollowedFrame*>> by_entry;
rt::Global<rt::Vector<GrownVariable*>> grown;
rt::Global<rt::HashMap<GrownVariable*>> by_object;
Address next_kept = instrument::kKeptMarks;

// 0: there is no room.
Address take_kept(u64 bytes) {
    const Address begin = next_kept;
    if (bytes > instrument::kEndOfKeptMarks - begin) return 0;
    instrument::make_markable(begin, bytes);
    next_kept = begin + bytes;
    return begin;
}

void note_lowest() { lowest_end = running == nullptr || running->empty() ? kNone : running->back().end; }

void leave(const LiveFrame& live) {
    if (live.grown != nullptr) {
        GrownVariable& to = *live.grown;
        to.variable.bytes = std::max(to.variable.bytes, live.grown_end - live.grown_begin);
        if (to.variable.bytes > to.room) {
            // Twice as much, so that an array that grows from call to call is moved seldom.
            const usize room = (2 * to.variable.bytes + kUnit - 1) / kUnit * kUnit;
            const Address moved = take_kept(room);
            if (moved == 0) return;
            if (to.room != 0) instrument::move_marks(to.kept_begin, to.kept_begin + to.room, moved);
            to.kept_begin = moved, to.room = room;
        }
        return instrument::move_marks(live.grown_begin, live.grown_end, to.kept_begin);
    }
    const Address begin = live.end - live.frame->depth;
    instrument::move_marks(begin, live.end, live.frame->kept(live.end, begin));
}

// The stack pointer was at `end`.
void leave_below(Address end) {
    while (!running->empty() && running->back().end <= end) {
        leave(running->back());
        running->pop_back();
    }
}

FollowedFrame* read(Address entry, Address end) {
    auto* const made = new (rt::allocate(sizeof(FollowedFrame), "memspy.frames")) FollowedFrame;
    made->entry = entry;
    made->in_page = end % kPage;
    made->by_page = places::for_each_frame_variable(
        entry, end,
        [](const places::VariableOfFrame& variable, void* argument) {
            FollowedFrame& frame = *static_cast<FollowedFrame*>(argument);
            frame.variables.push_back(variable);
            frame.depth = std::max(frame.depth, static_cast<u64>(-variable.from_end));
        },
        made);
    made->depth = (made->depth + kUnit - 1) / kUnit * kUnit;
    if (const Address begin = made->depth == 0 ? 0 : take_kept(made->depth); begin != 0)
        made->kept_end = begin + made->depth;
    followed->push_back(made);
    return made;
}

FollowedFrame* frame_of(Address code) {
    const HChar* name = nullptr;
    if (places::is_library_code(code) || !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name))
        return nullptr;
    FollowedFrame*& known = (*by_entry)[code];
    if (known == nullptr) known = read(code, 0);
    return known->kept_end != 0 || known->by_page ? known : nullptr;
}

// Of several with other places of their ends, that one.
FollowedFrame* of_end(FollowedFrame* frame, Address end) {
    if (!frame->by_page) return frame;
    for (FollowedFrame* at = frame;; at = at->other) {
        if (at->in_page == end % kPage) return at;
        if (at->other == nullptr) return at->other = read(at->entry, end);
    }
}

void entered(FollowedFrame* function, Address end) {
    constexpr Address kAlign = 16;
    if (running == nullptr || end % kAlign != 0) return;
    leave_below(end);
    FollowedFrame* const frame = of_end(function, end);
    if (frame->kept_end != 0) {
        instrument::clear_marks(end - frame->depth, end);
        running->push_back({end, frame});
    }
    note_lowest();
}

void left(Address end) {
    leave_below(end);
    note_lowest();
}

void took(const places::GrownPart& part) {
    if (running == nullptr) return;
    leave_below(part.end);
    GrownVariable*& known = (*by_object)[static_cast<u64>(places::grown_object(part))];
    if (known == nullptr) {
        known = new (rt::allocate(sizeof(GrownVariable), "memspy.frames")) GrownVariable;
        known->variable.object = places::grown_object(part);
        grown->push_back(known);
    }
    instrument::clear_marks(part.begin, part.end);
    if (!running->empty() && running->back().grown == known && running->back().grown_begin == part.end)
        running->back().grown_begin = part.begin, running->back().end = part.begin + 1;
    else
        running->push_back({part.begin + 1, nullptr, known, part.begin, part.end});
    note_lowest();
}

bool is_followed(Address code) { return !places::is_library_code(code); }

}  // namespace

void start_frames() {
    instrument::set_frame_hooks({.frame_of = frame_of,
                                 .is_followed = is_followed,
                                 .entered = entered,
                                 .left = left,
                                 .lowest_end = &lowest_end});
    places::listen_to_grown_parts(took);
}

void frames_of(u32 thread) {
    while (stacks->size() <= thread)
        stacks->push_back(new (rt::allocate(sizeof(FrameStack), "memspy.frames")) FrameStack);
    running = (*stacks)[thread];
    note_lowest();
}

void leave_frames(u32 thread) {
    if (thread >= stacks->size()) return;
    for (const LiveFrame& live : *(*stacks)[thread]) leave(live);
}

void leave_all_frames() {
    for (u32 thread = 0; thread < stacks->size(); ++thread) leave_frames(thread);
}

void forget_frames() { instrument::clear_marks(instrument::kKeptMarks, next_kept); }

void for_each_kept_variable(void (*f)(const places::VariableOfFrame& variable, Address begin, void*),
                            void* argument) {
    for (const FollowedFrame* frame : *followed) {
        if (frame->kept_end == 0) continue;
        for (const places::VariableOfFrame& variable : frame->variables)
            f(variable, frame->kept_end + static_cast<u64>(variable.from_end), argument);
    }
    for (const GrownVariable* each : *grown)
        if (each->room != 0) f(each->variable, each->kept_begin, argument);
}

}  // namespace memspy::zeros
