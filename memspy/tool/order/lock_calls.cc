// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lock events in a thread's log, as steps of the replay. A call that takes a lock requests it where the
// function is entered. A call that releases a lock has done so where the function is left: at the first
// record whose call path is not below the function's. So all accesses to the lock's own words are between the
// two.
//
// What a thread executes in such a function depends on who has the lock in this run, and on whether the
// thread sleeps. So the function takes a fixed time, and of its accesses only its first atomic
// read-modify-write is left, by which it takes or gives a free lock. The replay makes the thread wait. In
// pthread_join nothing is left, nor in the loader where it looks a function up at the first call: whichever
// thread comes first does that for all.
#include "order/emptied_records.h"
#include "order/line_life.h"
#include "order/rules.h"
#include "threads/call_tree.h"

namespace memspy::order {

using log::LockEvent;
using threads::CallPath;

u64 next_turn() {
    static u64 turns = 0;
    return ++turns;
}

// A thread that takes and releases many locks in a slice has many steps. Finished steps make room.
void Strand::push(Step step) {
    if (step.turn == 0) step.turn = next_turn();
    if (next_step_ > 64 && next_step_ * 2 > steps_.size()) {
        const usize left = steps_.size() - next_step_;
        for (usize i = 0; i < left; ++i) steps_[i] = steps_[next_step_ + i];
        steps_.resize(left);
        next_step_ = 0;
    }
    steps_.push_back(step);
    if (step.kind == Step::StepKind::GoOn && waits_ahead_++ == 0)
        recording->progress.forget_delay(thread_.slot);
    // The thread's clock stands still while it spins.
    if (const usize count = steps_.size(); count > 1) {
        const Step& before = steps_[count - 2];
        const Time least = before.kind == Step::StepKind::GoOn ? before.until : before.time;
        Step& last = steps_.back();
        if (last.time < least) last.time = least;
        if (last.until < last.time) last.until = last.time;
    }
}

Strand::Strand(Thread thread, Time began, Clocks::Cause by) : thread_(thread), ended_at_(began) {
    if (by.serial != 0) went_on(began, began, by);
}

void Strand::went_on(Time from, Time until) {
    // The time of a spinning thread may step back.
    if (until < from) {
        recording->progress.step_back(thread_.slot, from);
        from = until;
    }
    recording->clocks.take_causes(thread_, [&](Clocks::Cause by) { went_on(from, from, by, until == from); });
    if (until > from) went_on(from, until, {});
}

void Strand::went_on(Time from, Time until, Clocks::Cause by, bool ends_wait) {
    Step step;
    step.kind = Step::StepKind::GoOn;
    step.ends_wait = ends_wait;
    step.time = from;
    step.until = until;
    step.other = by.serial;
    step.when = by.time;
    step.lock = by.word;
    step.meeting = by.meeting;
    step.place = last_place_;
    push(step);
    observe_after(by.serial, by.time);
}

void Strand::observe_after(u32 serial, Time time) {
    if (serial == 0 || serial == thread_.serial || !knows_lives()) return;
    const Strand* other = strand_of(serial);
    if (other == nullptr) return;  // all that it did has been replayed
    const Time end = other->is_gone() ? other->ended_at() : recording->clocks.now(other->thread());
    recording->observed.go_on_after(thread_.slot, other->thread().slot, time, end <= time);
}

// The first one that leaves a barrier learns from all who met, the others from the first.
void Strand::leave_barrier(Address barrier) {
    const auto [meeting, first, last] = recording->clocks.leave(thread_, barrier);
    if (meeting == nullptr) return;
    if (first) recording->merge.meet(meeting->number, meeting->arrivals);
    if (!knows_lives()) return;
    ObservedOrder& observed = recording->observed;
    const Address word =
        ~Address{0} << 63 | meeting->number * 4;  // no barrier's own: one may be in two meetings
    if (first) {
        for (const Arrival& arrival : meeting->arrivals) observe_after(arrival.serial, arrival.time);
        observed.release(thread_.slot, word, recording->clocks.now(thread_) + 1);
    } else {
        observed.acquire(thread_.slot, word);
    }
    if (last) observed.forget(word, 4);
}

void Strand::hold(Address lock) {
    lock_set_ = recording->lock_sets.with(lock_set_, lock);
    tell_held();
}
// What the present record has done before, and what is looked at later, was under the lock.
void Strand::let_go(Address lock) { lock_set_ = recording->lock_sets.without(lock_set_, lock); }
void Strand::tell_held() {
    if (recording->held == lock_set_) return;
    recording->held = lock_set_;
    ++recording->lock_changes;
}

bool Strand::has_locked(Address lock) const {
    for (const LockFunction& in : lock_functions_)
        if (in.lock == lock) return false;  // it may wait for the lock
    for (const HeldLock& held : held_)
        if (held.lock == lock) return true;
    return false;
}

// Whoever has the lock still, as far as was logged, has given it: the core stopped that thread before the
// call's record was complete.
void Strand::follow_givers(Address lock) {
    for (const Strand* other : recording->strands)
        if (other != this && other->has_locked(lock))
            recording->observed.release(other->thread_.slot, lock, recording->clocks.now(other->thread_));
    recording->observed.acquire(thread_.slot, lock);
}

void Strand::take_lock(Address lock, bool shared, bool perhaps, Time now, Place place) {
    Step step;
    step.kind = perhaps  ? Step::StepKind::Nothing
                : shared ? Step::StepKind::AcquireShared
                         : Step::StepKind::Acquire;
    step.perhaps_shared = shared;
    step.time = now;
    step.lock = lock;
    step.place = place;
    push(step);
    if (perhaps) return;
    hold(lock);
    recording->clocks.used_lock(thread_);
    for (HeldLock& held : held_)
        if (held.lock == lock) {
            ++held.depth;
            return;
        }
    held_.push_back({lock, 1});
}

void Strand::give_lock(Address lock, Time now) {
    Step step;
    step.kind = Step::StepKind::Release;
    step.time = now;
    step.lock = lock;
    bool known = false;
    for (HeldLock& held : held_)
        if (held.lock == lock && !known) {
            known = true;
            if (--held.depth != 0) break;
            let_go(lock);
            held = held_.back();
            held_.pop_back();
            break;
        }
    if (!known) let_go(lock);
    // Then an attempt to take the lock succeeded. If the replay has passed the attempt, it stays Nothing.
    for (usize i = steps_.size(); i-- > next_step_ && !known;) {
        if (steps_[i].lock != lock || steps_[i].kind != Step::StepKind::Nothing) continue;
        known = true;
        if (i == next_step_ && at_step_) return;
        steps_[i].kind = steps_[i].perhaps_shared ? Step::StepKind::AcquireShared : Step::StepKind::Acquire;
    }
    step.any_owner = !known;
    push(step);
    recording->clocks.used_lock(thread_);
}

void Strand::lock_call(const Record& record, LockEvent event, Time now) {
    const Address lock = record.words()[0];
    // Functions that work on locks call each other, and code that trips is executed again.
    for (const LockFunction& in : lock_functions_)
        if (in.lock == lock) return;
    if (event == LockEvent::Release || event == LockEvent::Wait || event == LockEvent::Post)
        recording->observed.release(thread_.slot, lock, now + 1);
    if (event == LockEvent::Meet) recording->observed.end_part(thread_.slot, now + 1);
    if (event == LockEvent::Post) {
        for (Address& token : tokens_) {
            if (token != lock) continue;
            token = 0;
            recording->semaphores.gives_back(lock) = true;
        }
        let_go(lock);
    }
    switch (event) {
        case LockEvent::None:
        case LockEvent::Release:
        case LockEvent::Join:
        case LockEvent::Resolve:
        case LockEvent::Meet: break;
        case LockEvent::Take: push_token(Step::StepKind::Take, lock, record.path, now); [[fallthrough]];
        case LockEvent::Post:
        case LockEvent::TryTake: semaphores_.push_back(lock); break;
        case LockEvent::Wait:
            give_lock(lock, now);
            recording->clocks.waits_for_condition(thread_);
            break;
        case LockEvent::Acquire:
        case LockEvent::AcquireShared:
        case LockEvent::Try:
        case LockEvent::TryShared:
            if (held_.empty()) recording->clocks.begins_change(thread_);
            take_lock(lock, event == LockEvent::AcquireShared || event == LockEvent::TryShared,
                      event == LockEvent::Try || event == LockEvent::TryShared, now, {0, record.path});
            break;
    }
    const bool has_update = event != LockEvent::Join && event != LockEvent::Resolve;
    lock_functions_.push_back({record.path, event, lock, !has_update, 0, now});
}

// A word turned out to be a lock: what the thread did to it in records that have not been merged yet becomes
// steps. `holds`: the thread holds it now.
void Strand::add_own_lock(Address lock, bool holds) {
    const Address given_at = recording->own_locks.display_of(lock);
    rt::Vector<Step> found;
    u32 chunks = chunks_;
    Place taken{};
    Time taken_at = 0;
    const auto acquisition = [&] {
        Step step;
        step.kind = Step::StepKind::Acquire;
        step.lock = lock;
        step.time = taken_at;
        step.place = taken;
        return step;
    };
    const auto look_at = [&](const Record& record, const Shape& shape) {
        if (record.time < last_ || !(may_store_to(record, shape, lock) ||
                                     (given_at != lock && may_store_to(record, shape, given_at))))
            return;
        for (const log::AccessUse& use : shape.uses) {
            if (!use.stores || !happened(record, use)) continue;
            const Address word = record.address(use.word, use.offset);
            if (word != lock && word != given_at) continue;
            const Time at = record.time + use.ordinal;
            if (word == lock && use.atomic && recording->own_locks.takes(lock, use.instruction)) {
                taken = {use.instruction, record.path};  // the last attempt is the one that took it
                taken_at = at;
                continue;
            }
            if (taken.instruction == 0) continue;
            Step step = acquisition();
            found.push_back(step);
            step.kind = Step::StepKind::Release;
            step.time = at + 1;
            found.push_back(step);
            taken = {};
        }
    };
    for_each_unmerged(chunks, look_at);
    if (holds && taken.instruction != 0) found.push_back(acquisition());
    if (found.empty()) return;
    rt::Vector<Step> old;
    const usize kept = next_step_ + (at_step_ ? 1 : 0);
    for (usize i = kept; i < steps_.size(); ++i) old.push_back(steps_[i]);
    steps_.resize(kept);
    waits_ahead_ = at_step_ && steps_[next_step_].kind == Step::StepKind::GoOn ? 1 : 0;
    usize next = 0;
    for (const Step& step : found) {
        while (next < old.size() && old[next].time <= step.time) push(old[next++]);
        push(step);
    }
    while (next < old.size()) push(old[next++]);
}

void Strand::remember_uses(SharedLine& shared) const {
    u64 words = 0;
    for (const log::Chunk* chunk = oldest_; chunk != nullptr; chunk = chunk->next)
        words += static_cast<u64>(chunk->end - chunk->begin);
    if (words > recording->look_back) return;
    recording->look_back -= words;
    // Locks that it held at the beginning: released before they are taken, or held all the time.
    LockSets& sets = recording->lock_sets;
    LockSet held = lock_set_, taken = LockSet::None;
    for (usize i = next_step_; i < steps_.size(); ++i) {
        const Address lock = steps_[i].lock;
        if (steps_[i].kind == Step::StepKind::Acquire || steps_[i].kind == Step::StepKind::AcquireShared) {
            if (sets.with(taken, lock) != taken && sets.without(held, lock) != held)
                held = sets.without(held, lock);
            taken = sets.with(taken, lock);
        } else if (steps_[i].kind == Step::StepKind::Release && sets.with(taken, lock) != taken) {
            taken = sets.with(taken, lock);
            held = sets.with(held, lock);
        }
    }
    usize next = next_step_;
    u32 chunks = chunks_;
    for_each_unmerged(chunks, [&](const Record& record, const Shape& shape) {
        for (; next < steps_.size() && steps_[next].time <= record.time; ++next) {
            const Step& step = steps_[next];
            if (step.kind == Step::StepKind::Acquire || step.kind == Step::StepKind::AcquireShared)
                held = sets.with(held, step.lock);
            if (step.kind == Step::StepKind::Release) held = sets.without(held, step.lock);
        }
        for_each_touch(record, shape, [&](const Touch& touch) {
            if (touch.line != shared.line) return;
            shared.use->lives.touch({thread_, record.time, recording->readings - 1, held}, touch.read,
                                    touch.written, recording->observed,
                                    recording->observed.part_at(thread_.slot, record.time),
                                    recording->lock_sets, recording->progress);
        });
    });
}

void Strand::use_own_lock(OwnLocks::LockAct found, Place place, Time now) {
    const Address lock = found.lock;
    OwnLocks& own = recording->own_locks;
    if (own.is_new()) {
        for (Strand* strand : recording->strands)
            strand->add_own_lock(lock, strand == this || own.is_in(strand->thread().serial, lock));
        const Address words[] = {lock, own.display_of(lock)};
        for (const Address word : words) {
            recording->clocks.hold_as_lock(word);
            const u64 line = lines().line_of(word);
            merged_line(lines()[line], line, {}, recording->merged_until).syncs = true;
        }
    }
    switch (found.use) {
        case OwnLocks::LockUse::None: break;
        case OwnLocks::LockUse::Take:
            follow_givers(lock);
            take_lock(lock, false, false, now, place);
            break;
        case OwnLocks::LockUse::Give:
            recording->observed.release(thread_.slot, lock, now + 1);
            [[fallthrough]];
        case OwnLocks::LockUse::NoLock: give_lock(lock, now); break;
        case OwnLocks::LockUse::Attempt: finds_held_ = lock; break;
    }
}

// Whether the record has the update by which the function that the thread is in takes or gives its lock: the
// first one in it. Then nothing else is left of the record.
bool Strand::keep_update(Record& record) {
    for (const LockFunction& in : lock_functions_)
        if (in.updated) return false;
    const Shape& shape = log::shape(record.shape);
    for (usize i = 0; i < shape.uses.size() && shape.updates; ++i) {
        const AccessUse& use = shape.uses[i];
        if (!use.atomic || !use.stores || !happened(record, use)) continue;
        lock_functions_.back().updated = true;
        record.shape = shape_of_use(record.shape, i);
        return true;
    }
    return false;
}

// The thread has just made this update in the function that it is in.
void Strand::act_in_call(Time now) {
    Clocks& clock = recording->clocks;
    LockFunction& in = lock_functions_.back();
    if (in.event == log::LockEvent::Meet) clock.arrive(thread_, in.lock);
    if (in.event == log::LockEvent::Post) {
        recording->semaphores.post(in.lock, thread_.serial);
        push_token(Step::StepKind::Post, in.lock, in.path, now + 1);
    }
}

// The thread leaves the innermost function. Tells the clocks, which know all that it did there, if it may
// have waited for others. Returns whether it may.
bool Strand::tell_wait(Time now) {
    const LockFunction& in = lock_functions_.back();
    switch (in.event) {
        case LockEvent::Meet: leave_barrier(in.lock); return true;
        case LockEvent::Take:
        case LockEvent::TryTake: take_token(now); return false;
        default: return false;
    }
}

// The thread leaves the innermost function at `now`. Returns its time then.
Time Strand::leave_call(Time now) {
    const LockFunction left = lock_functions_.back();
    lock_functions_.pop_back();
    switch (left.event) {
        case LockEvent::Take:
        case LockEvent::TryTake:
            tokens_[next_token_++ % rules::kMostTokens] = left.lock;
            if (!recording->semaphores.gives_back(left.lock)) {
                recording->observed.acquire(thread_.slot, left.lock);
                break;
            }
            [[fallthrough]];
        case LockEvent::Try:
        case LockEvent::TryShared:  // perhaps without success
            hold(left.lock);
            [[fallthrough]];
        case LockEvent::AcquireShared: recording->observed.acquire(thread_.slot, left.lock); break;
        case LockEvent::Acquire:
        case LockEvent::Wait: follow_givers(left.lock); break;
        default: break;
    }
    if (left.event == LockEvent::Release) give_lock(left.lock, now);
    if (left.event != LockEvent::Resolve) now += rules::kInCall;
    if (left.event == LockEvent::Wait) {
        take_lock(left.lock, false, false, now, {0, left.path});
        recording->clocks.ends_condition(thread_);
    }
    return now;
}

Time Strand::worked_until() const {
    if (!lock_functions_.empty()) return lock_functions_[0].entered;
    return gone_ ? ended_at_ : recording->clocks.now(thread_);
}

bool Strand::is_in_acquire() const {
    if (lock_functions_.empty()) return false;
    const LockEvent event = lock_functions_.back().event;
    return event == LockEvent::Acquire || event == LockEvent::AcquireShared;
}

bool Strand::is_in_take() const {
    if (lock_functions_.empty()) return false;
    const LockEvent event = lock_functions_.back().event;
    return event == LockEvent::Take || event == LockEvent::TryTake;
}

// Who takes a lock first, or counts on, often decides which thread does which part of the work.
u64 Strand::skew(u64 usual) const {
    if (is_in_acquire() || is_in_take()) return usual / rules::kLockSkews;
    return recording->clocks.now(thread_) < takes_jobs_until_ ? usual / rules::kJobSkews : usual;
}

// In a function that waits for something else than the lock.
bool Strand::is_in_wait() const {
    for (const LockFunction& in : lock_functions_)
        if (in.event == LockEvent::Wait || in.event == LockEvent::Join) return true;
    return false;
}

void Strand::set_gone() {
    while (leaves_call(CallPath::Root)) leave_call(ended_at_);
    gone_ = true;
}

}  // namespace memspy::order
