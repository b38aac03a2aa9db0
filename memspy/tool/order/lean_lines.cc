// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines without a record: one thread has them to itself, or the first thread handed them over, or nobody
// stores to them. What first and second reading do when they meet them.
#include <algorithm>

#include "order/line_life.h"
#include "order/passing.h"

namespace memspy::order {

namespace {

u32 first_reader() {
    const Thread first = recording->options.first;
    return may_be_reader(first) ? reader_bit(first) : 0;
}

// Charges an event on the line to the record's first use of it; to its first store if the event is a store's.
void charge_lean(View view, Thread t, const Record& record, const Shape& shape, u64 line, bool stores,
                 const Events& events) {
    for (const AccessUse& use : shape.uses) {
        if (!happened(record, use) || (stores && !use.stores)) continue;
        const Address a = record.address(use.word, use.offset);
        if (lines().line_of(a) > line || line > lines().line_of(a + use.bytes - 1)) continue;
        const Address from = a > line_begin(line) ? a : line_begin(line);
        recording->options.observer.had_events(view, nullptr, t, places::find_extent(from).object,
                                               Place{use.instruction, record.path}, events);
        if (view == View::Modelled) {
            recording->merge.what_if().events(t.serial, events.count(), 0, WhatIf::kNoSuspect);
            recording->counts.events += events.count();
        }
        return;
    }
}

// From the thread with that serial.
Events handover(u32 from, bool first_touch, bool invalidation) {
    Events events;
    events.first_touch = events.true_miss = first_touch;
    events.invalidation = events.true_invalidation = invalidation;
    if (first_touch) events.from = from;
    if (invalidation) events.victim = from;
    return events;
}
// The first thread gets a line back that it had handed over.
Events return_to_first(u32 from, bool invalidation) {
    Events events = handover(from, true, invalidation);
    events.first_touch = false;
    events.coherence = events.handed_over = true;
    return events;
}
// The owner's first access to the line in the modelled order.
Events takeover(LineState state, bool stores) {
    if (!state.has(LineState::kInherited)) return handover(recording->options.first.serial, true, stores);
    const bool returns =
        state.has(LineState::kFromFirst) && state.is_owned_by(recording->options.first.serial);
    return returns ? return_to_first(0, stores) : handover(0, true, stores);
}

const Strand* first_strand() {
    for (const Strand* strand : recording->strands)
        if (strand->thread() == recording->options.first) return strand;
    return nullptr;
}

// Whether all accesses of the first thread so far have been merged.
bool is_first_merged() {
    const Strand* first = first_strand();
    return first == nullptr || first->is_merged();
}
// Whether no access of the first thread up to this reading can be merged behind an action at `time`.
bool is_first_before(u32 reading, Time time) {
    const Strand* first = first_strand();
    return first == nullptr || first->is_merged() ||
           (recording->options.coherence_latency == 0 && first->ended(reading) < time);
}

// The first touch of the line since accesses are logged. Returns true if nothing more is to be done.
bool touch_new(LineState& state, Thread t, const Touch& touch) {
    if (!recording->options.touched_before(line_begin(touch.line))) {
        state = LineState::exclusive(t.serial, touch.written == 0 ? u32{LineState::kOnlyRead} : 0);
        return true;
    }
    state = LineState::exclusive(recording->options.first.serial, LineState::kMerged);
    if (t != recording->options.first) return false;
    if (touch.written == 0) state.set(LineState::kOnlyRead);
    return true;
}

// t takes over a line that others have only read, if at all. `flags` describes t's copy in the modelled
// order.
void take_over(LineState& state, Thread t, const Touch& touch, const Record& record, const Shape& shape,
               bool has_copy, u32 flags) {
    count_loss(state, t);
    follow_line(touch.line);
    const u32 first = recording->options.first.serial;
    charge_lean(View::Observed, t, record, shape, touch.line, true, handover(first, !has_copy, true));
    state = LineState::exclusive(t.serial, LineState::kMerged | LineState::kFromFirst | flags);
}

// In the modelled order the first thread has a copy beside the exclusive line's owner, or the owner has no
// copy yet.
bool has_copy_of_other(LineState state) {
    return state.has(LineState::kNewModelled) ||
           (state.has(LineState::kCopyModelled) && !state.has(LineState::kInherited));
}

// t touches a line that was the first thread's, or is read only. Returns true if nothing more is to be done.
bool touch_handed_over(LineState& state, bool untouched, Thread t, const Touch& touch, const Record& record,
                       const Shape& shape) {
    const bool only_read = untouched || (touch.written == 0 && state.has(LineState::kOnlyRead));
    // Others may have passed the line later in virtual time.
    const bool only_loads = touch.written == 0 && (state.is_read_only() || only_read);
    if (!only_loads && was_passed_after(touch.line, t, record.time)) return false;
    if (state.is_owned_by(recording->options.first.serial) && state.has(LineState::kMerged) &&
        !state.is_calm() && !has_copy_of_other(state) &&
        (only_read || is_first_before(state.sequence(), record.time))) {
        if (touch.written != 0) {
            take_over(state, t, touch, record, shape, false,
                      LineState::kNewModelled | (untouched ? 0 : u32{LineState::kAfterFirst}));
            return true;
        }
        if (may_be_reader(t)) {
            count_loss(state);
            follow_line(touch.line);
            const bool unmerged = !only_read && !is_first_merged();
            state = LineState::read_only(first_reader(), unmerged ? u32{LineState::kUnmerged} : 0);
        }
    } else if (state.is_read_only() && state.has(LineState::kUnmerged)) {
        if (!is_first_before(Strand::kLastReading, record.time)) return false;
        if (is_first_merged()) state.clear(LineState::kUnmerged);
    }
    if (!state.is_read_only() || !may_be_reader(t)) return false;
    const u32 bit = reader_bit(t), observed = state.observed_readers(), modelled = state.modelled_readers();
    if (touch.written == 0) {
        charge_lean(View::Observed, t, record, shape, touch.line, false,
                    handover(recording->options.first.serial, true, false));
        state.add_observed_reader(bit);
        return true;
    }
    if (t == recording->options.first || ((observed | modelled) & ~bit & ~first_reader()) != 0) return false;
    // A line that the first thread has only read may be read only for others before those loads are merged.
    if (!is_first_before(Strand::kLastReading, record.time)) return false;
    take_over(state, t, touch, record, shape, (observed & bit) != 0,
              ((modelled & bit) != 0 ? LineState::kCopyModelled : LineState::kNewModelled) |
                  (is_first_merged() ? 0 : u32{LineState::kAfterFirst}));
    return true;
}

// t touches a line that was another thread's. Returns true if that one is gone, and nothing more is to be
// done.
bool inherits(LineState& state, Thread t, const Touch& touch, const Record& record, const Shape& shape) {
    const u32 first = recording->options.first.serial;
    if (!state.is_owned() || state.is_calm() || state.is_owned_by(first) || !state.has(LineState::kMerged) ||
        has_copy_of_other(state))
        return false;
    const u32 former = state.owner();
    if (const Strand* strand = strand_of(former);
        strand != nullptr && !(strand->is_gone() && strand->is_merged()))
        return false;
    if (was_passed_after(touch.line, t, record.time)) return false;
    follow_line(touch.line);
    // As elsewhere, that the first thread touched the line before is counted when it gets a record.
    if (!state.has(LineState::kInherited | LineState::kFromFirst)) {
        Events cold;
        cold.cold = true;
        const ObjectId object = places::find_extent(line_begin(touch.line)).object;
        for (const View view : {View::Observed, View::Modelled})
            recording->options.observer.had_events(view, nullptr, thread_with(former), object, Place{}, cold);
    }
    const bool stores = touch.written != 0, returns = t.serial == first && state.has(LineState::kFromFirst);
    charge_lean(View::Observed, t, record, shape, touch.line, stores,
                returns ? return_to_first(former, stores) : handover(former, true, stores));
    // What the first thread did before is merged, since it was before what is.
    const u32 kept = state.flags(t.serial == first ? LineState::kFromFirst
                                                   : LineState::kFromFirst | LineState::kAfterFirst);
    state =
        LineState::exclusive(t.serial, LineState::kMerged | LineState::kInherited | LineState::kNewModelled |
                                           (stores ? 0 : u32{LineState::kOnlyRead}) | kept);
    return true;
}

// The same if only the order is wanted.
bool touch_for_order(LineState& state, Thread t) {
    if (state.is_owned_by(t.serial)) return false;
    if (state.is_untouched())
        state = LineState::exclusive(t.serial, LineState::kMerged);
    else if (state.is_owned())
        state = LineState::read_only(0, 0);
    return !state.is_owned();
}

}  // namespace

bool touch_slowly(LineState& state, Thread t, const Touch& touch, const Record& record, const Shape& shape) {
    if (!recording->options.counts) return touch_for_order(state, t);
    const bool untouched = state.is_untouched();
    if (untouched && touch_new(state, t, touch)) return false;
    if (state.is_owned_by(t.serial)) {  // the access stores
        if (state.has(LineState::kInherited))
            charge_lean(View::Observed, t, record, shape, touch.line, true, handover(0, false, true));
        state.clear(LineState::kOnlyRead);
        return false;
    }
    if (inherits(state, t, touch, record, shape)) return false;
    if (touch_handed_over(state, untouched, t, touch, record, shape)) return false;
    if (state.is_resting() && touch.written == 0 && joins_rest(lines().of(state), t)) return false;
    SharedLine& shared = merged_line(state, touch.line, t, record.time, touch.written != 0);
    touch_shared(shared, t, record.time, touch.written != 0);
    if (touch.written != 0)
        note_passed(shared, follow_line(touch.line, t), record.time);
    else
        note_stores_passed(shared, t, record.time);
    if (knows_lives()) touch_life(shared.use->lives, t, record.time, touch.read, touch.written);
    return shared.syncs || (shared.use->orders && touch.written != 0) ||
           !is_settled(*shared.order[static_cast<u32>(View::Observed)], t, touch.read, touch.written);
}

bool needs_merge(Thread t, const Touch& touch, const Record& record, const Shape& shape) {
    LineState& state = lines()[touch.line];
    if (is_of_before(state, t)) return false;
    if (state.is_owned_by(t.serial)) {
        if (state.has(LineState::kNewModelled)) [[unlikely]] {
            charge_lean(View::Modelled, t, record, shape, touch.line, touch.written != 0,
                        takeover(state, touch.written != 0));
            state.clear(LineState::kNewModelled);
            if (touch.written == 0) state.set(LineState::kCopyModelled);
        } else if (touch.written != 0 && state.has(LineState::kCopyModelled)) [[unlikely]] {
            charge_lean(View::Modelled, t, record, shape, touch.line, true,
                        handover(takeover(state, true).from, false, true));
            state.clear(LineState::kCopyModelled);
        }
        if (!state.has(LineState::kMerged)) {
            state.set(LineState::kMerged);
            if (!state.is_all_of(t.serial)) return false;
            if (state.has(LineState::kOnlyRead))
                make_loads_quiet(t, touch.line);
            else
                make_quiet(t, touch.line);
        }
        return false;
    }
    if (state.is_read_only() && touch.written == 0 && may_be_reader(t)) {
        const u32 bit = reader_bit(t);
        if ((state.modelled_readers() & bit) == 0) {
            charge_lean(View::Modelled, t, record, shape, touch.line, false,
                        handover(recording->options.first.serial, true, false));
            state.add_modelled_reader(bit);
        }
        return false;
    }
    return touch.written != 0 || !is_known_at_rest(state, t);
}

}  // namespace memspy::order
