// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/lock_calls.h"

#include "analyses/races/detector_state.h"
#include "analyses/races/roles.h"
#include "threads/call_tree.h"

namespace memspy::races {

using log::LockEvent;

// Ends of threads

namespace {

constexpr Address kRendezvouss = Address{1} << 61, kEnds = Address{1} << 62;

Address end_of(Thread t) { return kEnds | Address{t.serial} << 2; }

}  // namespace

void learn_end(const RacingThread& f, Address word) {
    for (usize i = 0; i < detector().ended.size(); ++i) {
        const EndedThread ended = detector().ended[i];
        if (ended.cleared != word) continue;
        observed().acquire(f.strand, end_of(ended.thread));
        observed().forget(end_of(ended.thread), 4);
        detector().host.release(ended.thread);
        detector().ended[i] = detector().ended.back();
        detector().ended.pop_back();
        return;
    }
}

// What a function that waits for the end of a thread looks at.
void look_at_ends(const RacingThread& f, const log::Record& record, const log::Shape& shape) {
    for (const log::AccessUse& use : shape.uses)
        if (use.loads && record.reached(use.proof)) learn_end(f, record.address(use.word, use.offset));
}

void end_thread(const RacingThread& f) {
    release_word(f, end_of(f.thread));
    constexpr usize kMostHeld = 1000;  // threads that nobody waits for
    if (f.cleared == 0 || detector().ended.size() == kMostHeld) return;
    detector().host.hold(f.thread);
    detector().ended.push_back({f.thread, f.cleared});
}

// Calls on locks

void note_owner(RacingThread& f, const log::Record& record, const log::Shape& shape) {
    constexpr Address kMutexBytes = 40;
    RacingThread::Call& in = f.calls.back();
    for (const log::AccessUse& use : shape.uses) {
        if (!use.stores || !record.reached(use.proof)) continue;
        if (record.address(use.word, use.offset) - in.lock >= kMutexBytes) continue;
        if (!use.atomic)
            in.has_owner = detector().locks_have_owners = true;
        else
            in.is_mutex = is_mutex_code(use.instruction);
    }
}

namespace {

void hold(RacingThread& f, Address lock, bool shared, const Place& place) {
    for (LockHeld& held : f.locks)
        if (held.lock == lock) {
            ++held.depth;
            return;
        }
    if (detector().sections.was_handed_over(lock)) return;
    if (detector().host.takes != nullptr && place.instruction != 0)
        for (const LockHeld& before : f.locks)
            detector().host.takes({.before = before.lock,
                                   .lock = lock,
                                   .before_shared = before.shared,
                                   .shared = shared,
                                   .place = place,
                                   .thread = f.thread.serial,
                                   .held = f.held,
                                   .read = f.read});
    f.locks.push_back({lock, 1, shared, observed().part(f.strand)});
    f.turn = 0;
    f.held = detector().lock_sets.with(f.held, lock);
    if (shared) f.read = detector().lock_sets.with(f.read, lock);
}

// Where the function was called.
Place caller_of(threads::CallPath path) {
    Address behind = 0;
    if (threads::return_addresses(path, &behind, 1) == 0) return {};
    return {behind - 1, threads::parent_of(path)};
}

// Of a call that others may wait for.
const char* name_of_end(LockEvent event) {
    switch (event) {
        case LockEvent::Release: return "unlock";
        case LockEvent::Wait: return "wait for a condition";
        case LockEvent::Post: return "post";
        case LockEvent::Meet: return "barrier";
        default: return nullptr;
    }
}

bool holds_shared(const RacingThread& f, Address lock) {
    for (const LockHeld& held : f.locks)
        if (held.lock == lock) return held.shared;
    return false;
}

// Returns whether it held the lock. `part`: of its run, which ended with that.
bool let_go(RacingThread& f, Address lock, u32 part) {
    for (LockHeld& held : f.locks) {
        if (held.lock != lock) continue;
        if (--held.depth != 0) return true;
        if (!held.shared) detector().sections.ends(lock, f.strand, held.part, part);
        held = f.locks.back();
        f.locks.pop_back();
        f.turn = 0;
        f.held = detector().lock_sets.without(f.held, lock);
        f.read = detector().lock_sets.without(f.read, lock);
        return true;
    }
    return false;
}

// A thread gives back a lock that it is not known to hold.
void give_unheld(Address lock) {
    bool is_handed_over = false;
    for (RacingThread* other : detector().followers)
        while (let_go(*other, lock, 0)) is_handed_over = true;
    detector().sections.set_orders_all(lock, is_handed_over);
    if (is_handed_over && detector().host.hands_over != nullptr) detector().host.hands_over(lock);
}

// Whether the thread goes on after all sections of the lock up to now, not only after those of whose data it uses some.
// A library's lock guards what the library does not show.
bool goes_on_after_all(const RacingThread& f, Address lock, const Place& by) {
    LockSections& sections = detector().sections;
    if (f.locks.size() >= lines::rules::kMostLocksHeld) sections.set_orders_all(lock, false);
    return role_of(by.instruction) != CodeRole::Own || observed().knows(readers_of(lock)) ||
           sections.orders_all(lock) || sections.has_told(lock, [&](u32 strand, u32 part) {
               return observed().is_before(strand, part, f.strand);
           });
}

void take_token(const RacingThread& f, Address semaphore) {
    Address token = 0;
    if (!detector().tokens.take(semaphore, &token)) return acquire_word(f, semaphore);
    if (token == 0) return;
    acquire_word(f, token);
    observed().forget(token, 4);
}

}  // namespace

Address meet(const RacingThread& f, Address barrier) {
    Rendezvous& now = detector().meetings[barrier];
    if (now.word == 0) now.word = kRendezvouss | ++detector().meetings_so_far * 4;
    release_word(f, now.word);
    return now.word;
}

void leave_meeting(const RacingThread& f, Address barrier, Address meeting) {
    Rendezvous& now = detector().meetings[barrier];
    if (now.word == meeting) {
        if (now.before != 0) observed().forget(now.before, 4);
        now = {0, meeting};
    }
    acquire_word(f, meeting);
}

void enter_lock_call(RacingThread& f, const log::Record& record, LockEvent event) {
    if (f.is_in_run_time()) return;  // a lock of the run-time's own
    const Address lock = record.words()[0];
    for (const RacingThread::Call& in : f.calls)
        if (in.lock == lock && in.event != LockEvent::Join) return;  // functions on locks call each other
    if (const char* what = name_of_end(event)) note_part_end(f, what, caller_of(record.path));
    switch (event) {
        case LockEvent::Release:
        case LockEvent::Wait: {
            const u32 part = observed().part(f.strand);
            release_word(f, holds_shared(f, lock) ? readers_of(lock) : lock);
            if (!let_go(f, lock, part)) give_unheld(lock);
            break;
        }
        case LockEvent::Post:
            release_word(f, lock);
            if (const Address token = detector().tokens.give(lock); token != 0) release_word(f, token);
            break;
        default: break;
    }
    f.calls.push_back({record.path, event, lock, event == LockEvent::Meet ? meet(f, lock) : 0});
}

void leave_lock_call(RacingThread& f) {
    const RacingThread::Call left = f.calls.back();
    f.calls.pop_back();
    switch (left.event) {
        case LockEvent::Acquire:
        case LockEvent::Wait:
        case LockEvent::AcquireShared: {
            const bool shared = left.event == LockEvent::AcquireShared;
            const Place by = caller_of(left.path);
            if (left.event != LockEvent::Acquire || goes_on_after_all(f, left.lock, by)) {
                if (!shared) acquire_word(f, readers_of(left.lock));
                acquire_word(f, left.lock);
            }
            hold(f, left.lock, shared, by);
            break;
        }
        case LockEvent::Try:
            if (left.is_mutex && !left.has_owner && detector().locks_have_owners) break;
            acquire_word(f, readers_of(left.lock));
            acquire_word(f, left.lock);
            if (left.is_mutex)
                hold(f, left.lock, false, {});  // nobody waits for it, so it has no place in an order
            break;
        case LockEvent::Take: take_token(f, left.lock); break;
        case LockEvent::TryTake: detector().tokens.may_be_taken(left.lock); [[fallthrough]];
        case LockEvent::TryShared: acquire_word(f, left.lock); break;
        case LockEvent::Meet: leave_meeting(f, left.lock, left.meeting); break;
        default: break;
    }
}

}  // namespace memspy::races
