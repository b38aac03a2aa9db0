// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/known_threads.h"

#include <algorithm>

namespace memspy::order {

u32 first_in_slot[LineState::kReaders];

namespace {

rt::Global<rt::Vector<u32>> slot_of_serial;  // includes threads that have ended

}  // namespace

Thread thread_with(u32 serial) { return Thread{.slot = (*slot_of_serial)[serial], .serial = serial}; }

Time time_of(u32 serial) {
    if (serial == 0) return 0;
    const Thread t = thread_with(serial);
    const Time delay = recording->merge.delay_of(serial);
    // Its clock may have been moved by a wait since its last access.
    if (recording->clocks.is_known(t)) return std::min(recording->clocks.now(t), recording->latest) + delay;
    const Strand* strand = strand_of(serial);
    return strand == nullptr ? 0 : strand->ended_at() + delay;
}

void know_reader(Thread t) {
    if (t.slot < LineState::kReaders && first_in_slot[t.slot] == 0) first_in_slot[t.slot] = t.serial;
    if (slot_of_serial->size() <= t.serial) slot_of_serial->resize(t.serial + 1);
    (*slot_of_serial)[t.serial] = t.slot;
}

// Lines that get a record

}  // namespace memspy::order
