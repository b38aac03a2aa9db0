// SPDX-License-Identifier: GPL-2.0-or-later
//
// The life of lines as threads touch them: transitions between the states of line_table.h, and the
// counts on those ways. Lines that threads do not fight for get no record; the accesses to such a line are
// the handover from the program's first thread at most, which is charged as it is met. A line gets a record,
// and with it ownerships that know its former state, when two threads use it otherwise.
//
// While a line is calm or rests its ownerships stand still: what its threads do to it is summed up beside
// them, and told to them at its end.
#pragma once

#include "analyses/contention/recording.h"

namespace memspy::contention {

// Before the first touch by t.
void know_reader(Thread t);

// The object that owned `a`, of the line, at `time`.
ObjectId object_at(SharedLine& shared, Address a, Time time);
// Accesses of t that nobody looked at one by one, to these bytes.
void count_together(SharedLine& shared, Thread t, u64 bytes, const AccessCounts& accesses, Time time);

// First reading: notes that `t` touches the line. True when the accesses must be looked at one by one.
bool touch_slowly(LineState& state, Thread t, const Touch& touch, const Record& record, const Shape& shape);
inline bool touch_line(Thread t, const Touch& touch, const Record& record, const Shape& shape);

// First reading: t touches the shared line.
inline void touch_shared(SharedLine& shared, Thread t) {
    if (shared.streak == t.serial) return;
    shared.streak = t.serial;
    shared.foreign_until = recording->latest + 1;
}

// Second reading: whether the accesses must be merged. What can be settled without is.
bool needs_merge(Thread t, const Touch& touch, const Record& record, const Shape& shape);
// The line of an access that has to be merged, or that is looked at for other reasons.
SharedLine& merged_line(LineState& state, u64 line, bool stores = true);
// Loads have been passed that taught nothing. When that goes on and all stores are merged, the line rests.
void perhaps_rest(SharedLine& shared);
// When t has the line for itself in both orders at `time`, and all that others did to it is merged, it is
// calm from now on.
void perhaps_calm(SharedLine& shared, Thread t, Time time);

// What the owner of a calm line does.
void note_calm(SharedLine& calm, const Touch& touch);

// Serials of slots that may be in a read-only line's sets: those of the first thread of each.
extern u32 first_in_slot[LineState::kReaders];
inline bool may_be_reader(Thread t) {
    return t.slot < LineState::kReaders && first_in_slot[t.slot] == t.serial;
}
inline u32 reader_bit(Thread t) { return u32{1} << t.slot; }

inline bool is_known_reader(LineState state, Thread t) {
    return state.is_read_only() && may_be_reader(t) &&
           (state.observed_readers() & state.modelled_readers() & reader_bit(t)) != 0;
}

// Second reading: whether t is the first thread, and all that it did to the line which it handed over comes
// before what others did. So it has no effect.
inline bool is_of_before(LineState state, Thread t) {
    return t == recording->options.first &&
           (state.is_read_only() || (state.is_owned() && state.has(LineState::kAfterFirst)));
}

// What t does to the line that rests; nullptr when it is not among those who hold it.
inline Rest::LineReader* reader_at_rest(SharedLine& resting, Thread t) {
    if (t.slot >= resting.rest->slots) return nullptr;
    Rest::LineReader& reader = resting.rest->readers()[t.slot];
    return reader.serial == t.serial ? &reader : nullptr;
}
inline bool is_known_at_rest(LineState state, Thread t) {
    return state.is_resting() && reader_at_rest(lines().of(state), t) != nullptr;
}
inline void note_at_rest(SharedLine& resting, Thread t, const Touch& touch) {
    Rest::LineReader& reader = *reader_at_rest(resting, t);
    reader.read |= touch.read;
    reader.loads += touch.loads;
}

// Its owner finds in the reading with this number that the line is its own.
inline void found_own(LineState& state, u32 sequence) {
    if (state.is_calm())
        lines().of(state).sequence = sequence;
    else
        state.set_sequence(sequence);
}

inline bool touch_line(Thread t, const Touch& touch, const Record& record, const Shape& shape) {
    LineState& state = lines()[touch.line];
    if (state.is_owned_by(t.serial) && (touch.written == 0 || !state.has(LineState::kOnlyRead))) [[likely]]
        return false;
    if (state.is_read_only() && touch.written == 0 && may_be_reader(t) &&
        (state.observed_readers() & reader_bit(t)) != 0)
        return false;
    return touch_slowly(state, t, touch, record, shape);
}

}  // namespace memspy::contention
