// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/line_life.h"

#include <algorithm>
#include <bit>
#include <new>

#include "order/passing.h"
#include "places/holders.h"

namespace memspy::order {

u32 first_in_slot[LineState::kReaders];

namespace {

rt::Global<rt::Vector<u32>> slot_of_serial;  // includes threads that have ended

u32 first_reader() {
    const Thread first = recording->options.first;
    return may_be_reader(first) ? reader_bit(first) : 0;
}

// A line that the thread found to be its own, up to the reading with this number, is no longer its own.
void lose(u32 serial, u32 sequence) {
    if (Strand* strand = strand_of(serial)) strand->lose(sequence);
}

// The line is about to get another user. If that is `taker`, it loses nothing.
void count_loss(LineState state, Thread taker = {}) {
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

// Objects

OwnedBytes clipped_extent(u64 line, Address a) {
    OwnedBytes owned{.extent = places::find_extent(a)};
    places::look_for_holder(owned.extent.object, owned.extent.start);
    if (owned.extent.begin < line_begin(line)) owned.extent.begin = line_begin(line);
    if (owned.extent.end > line_end(line)) owned.extent.end = line_end(line);
    return owned;
}

void forget_ended(rt::Vector<OwnedBytes, OnLineMemory>& owners) {
    usize kept = 0;
    for (const OwnedBytes& owned : owners)
        if (owned.until > recording->merged_until) owners[kept++] = owned;
    owners.resize(kept);
}

// Who has the bytes around `a` now.
OwnedBytes& add_owner(SharedLine& shared, Address a) {
    auto& owners = shared.use->owners;
    forget_ended(owners);
    grow_by_one(owners);
    owners.push_back(clipped_extent(shared.line, a));
    return owners.back();
}

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

void touch_life(Lives& lives, Thread t, Time time, u64 read, u64 written) {
    const u32 situation = recording->situation();
    if (lives.touched_in(situation, read, written)) return;
    lives.touch({t, time, recording->readings, recording->held, situation}, read, written,
                recording->observed, recording->observed.part(t.slot), recording->lock_sets,
                recording->progress);
}

void know_reader(Thread t) {
    if (t.slot < LineState::kReaders && first_in_slot[t.slot] == 0) first_in_slot[t.slot] = t.serial;
    if (slot_of_serial->size() <= t.serial) slot_of_serial->resize(t.serial + 1);
    (*slot_of_serial)[t.serial] = t.slot;
}

ObjectId object_at(SharedLine& shared, Address a, Time time) {
    const OwnedBytes* best = nullptr;
    for (const OwnedBytes& owned : shared.use->owners)
        if (owned.extent.begin <= a && a < owned.extent.end && time < owned.until &&
            (best == nullptr || owned.until < best->until))
            best = &owned;
    if (best != nullptr) return best->extent.object;
    return add_owner(shared, a).extent.object;
}

namespace {

// The bytes of a line where others are used than before, or in another way: one bit for each run of bytes used alike.
u64 run_starts(u64 read, u64 written) {
    return (read | written) & ((read ^ read << 1) | (written ^ written << 1));
}

// The bytes from `first` on that are in the set.
u32 run_length(u64 bytes, u32 first) { return static_cast<u32>(std::countr_one(bytes >> first)); }

// Deals out accesses to runs of bytes in equal parts.
class EqualShares {
public:
    EqualShares(u64 accesses, u64 runs) : accesses_(accesses), left_(std::popcount(runs)) {}
    u64 next() {
        const u64 share = accesses_ / static_cast<u64>(left_--);
        accesses_ -= share;
        return share;
    }

private:
    u64 accesses_;
    int left_;
};

}  // namespace

// How many of the accesses had which bytes is not known.
void count_together(SharedLine& shared, Thread t, u64 read, u64 written, const AccessCounts& accesses,
                    Time time) {
    u64 starts = run_starts(read, written);
    EqualShares loads(accesses.loads, starts & read), stores(accesses.stores, starts & written);
    for (; starts != 0; starts &= starts - 1) {
        const auto first = static_cast<u32>(std::countr_zero(starts));
        const bool is_read = (read >> first & 1) != 0, is_written = (written >> first & 1) != 0;
        const u64 alike = (is_read ? read : ~read) & (is_written ? written : ~written);
        const LineAccess part{.first = static_cast<u8>(first),
                              .bytes = static_cast<u16>(run_length(alike, first)),
                              .loads = is_read,
                              .stores = is_written};
        const AccessCounts share{is_read ? loads.next() : 0, is_written ? stores.next() : 0};
        recording->options.observer.accessed_often(
            shared.notes, t, object_at(shared, line_begin(shared.line) + first, time), part, share);
    }
}

// Lines that get a record

namespace {

LineAccess whole_line(bool loads, bool stores) {
    const auto bytes = static_cast<u16>(recording->options.line_bytes);
    return LineAccess{.first = 0, .bytes = bytes, .loads = loads, .stores = stores};
}

// The same of a line that its owner has from a thread that is gone. Of that one only its bytes and its copy are left, so it
// may have any slot but the first thread's.
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

// What the owner did to the calm line is the end of its lives, or makes new ones of bytes that were others': all that
// these did to them has been merged, so the owner has had them from the beginning, as far as the replay may ask.
void live_while_calm(SharedLine& shared, Thread owner) {
    LineHistory& use = *shared.use;
    use.situation = 0;
    use.lives.touch_again(owner.serial, shared.read | shared.written, shared.written, use.last_reading,
                          use.last_part);
    use.lives.touch({owner, 0, use.last_reading, use.held}, use.lives.not_of(owner.serial, shared.read),
                    use.lives.not_of(owner.serial, shared.written), recording->observed, use.last_part,
                    recording->lock_sets, recording->progress);
}

// Stores to a calm line were not seen to let others go on. Who comes to it now goes on after the last of them.
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

// The line is about to be stored to. Stores from before its rest have been merged.
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

// Whether the thread's loads are only noted from now on.
bool joins_rest(SharedLine& resting, Thread t) {
    if (t.slot >= resting.rest->slots) return false;
    for (const Ownership* order : resting.order)
        if (!holds(*order, t)) return false;
    Rest::LineReader& reader = resting.rest->readers()[t.slot];
    if (reader.serial != 0) return reader.serial == t.serial;
    reader = Rest::LineReader{.serial = t.serial, .sequence = 0, .read = 0, .loads = 0};
    return true;
}

}  // namespace

void perhaps_rest(SharedLine& shared) {
    constexpr u16 kRestful = 32, kMostRestful = 2048;
    if (++shared.restful < (shared.habits != nullptr ? kMostRestful : kRestful << shared.woken)) return;
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
        constexpr u32 kMany = 256;
        if (calm.loads + calm.stores >= kMany) count_noted(calm, owner);
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

// Lines without a record

namespace {

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

// In the modelled order the first thread has a copy beside the exclusive line's owner, or the owner has no copy yet.
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

// t touches a line that was another thread's. Returns true if that one is gone, and nothing more is to be done.
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

SharedLine& merged_line(LineState& state, u64 line, Thread t, Time time, bool stores) {
    if (state.is_resting()) return stores ? end_rest(state, t, time) : lines().of(state);
    if (state.is_shared()) return lines().of(state);
    return state.is_calm() ? wake_up(state, t, time) : share(state, line, t, time);
}

void change_hands(Address begin, Address end) {
    lines().for_each_known(begin, end, [&](SharedLine& shared) {
        usize kept = 0;
        for (const OwnedBytes& owned : shared.use->owners)
            if (owned.until != kNever || owned.extent.end <= begin || owned.extent.begin >= end)
                shared.use->owners[kept++] = owned;
        shared.use->owners.resize(kept);
    });
}

namespace {

// The bytes of the line in [begin, end), which meets it.
u64 bytes_within(u64 line, Address begin, Address end) {
    const Address from = begin > line_begin(line) ? begin - line_begin(line) : 0;
    const Address to = end < line_end(line) ? end - line_begin(line) : 64;
    return (~u64{0} >> (64 - (to - from))) << from;
}

// Whether one thread has the line to itself, and had it from nobody.
bool is_its_own(LineState state) {
    constexpr u32 kHandedOver = LineState::kFromFirst | LineState::kCopyModelled | LineState::kNewModelled;
    return state.is_owned() && !state.is_calm() && !state.has(kHandedOver);
}

}  // namespace

void begin_anew(Address begin, Address end) {
    u32 owner = 0;
    const Strand* strand = nullptr;
    const u64 first = lines().line_of(begin + recording->options.line_bytes - 1);
    lines().for_each_line(first, lines().line_of(end), [&](LineState& state) {
        if (!is_its_own(state)) return;
        if (state.owner() != owner) {
            owner = state.owner();
            strand = strand_of(owner);
        }
        if (strand == nullptr ||
            recording->progress.is_past(strand->thread().slot, strand->ended(state.sequence()) + 1))
            state = LineState();
    });
}

void begin_on_stack_of(u32 former, Address top) {
    constexpr u32 kGap = 256;  // lines: an array that was not used
    Strand* const strand = strand_of(former);
    if (strand != nullptr && !strand->is_gone()) return;
    const u64 end = lines().line_of(top);
    for (u64 line = end, last = end; line-- > 0 && last - line <= kGap;) {
        LineState* const state = lines().find(line);
        if (state == nullptr || !state->is_owned_by(former) || !is_its_own(*state)) continue;
        last = line;
        follow_line(line);
        if (strand != nullptr) strand->leave(line);
        *state = LineState();
    }
}

void begin_on_stack(Thread t, Address top) {
    constexpr u32 kLines = 64;
    if (!recording->options.counts) return;
    know_reader(t);
    const u64 end = lines().line_of(top);
    for (u64 line = end - kLines; line < end; ++line) {
        LineState& state = lines()[line];
        if (!state.is_untouched() || recording->options.touched_before(line_begin(line))) continue;
        state = LineState::exclusive(t.serial, LineState::kMerged);
        make_quiet(t, line);
    }
}

bool has_followed_word(const SharedLine& shared) {
    for (Address word = line_begin(shared.line); word < line_end(shared.line); word += 4)
        if (recording->own_locks.is_followed(word)) return true;
    return false;
}

void retire(Address begin, Address end) {
    if (begin >= end) return;
    const Time now = recording->latest;
    lines().for_each_known(begin, end, [&](SharedLine& shared) {
        if (LineState& state = lines()[shared.line]; state.is_resting()) end_rest(state, {}, kNever);
        forget_habits(shared);
        shared.use->orders = false;
        if (knows_lives())
            shared.use->lives.reuse(bytes_within(shared.line, begin, end), recording->progress);
        Address a = begin > line_begin(shared.line) ? begin : line_begin(shared.line);
        const Address last = end < line_end(shared.line) ? end : line_end(shared.line);
        while (a < last) {
            OwnedBytes* owned = nullptr;
            for (OwnedBytes& candidate : shared.use->owners)
                if (candidate.until == kNever && candidate.extent.begin <= a && a < candidate.extent.end)
                    owned = &candidate;
            if (owned == nullptr) owned = &add_owner(shared, a);
            owned->until = now + 1;
            a = owned->extent.end;
        }
    });
    recording->clocks.forget(begin, end - begin);
    recording->semaphores.forget(begin, end - begin, recording->latest);
    recording->own_locks.forget(begin, end - begin);
    recording->observed.forget(begin, end - begin);
    log::quiet_lines().forget(begin, end);
    log::watched_lines().forget(begin, end);
    // A line need not be watched any longer for words that are gone.
    lines().for_each_known(begin, end, [&](SharedLine& shared) {
        const Address from = line_begin(shared.line), to = line_end(shared.line);
        shared.updated = shared.updated && has_followed_word(shared);
        if (shared.syncs) shared.syncs = shared.updated || recording->clocks.has_sync_word(from, to - from);
    });
}

}  // namespace memspy::order
