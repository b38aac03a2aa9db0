// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/clocks.h"

#include <new>
#include <utility>

namespace memspy::order {

// ---- The tournament tree behind the horizon

// The time at which a thread holds the horizon; kNever if it does not hold it.
Time Clocks::key_of(const ThreadClock& s) const {
    switch (s.phase) {
        case Phase::Running:
            if (!s.spinning) return s.time;
            if (!s.released) return s.perhaps.serial != 0 ? s.perhaps.time : kNever;
            return s.probation ? s.time : later(s.time, s.first_release) + s.owed;
        case Phase::Woken: return later(s.time, s.carried);
        case Phase::Mutex:
        case Phase::InCall: return s.time;
        case Phase::Gone:
        case Phase::Asleep:
        case Phase::Blocked: return kNever;
    }
    return kNever;
}

void Clocks::set_key(u32 slot, Time key) const {
    u32 i = leaves_ + slot;
    if (keys_[i] == key) return;
    keys_[i] = key;
    for (i >>= 1; i != 0; i >>= 1) {
        Time left = keys_[2 * i], right = keys_[2 * i + 1];
        Time least = left < right ? left : right;
        if (keys_[i] == least) return;
        keys_[i] = least;
    }
}

void Clocks::refresh(u32 slot) const { set_key(slot, key_of(states_[slot])); }

void Clocks::make_dirty(u32 slot) const {
    if (dirty_ != 0) refresh(dirty_ - 1);
    dirty_ = slot + 1;
}

Time Clocks::earliest() const {
    if (dirty_ != 0) refresh(dirty_ - 1);
    return leaves_ == 0 ? kNever : keys_[1];
}

void Clocks::grow(u32 slots) {
    if (slots <= states_.size()) return;
    states_.resize(slots);
    if (slots <= leaves_) return;
    leaves_ = leaves_ == 0 ? 16 : leaves_;
    while (leaves_ < slots) leaves_ *= 2;
    keys_.resize(usize{2} * leaves_);
    for (Time& key : keys_) key = kNever;
    for (u32 slot = 0; slot < states_.size(); ++slot) refresh(slot);
}

Time Clocks::horizon() const {
    Time time = earliest();
    if (time != kNever) {
        given_ = later(given_, time);
        return time;
    }
    // No thread runs, so the whole log may be merged now: the next thread continues behind it.
    for (const ThreadClock& s : states_)
        if (s.phase != Phase::Gone) given_ = later(given_, s.time);
    return kNever;
}

u32 Clocks::force_horizon(Time least) {
    given_ = later(given_, least);
    u32 lifted = 0;
    for (u32 slot = 0; slot < states_.size(); ++slot) {
        ThreadClock& s = states_[slot];
        if (key_of(s) >= least) continue;
        raise(s, least, {});
        ++lifted;
        refresh(slot);
    }
    return lifted;
}

// ---- Threads

void Clocks::create(Thread parent, Thread child) {
    CHECK(static_cast<bool>(child));
    grow(child.slot + 1);
    Time start = given_;
    if (parent) start = later(start, now(parent));
    ThreadClock& s = states_[child.slot];
    CHECK(s.phase == Phase::Gone);
    s = ThreadClock{};
    s.serial = child.serial;
    s.time = start;
    if (parent) s.cause = {parent.serial, now(parent)};
    s.phase = Phase::Running;
    refresh(child.slot);
}

// Ends the thread's spin or wait, so that its slot can be reused.
void Clocks::drop(u32 slot) {
    ThreadClock& s = states_[slot];
    if (s.spinning) end_spin(slot);
    if (s.phase == Phase::Asleep || s.phase == Phase::Woken) take_out(slot);
    s.phase = Phase::Gone;
    if (turn_slot_ == slot + 1) turn_slot_ = 0;
    refresh(slot);
}

void Clocks::exit(Thread t, Address cleared) {
    Time time = now(t);
    drop(t.slot);
    states_[t.slot].time = time;
    if (cleared == 0) return;
    Address a = word_of(cleared);
    SyncWord& word = words_.at(a);
    if (time >= word.stores.time) word.stores.by = t.serial;
    word.stores.time = later(word.stores.time, time);
    words_.become(a, word, WordState::End);
    for (u32 next = word.first; next != 0;) {
        u32 slot = next - 1;
        next = states_[slot].next;
        mark_woken(slot, time, t.serial, true);
    }
}

void Clocks::forget_others(Thread t) {
    for (u32 slot = 0; slot < states_.size(); ++slot)
        if (slot != t.slot && states_[slot].phase != Phase::Gone) drop(slot);
}

Time Clocks::now(Thread t) const {
    const ThreadClock& s = state(t);
    if (!s.spinning) [[likely]]
        return s.time;
    Time time = later(s.time, given_);
    return s.released && !s.probation ? later(time, s.first_release) + s.owed : time;
}

void Clocks::step_back(Thread t, Time until) {
    ThreadClock& s = state(t);
    if (s.phase != Phase::Running || s.spinning) return;
    until = later(until, given_);
    if (until < s.time) s.time = until;
    refresh(t.slot);
}

void Clocks::lift(Thread t, Time least, Cause cause) {
    ThreadClock& s = state(t);
    note(s, cause);
    if (s.time >= least) return;
    raise(s, least, cause);
    refresh(t.slot);
}

void Clocks::runs(Thread t, u64 blocks) {
    resume(t, false);
    state(t).missed = false;
    if (turn_slot_ == t.slot + 1 && blocks - turn_began_ < rules::kSliceBlocks) return;
    turn_slot_ = t.slot + 1;
    turn_began_ = blocks;
    ThreadClock& mine = state(t);
    if (mine.turn_round != round_ + 1) {
        mine.turn_round = round_ + 1;
        return;
    }
    // A second turn in this round starts the next round. Two starts since a call or a wake make a whole
    // round.
    ++round_;
    mine.turn_round = round_ + 1;
    for (u32 slot = 0; slot < states_.size(); ++slot) {
        ThreadClock& s = states_[slot];
        if (s.phase == Phase::InCall && round_ - s.round >= rules::kRounds) {
            s.phase = Phase::Blocked;
            refresh(slot);
        } else if (s.phase == Phase::Woken && mine.time >= s.carried + rules::kWakeTime) {
            s.phase = Phase::Asleep;
            s.late = true;
            refresh(slot);
        }
    }
}

// ---- Barriers

Clocks::~Clocks() { forget_barriers(0, ~usize{0}); }

void Clocks::forget_barriers(Address begin, usize bytes) {
    if (barriers_.empty()) return;
    for (const Address at : barriers_.keys_in(begin, bytes, kWordBytes)) {
        Barrier* const barrier = *barriers_.find(at);
        barrier->~Barrier();
        rt::release(barrier);
        barriers_.erase(at);
    }
}

void Clocks::arrive(Thread t, Address a) {
    Barrier*& barrier = barriers_[a];
    if (barrier == nullptr) barrier = new (rt::allocate(sizeof(Barrier), "memspy.clocks.barrier")) Barrier;
    barrier->gathered.push_back({t.serial, now(t)});
}

Clocks::Leaving Clocks::leave(Thread t, Address a) {
    Barrier** const found = barriers_.find(a);
    if (found == nullptr) return {};
    Meeting& meeting = (*found)->meeting;
    bool first = false;
    // The first one that leaves shows that all have arrived.
    for (const Arrival& arrival : (*found)->gathered) first |= arrival.serial == t.serial;
    if (first) {
        meeting.number = ++meetings_;
        meeting.arrivals.resize(0);
        for (const Arrival& arrival : (*found)->gathered) {
            meeting.arrivals.push_back(arrival);
            if (Arrival& latest = meeting.arrivals[0]; latest.time < arrival.time)
                std::swap(latest, meeting.arrivals.back());
        }
        std::swap(meeting.arrivals[0], meeting.arrivals.back());
        meeting.inside = meeting.arrivals.size();
        (*found)->gathered.resize(0);
    }
    if (meeting.inside == 0) return {};
    --meeting.inside;
    const Arrival& last = meeting.arrivals.back();
    edges_.push_back({t.serial, {0, last.time, a, meeting.number}});
    if (ThreadClock& s = state(t); s.time < last.time) {
        s.time = last.time;
        s.cause = {last.serial, last.time, a};
        refresh(t.slot);
    }
    return {&meeting, first, meeting.inside == 0};
}

}  // namespace memspy::order
