// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where threads were when they wrote the records that have been read: the calls that they were in, the code,
// and where on their stacks the frames of these calls are. On amd64 a call stores the return address, so that
// a log of all accesses shows its frame exactly; else the frame is where threads/frame_slots.h has it.
#pragma once

#include "log/last_store.h"
#include "places/grown_parts.h"
#include "rt/vector.h"
#include "threads/call_tree.h"

namespace memspy::locality {

struct ThreadPosition {
    threads::CallPath path{};
    Address code = 0;

    // Of the next record of the thread, of which not all accesses are looked at.
    void go_to(threads::CallPath next) {
        if (next != path) [[unlikely]]
            change(next);
        pushed = {};
    }
    // The record's accesses are all looked at.
    void note(const log::Record& record, const log::Shape& shape);

    struct KnownSlot {
        threads::CallPath path;
        Address slot;
    };
    rt::Vector<KnownSlot> frames;  // outermost first, by ascending path
    log::LastStore pushed;         // the record's, which may be a call's

private:
    void change(threads::CallPath next);
};

void follow_frames();  // call before any translation
// By the thread's serial. Valid until that of another thread is asked for the first time.
ThreadPosition& position_of(u32 thread);
// The slot of the thread's frame; 0: not known.
Address slot_of_frame(u32 thread, threads::CallPath path);
// What frames had taken as they went.
places::GrownPartsOfLog& grown_parts();

}  // namespace memspy::locality
