// SPDX-License-Identifier: GPL-2.0-or-later
//
// The life of lines as threads touch them: the transitions between the states of line_table.h, and the counts
// on the way. A line that threads do not compete for gets no record. Its accesses are at most the handover
// from the program's first thread, which is charged when it happens. A line gets a record when two threads
// use it in another way; the record's ownerships start from the line's former state.
//
// A line of a thread that has ended, all of whose accesses are merged, is *inherited* by the next thread that
// touches it, as in a program that starts threads for each phase: what is known of the former one is that it
// used all bytes and had a copy. For that a new thread has the log merged first if one has ended since.
//
// While a line is calm or resting its ownerships are not updated. Its accesses are summed up beside them, and
// applied at the end of that state.
#pragma once

#include <bit>

#include "order/known_threads.h"

namespace memspy::order {

// The object that owned `a`, an address of the line, at `time`.
ObjectId object_at(SharedLine& shared, Address a, Time time);
// Counts accesses of t to these bytes that were not processed one by one.
void count_together(SharedLine& shared, Thread t, u64 read, u64 written, const AccessCounts& accesses,
                    Time time);

// First reading: notes that `t` touches the line. Returns true if the accesses must be processed one by one.
bool touch_slowly(LineState& state, Thread t, const Touch& touch, const Record& record, const Shape& shape);
inline bool touch_line(Thread t, const Touch& touch, const Record& record, const Shape& shape);

// First reading: a record of t's that begins at `time` touches the shared line.
inline void touch_shared(SharedLine& shared, Thread t, Time time, bool stores) {
    shared.turns.add(t.slot, time, stores, merged_at(shared));
    if (stores && shared.passes != nullptr && time > recording->stored) recording->stored = time;
}

// First reading, if knows_lives(): the same, with the bytes.
void touch_life(Lives& lives, Thread t, Time time, u64 read, u64 written);

// Second reading: whether the accesses must be merged. Settles everything that needs no merge.
bool needs_merge(Thread t, const Touch& touch, const Record& record, const Shape& shape);
// The record of the line, for an access that has to be merged or processed for other reasons.
// The access is t's, at `time`.
SharedLine& merged_line(LineState& state, u64 line, Thread t, Time time, bool stores = true);
// The merge has passed loads that teach nothing. If that continues and all stores are merged, the line rests.
void perhaps_rest(SharedLine& shared);
// Makes the line calm if t has it to itself in both orders and all accesses by others are merged.
void perhaps_calm(SharedLine& shared, Thread t);

// Adds the accesses to lines that are one thread's own at present to those told; merge_all() includes this.
void count_calm_lines();
// Notes accesses of a calm line's owner.
void note_calm(SharedLine& calm, Thread owner, const Touch& touch);

inline bool is_known_reader(LineState state, Thread t) {
    return state.is_read_only() && may_be_reader(t) &&
           (state.observed_readers() & state.modelled_readers() & reader_bit(t)) != 0;
}

// Whether a word of the line is a lock of the program's own, or may be one.
bool has_followed_word(const SharedLine& shared);
// If only the order is wanted: whether several threads use the line, and none of them waits for a word of it.
inline bool is_for_order(LineState state) { return !recording->options.counts && state.is_read_only(); }

// Second reading: whether t is the first thread and handed the line over, and all its accesses come before
// those of others. Then they have no effect.
inline bool is_of_before(LineState state, Thread t) {
    return t == recording->options.first &&
           (state.is_read_only() || (state.is_owned() && state.has(LineState::kAfterFirst)));
}

// The thread's entry in the resting line; nullptr if the thread is not among the holders.
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

// The line's owner finds in the reading with this number that the line is its own.
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

// For the other files of the life of lines: lean_lines.cc (lines without a record), line_objects.cc (whose
// bytes they are) and line_ends.cc (memory that gets another use).

// The line is about to get another user. If that is `taker`, it loses nothing.
void count_loss(LineState state, Thread taker = {});
// The line is about to be stored to. Stores from before its rest have been merged.
SharedLine& end_rest(LineState& state, Thread taker, Time time);
// Whether the thread's loads of the resting line are only noted from now on.
bool joins_rest(SharedLine& resting, Thread t);
// Who has the bytes around `a` now.
OwnedBytes& add_owner(SharedLine& shared, Address a);

// The bytes of a line where others are used than before, or in another way: one bit for each run of bytes
// used alike.
inline u64 run_starts(u64 read, u64 written) {
    return (read | written) & ((read ^ read << 1) | (written ^ written << 1));
}

// The bytes from `first` on that are in the set.
inline u32 run_length(u64 bytes, u32 first) { return static_cast<u32>(std::countr_one(bytes >> first)); }

}  // namespace memspy::order
