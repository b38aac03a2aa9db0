// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads by their serials and slots, with those that have ended, and how far they have got in virtual time.
#pragma once

#include "order/recording.h"

namespace memspy::order {

// Call before the first touch by t.
void know_reader(Thread t);
Thread thread_with(u32 serial);  // that is known

// All accesses of the thread so far are earlier in virtual time, unless it still waits for a lock before
// them. 0: they have all been merged.
Time time_of(u32 serial);

// Whether the merge is behind `time` of the thread.
inline bool has_begun(u32 slot, u32 serial, Time time) {
    return strand_of(serial) == nullptr || recording->progress.is_past(slot, time + 1);
}

// Serials of the slots that may be in a read-only line's sets: the first thread of each slot.
extern u32 first_in_slot[LineState::kReaders];
inline bool may_be_reader(Thread t) {
    return t.slot < LineState::kReaders && first_in_slot[t.slot] == t.serial;
}
inline u32 reader_bit(Thread t) { return u32{1} << t.slot; }

}  // namespace memspy::order
