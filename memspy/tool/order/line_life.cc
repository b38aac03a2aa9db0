// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/line_life.h"

#include <algorithm>
#include <bit>
#include <new>

#include "order/passing.h"
#include "order/rules.h"

namespace memspy::order {

// A line that the thread found to be its own, up to the reading with this number, is no longer its own.
static void lose(u32 serial, u32 sequence) {
    if (Strand* strand = strand_of(serial)) strand->lose(sequence);
}

void count_loss(LineState state, Thread taker) {
    if (state.is_read_only()) {
        const u32 readers = state.observed_readers() & state.modelled_readers();
        for (Strand* strand : recording->strands)
            if (const Thread t = strand->thread();
                t != taker && may_be_reader(t) && (readers & reader_bit(t)) != 0)
                strand->lose();
    }
    if (state.is_owned())
        lose(state.owner(), state.is_calm() ? lines().of(state).sequence : state.sequence());
}

void touch_life(Lives& lives, Thread t, Time time, u64 read, u64 written) {
    const u32 situation = recording->situation();
    if (lives.touched_in(situation, read, written)) return;
    lives.touch({t, time, recording->readings, recording->held, situation}, read, written,
                recording->observed, recording->observed.part(t.slot), recording->lock_sets,
                recording->progress);
}

namespace {

LineAccess whole_line(bool loads, bool stores) {
    const auto bytes = static_cast<u16>(recording->options.line_bytes);
    return LineAccess{.first = 0, .bytes = bytes, .loads = loads, .stores = stores};
}

// The same of a line that its owner has from a thread that is gone. Of that one only its bytes and its copy
// are left, so it may have any slot but the first thread's.
Ownership* ownership_of_heir(LineState state, Thread owner, bool modelled) {
    const Thread first = recording->options.first;
    const Thread gone{.slot = owner.slot == first.slot ? first.slot + 1 : owner.slot, .serial = 0};
    const bool from_first = state.has(LineState::kFromFirst);
    Ownership* order = make_ownership_of(from_first ? first : gone);
    if (from_first) apply(order, gone, whole_line(true, true));
    const bool has_stored = modelled ? !state.has(LineState::kNewModelled | LineState::kCopyModelled)
                                     : !state.has(LineState::kOnlyRead);
    if (!modelled || !state.has(LineState::kNewModelled)) apply(order, owner, whole_line(true, has_stored));
    return order;
}

void charge_cold(View view, SharedLine& shared, u32 serial) {
    Events events;
    events.cold = true;
    recording->options.observer.had_events(view, shared.notes, thread_with(serial),
                                           object_at(shared, line_begin(shared.line), 0), Place{}, events);
}

// The ownership of a line that only had its state in the table. Its accesses are not known byte by byte, so
// every byte counts as used. Accesses that have not been merged yet will be merged normally.
Ownership* ownership_before(LineState state, View view) {
    const bool modelled = view == View::Modelled;
    const Thread first = recording->options.first;
    if (state.is_untouched()) return make_ownership();
    if (state.is_read_only()) {
        Ownership* order = make_ownership_of(first);
        const u32 readers = modelled ? state.modelled_readers() : state.observed_readers();
        for (u32 slot = 0; slot < LineState::kReaders; ++slot)
            if ((readers >> slot & 1) != 0)
                apply(order, Thread{.slot = slot, .serial = first_in_slot[slot]}, whole_line(true, false));
        return order;
    }
    const Thread owner = thread_with(state.owner());
    if (state.has(LineState::kInherited)) return ownership_of_heir(state, owner, modelled);
    if (modelled && state.has(LineState::kNewModelled)) return make_ownership_of(first);
    if (modelled && state.has(LineState::kCopyModelled)) {
        Ownership* order = make_ownership_of(first);
        apply(order, owner, whole_line(true, false));
        return order;
    }
    if (modelled && !state.has(LineState::kMerged)) return make_ownership();
    if (state.has(LineState::kFromFirst)) {
        Ownership* order = make_ownership_of(first);
        apply(order, owner, whole_line(true, true));
        return order;
    }
    return make_ownership_of(owner);
}

// The times of the accesses so far are unknown. Those of the thread that is being read end at `time`.
void begin_turns(SharedLine& shared, u32 slot, bool stores, Time time) {
    const Time latest = time == kNever ? recording->latest : std::max(time, recording->latest);
    shared.turns.begin(slot, latest, stores);
}

SharedLine& share(LineState& state, u64 line, Thread taker, Time time) {
    count_loss(state);
    const Passed passed = follow_line(line, taker);
    const u32 number = lines().make_shared(line);
    const LineState before = state;
    state = LineState::shared(number);
    SharedLine& shared = lines().of(state);
    shared.notes = recording->options.observer.shared(line);
    shared.use = new (line_memory().take(sizeof(LineHistory))) LineHistory;
    // Accesses that have not been merged may be another thread's only if it handed the line over.
    const bool has_one = before.is_owned() && !before.has(LineState::kFromFirst);
    begin_turns(shared, has_one ? thread_with(before.owner()).slot : Progress::kAnyone, true, time);
    if (const Strand* strand = before.is_owned() && knows_lives() ? strand_of(before.owner()) : nullptr)
        strand->remember_uses(shared);
    note_passed(shared, passed, time);
    const bool from_first = before.is_read_only() || (before.is_owned() && before.has(LineState::kFromFirst));
    const u32 owner = before.is_owned() ? before.owner() : 0;
    const u32 toucher = from_first ? recording->options.first.serial : owner;
    const bool is_inherited = before.is_owned() && before.has(LineState::kInherited) && !from_first;
    for (u32 view = 0; view < kViews; ++view) {
        shared.order[view] = ownership_before(before, static_cast<View>(view));
        const bool again =
            view == static_cast<u32>(View::Modelled) && before.is_owned() &&
            !before.has(LineState::kMerged | LineState::kNewModelled | LineState::kCopyModelled);
        // The first heir has that counted (inherits).
        if (toucher != 0 && !again && !is_inherited) charge_cold(static_cast<View>(view), shared, toucher);
    }
    return shared;
}

// Calm and resting lines

// Applies t's noted accesses to the ownerships in which t holds the line: the same ones as when they
// happened.
void tell(SharedLine& shared, Thread t, u64 bytes, bool stores) {
    for (u64 starts = run_starts(bytes, 0); starts != 0; starts &= starts - 1) {
        const auto first = static_cast<u32>(std::countr_zero(starts));
        const LineAccess part{.first = static_cast<u8>(first),
                              .bytes = static_cast<u16>(run_length(bytes, first)),
                              .loads = !stores,
                              .stores = stores};
        for (Ownership*& order : shared.order)
            if (holds(*order, t)) apply(order, t, part);
    }
}

// What the owner did to the calm line is the end of its lives, or makes new ones of bytes that were others':
// all that these did to them has been merged, so the owner has had them from the beginning, as far as the
// replay may ask.
void live_while_calm(SharedLine& shared, Thread owner) {
    LineHistory& use = *shared.use;
    use.situation = 0;
    use.lives.touch_again(owner.serial, shared.read | shared.written, shared.written, use.last_reading,
                          use.last_part);
    use.lives.touch({owner, 0, use.last_reading, use.held}, use.lives.not_of(owner.serial, shared.read),
                    use.lives.not_of(owner.serial, shared.written), recording->observed, use.last_part,
                    recording->lock_sets, recording->progress);
}

// Stores to a calm line were not seen to let others go on. Who comes to it now goes on after the last of
// them.
void release_calm_words(const SharedLine& shared, Thread owner) {
    const Address begin = line_begin(shared.line);
    for (u32 at = 0; at < 64; at += 4)
        if ((shared.written >> at & 0xF) != 0 && recording->observed.knows(begin + at))
            recording->observed.release(owner.slot, begin + at, recording->clocks.now(owner) + 1);
}

void count_noted(SharedLine& calm, Thread owner) {
    count_together(calm, owner, calm.read, calm.written, {calm.loads, calm.stores}, recording->latest);
    calm.loads = calm.stores = 0;
}

// Ends the time in which the line was calm.
SharedLine& wake_up(LineState& state, Thread taker, Time time) {
    count_loss(state);
    SharedLine& shared = lines().of(state);
    const Thread owner = thread_with(state.owner());
    state = LineState::shared(state.number());
    tell(shared, owner, shared.read, false);
    tell(shared, owner, shared.written, true);
    if (shared.loads + shared.stores != 0) {
        if (knows_lives()) {
            live_while_calm(shared, owner);
            if (shared.use->orders) release_calm_words(shared, owner);
        }
        count_noted(shared, owner);
    }
    shared.read = shared.written = 0;
    shared.quiet = 0;
    begin_turns(shared, owner.slot, true, time);
    note_passed(shared, follow_line(shared.line, taker), time);
    return shared;
}

}  // namespace

SharedLine& end_rest(LineState& state, Thread taker, Time time) {
    SharedLine& shared = lines().of(state);
    state = LineState::shared(state.number());
    note_passed(shared, follow_line(shared.line, taker), time);
    if (shared.woken < 4) ++shared.woken;
    shared.restful = 0;
    begin_turns(shared, Progress::kAnyone, false, time);
    for (u32 slot = 0; slot < shared.rest->slots; ++slot) {
        const Rest::LineReader& reader = shared.rest->readers()[slot];
        if (reader.serial == 0) continue;
        const Thread t{.slot = slot, .serial = reader.serial};
        lose(reader.serial, reader.sequence);
        tell(shared, t, reader.read, false);
        if (reader.loads != 0)
            count_together(shared, t, reader.read, 0, {reader.loads, 0}, recording->latest);
    }
    line_memory().give(shared.rest, Rest::bytes(shared.rest->slots));
    shared.rest = nullptr;
    return shared;
}

bool joins_rest(SharedLine& resting, Thread t) {
    if (t.slot >= resting.rest->slots) return false;
    for (const Ownership* order : resting.order)
        if (!holds(*order, t)) return false;
    Rest::LineReader& reader = resting.rest->readers()[t.slot];
    if (reader.serial != 0) return reader.serial == t.serial;
    reader = Rest::LineReader{.serial = t.serial, .sequence = 0, .read = 0, .loads = 0};
    return true;
}

void perhaps_rest(SharedLine& shared) {
    if (++shared.restful < (shared.passes != nullptr ? rules::kMostRestful : rules::kRestful << shared.woken))
        return;
    shared.restful = 0;
    if (recording->options.line_bytes != 64 || shared.syncs || lacks_accesses(shared) ||
        shared.turns.any_stores(merged_at(shared)))
        return;
    u32 slots = 0;
    for (const Strand* strand : recording->strands) slots = std::max(slots, slots_for(strand->thread().slot));
    shared.rest = new (line_memory().take(Rest::bytes(slots))) Rest{slots};
    for (u32 slot = 0; slot < slots; ++slot) shared.rest->readers()[slot] = Rest::LineReader{};
    LineState& state = lines()[shared.line];
    state = LineState::resting(state.number());
}

void perhaps_calm(SharedLine& shared, Thread t) {
    if (recording->options.line_bytes != 64 || shared.syncs || lacks_accesses(shared) ||
        shared.turns.any_of_others(t.slot, kNever, merged_at(shared)))
        return;
    for (const Ownership* order : shared.order)
        if (!is_only_holder(*order, t)) return;
    LineState& state = lines()[shared.line];
    state = LineState::calm(t.serial, state.number());
}

void note_calm(SharedLine& calm, Thread owner, const Touch& touch) {
    const bool is_first = (calm.read | calm.written) == 0;
    if (((touch.read & ~calm.read) | (touch.written & ~calm.written)) != 0) {
        // None of the accesses so far was to these bytes.
        if (calm.loads + calm.stores >= rules::kTellNoted) count_noted(calm, owner);
        calm.read |= touch.read;
        calm.written |= touch.written;
    }
    if (LineHistory& use = *calm.use; knows_lives() && use.situation != recording->situation()) {
        use.held = is_first ? recording->held : recording->lock_sets.common(use.held, recording->held);
        use.last_reading = recording->readings;
        use.last_part = recording->observed.part(owner.slot);
        use.situation = recording->situation();
    }
    calm.loads += touch.loads;
    calm.stores += touch.stores;
    if ((calm.loads | calm.stores) > ~u32{0} / 2) [[unlikely]]
        wake_up(lines()[calm.line], {}, kNever);
}

void count_calm_lines() {
    for (u32 number = 0; number < lines().shared_count(); ++number)
        if (LineState& state = lines()[lines().shared_line(number).line]; state.is_calm())
            wake_up(state, {}, kNever);
        else if (state.is_resting())
            end_rest(state, {}, kNever);
}

SharedLine& merged_line(LineState& state, u64 line, Thread t, Time time, bool stores) {
    if (state.is_resting()) return stores ? end_rest(state, t, time) : lines().of(state);
    if (state.is_shared()) return lines().of(state);
    return state.is_calm() ? wake_up(state, t, time) : share(state, line, t, time);
}

}  // namespace memspy::order
