// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a record tells that needs more than a quick look: its atomic updates, which may take and give locks of
// the program's own, and its accesses to lines of several threads, which go to the clocks and to the observed
// order.
#include "order/polls.h"
#include "order/quick_look.h"
#include "order/rules.h"

namespace memspy::order {
namespace {

// Words that are updated atomically have no lives, but they order what threads do.
void note_for_lives(SharedLine& shared, Thread t, const AccessUse& use, const LineAccess& part, Address a) {
    if (use.atomic) return shared.use->lives.open(bytes_of(part));
    const Address word = a & ~Address{3};
    if (use.loads) recording->observed.acquire(t.slot, word);
    // Flags that threads wait for are such words, too.
    if (!use.stores || (!recording->observed.knows(word) &&
                        !(shared.syncs && recording->clocks.words().any_carries_time(word, 16))))
        return;
    recording->observed.release(t.slot, word, recording->clocks.now(t) + 1);
    shared.use->orders = true;
}

}  // namespace

// The part of an access that concerns one line.
struct AccessPart {
    const AccessUse& use;
    Address a;  // of the whole access
    u64 line;
    LineAccess part;
    Address from;
    Place place;
    // Accesses of system calls are not signals between threads; also, the core reports every futex call as a
    // store.
    bool by_call;
    const Record& record;
    const Shape& shape;
};

bool is_on_own_stack(Thread t, Address a) {
    const Address* const begin = recording->stacks.find(t.serial);
    return begin != nullptr && a < *begin && *begin - a <= rules::kStackReach;
}

// An update of a word that may be a lock of the program's own.
void Strand::follow_own_lock(const AccessUse& use, Address at, const log::WordChange& change,
                             const Place& place, Time now) {
    const Thread t = thread_;
    OwnLocks& own = recording->own_locks;
    LineState state = lines().look(at);
    const bool observed = state.is_shared() && lines().of(state).updated;
    if (state.is_shared()) takes_jobs_until_ = now + rules::kJobs;
    use_own_lock(own.update(t.serial, at, use.instruction, use.update, observed, change), place,
                 now + use.ordinal);
    if (is_for_order(state) && own.is_followed(at)) {
        merged_line(lines().at(at), lines().line_of(at), t, now);
        state = lines().look(at);
    }
    if (!state.is_shared() || observed == own.is_followed(at)) return;
    SharedLine& shared = lines().of(state);
    shared.updated = has_followed_word(shared);
    shared.syncs = shared.updated || recording->clocks.words().any_carries_time(
                                         line_begin(shared.line), recording->options.line_bytes);
}

// The atomic read-modify-writes of a record.
void Strand::note_updates(const Record& record, const Shape& shape, Time now) {
    const Thread t = thread_;
    for (const AccessUse& use : shape.uses) {
        if (!use.atomic || !use.stores || !happened(record, use)) continue;
        const log::WordChange change = record.change(use);
        const AtomicCode code = recording->options.atomic_code == nullptr
                                    ? AtomicCode::Other
                                    : recording->options.atomic_code(Place{use.instruction, record.path});
        const Address at = record.address(use.word, use.offset), word = at & ~Address{3};
        // libomp's barriers are trees of flags of 8 bytes each, which are added to and loaded plainly. Each
        // flag has one writer, and a thread that arrives late finds the flag changed and never waits. So only
        // the code shows that a word is a flag.
        if (code == AtomicCode::Barrier && use.bytes == 8)
            recording->clocks.watch(word);
        else if (code != AtomicCode::Lock) {
            if (code != AtomicCode::Wait)
                follow_own_lock(use, at, change, Place{use.instruction, record.path}, now);
            if (change.any()) recording->clocks.count_in(t, word);
        }
        // A value from elsewhere may tell who has something from now on. A sum (a counter, a number of
        // references) says little, and orders nothing.
        if (knows_lives() &&
            (use.update == log::UpdateKind::Replace || use.update == log::UpdateKind::Other)) {
            recording->observed.acquire(t.slot, word);
            if (change.any()) recording->observed.release(t.slot, word, now + use.ordinal + 1);
        }
    }
    watch_new_words();
}

// Processes the accesses of a record that touches shared lines one by one.
void Strand::observe(const Record& record, const Shape& shape, u64 bit) {
    for (const AccessUse& use : shape.uses) {
        if (!happened(record, use)) continue;
        const Address a = record.address(use.word, use.offset);
        const u64 last = lines().line_of(a + use.bytes - 1);
        for (u64 line = lines().line_of(a); line <= last; ++line) {
            const LineState state = lines()[line];
            const bool for_order = is_for_order(state);
            if (!state.is_shared() && !state.is_resting() && !for_order) continue;
            const LineAccess part = part_in(line, a, use.bytes, use);
            const AccessPart seen{use,
                                  a,
                                  line,
                                  part,
                                  line_begin(line) + part.first,
                                  Place{use.instruction, record.path},
                                  shape.instructions == 0,
                                  record,
                                  shape};
            if (use.loads && !seen.by_call && recording->clocks.look(seen.from, part.bytes, use.atomic))
                watch_new_words();
            worked_ = worked_ || (use.stores && !recording->options.counts);
            if (for_order && !lines()[line].is_shared()) continue;
            SharedLine& shared = lines().of(lines()[line]);
            observe_words(seen, shared);
            if (recording->options.counts) observe_line(seen, shared, bit);
        }
    }
}

void Strand::store_to_word(const AccessPart& seen) {
    const AccessUse& use = seen.use;
    const log::WordChange change = seen.record.change(use);
    if (!change.any()) return;
    Clocks& clock = recording->clocks;
    const bool has_values = use.values != kNoWord && lock_functions_.empty();
    if (has_values && use.compares && change.after + 1 == change.before &&
        clock.take(seen.from, change.after))
        return;
    if (has_values && !use.compares && use.update == log::UpdateKind::Add && change.after > change.before)
        clock.post(thread_, seen.from, change.after - change.before);
    clock.store(thread_, seen.from, seen.part.bytes, use.atomic, use.update == log::UpdateKind::Replace);
}

// Words that threads wait for, and locks of the program's own.
void Strand::observe_words(const AccessPart& seen, SharedLine& shared) {
    const Thread t = thread_;
    const AccessUse& use = seen.use;
    Clocks& clock = recording->clocks;
    if (use.stores && !use.atomic && !seen.by_call && !held_.empty()) clock.changes(t, seen.from);
    if (shared.syncs && !seen.by_call) {
        if (use.loads) clock.load(t, seen.from, seen.part.bytes, use.atomic, !held_.empty());
        if (use.stores) store_to_word(seen);
        if (!shared.updated && ++shared.looks % rules::kAgeAfter == 0) {
            clock.age(line_begin(seen.line), recording->options.line_bytes);
            shared.syncs =
                clock.words().any_carries_time(line_begin(seen.line), recording->options.line_bytes);
            if (!shared.syncs) unwatch(seen.line);
        }
    }
    OwnLocks& own = recording->own_locks;
    const bool plain = !use.atomic && !seen.by_call;
    if (use.loads && plain && own.has_asked(t.serial) && !is_on_own_stack(t, seen.a))
        shared.updated |= own.load(t.serial, seen.a);
    if (shared.updated && use.stores && plain)
        use_own_lock(own.store(t.serial, seen.a), seen.place, clock.now(t) + use.ordinal + 1);
    // An update has told (follow_own_lock): who takes a ticket does something.
    if (shared.syncs && use.loads && plain && own.is_held(t.serial, seen.a)) finds_held_ = seen.a;
}

// The observed order: who has a copy of the line.
void Strand::observe_line(const AccessPart& seen, SharedLine& shared, u64 bit) {
    const Thread t = thread_;
    const AccessUse& use = seen.use;
    if (knows_lives()) note_for_lives(shared, t, use, seen.part, seen.a);
    // A line may have a record of its own only because its single user was seen to wait for a word
    // there.
    Ownership*& order = shared.order[static_cast<u32>(View::Observed)];
    if (use.stores && !worked_) worked_ = !is_only_holder(*order, t);
    const Events events = apply(order, t, seen.part);
    if (use.loads && !use.stores) pass_loads(shared, t, bit, lines_passed_);
    if (!events.any()) return;
    if (Lives& lives = shared.use->lives; lives.any())
        lives.note_events(t.serial, bytes_of(seen.part), events);
    // What passes a resting line ends with its rest.
    if (!use.stores && !lines()[seen.line].is_resting()) end_with_next_wait(shared, events.from);
    const ObjectId object = object_at(shared, seen.from, recording->clocks.now(t));
    recording->options.observer.had_events(View::Observed, shared.notes, t, object, seen.place, events);
}

}  // namespace memspy::order
