// SPDX-License-Identifier: GPL-2.0-or-later
//
// The accesses of a record: data, which may race, or signals, which order threads.
#pragma once

#include "analyses/races/racing_thread.h"
#include "analyses/races/shape_facts.h"

namespace memspy::races {

using log::Record;
using log::Shape;

// The record's accesses, one after the other.
void follow_accesses(RacingThread& f, const Record& record, const Shape& shape, ShapeFacts& facts);
// Whether the thread has done all of that before in its present turn.
bool teaches_nothing(RacingThread& f, const Record& record, const Shape& shape);
// The word by which a lock is taken. Its release may have no name that is known.
void note_lock_word(RacingThread& f, const Record& record, const Shape& shape);

// The thread frees the block there: a store to all of it, until the memory is used again.
void free_block(RacingThread& f, Address begin, usize bytes, const Place& place);
// [begin, begin + bytes) gets another owner.
void forget(Address begin, usize bytes);
void forget_all_accesses();

}  // namespace memspy::races
