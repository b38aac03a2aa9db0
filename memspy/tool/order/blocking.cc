// SPDX-License-Identifier: GPL-2.0-or-later
//
// Clocks: threads that go to sleep in the kernel, and wake each other.
#include "order/clocks.h"

namespace memspy::order {

void Clocks::wait(Thread t, WaitFor what, Address a) {
    resume(t, false);
    ThreadClock& s = state(t);
    if (s.spinning) {
        // Going to sleep ends a spin for the same thing: the code executed while it spun takes no time.
        const Time time = look_in_vain(s);
        const Cause cause = s.release();
        end_spin(t.slot);
        raise(s, time, cause);
    }
    s.round = round_;
    if (what == WaitFor::Word || what == WaitFor::Token) {
        a = word_of(a);
        SyncWord& word = words_.at(a);
        s.timeless = what == WaitFor::Token;
        if (!s.timeless) words_.sleep_for(a, word);
        s.phase = Phase::Asleep;
        s.word = a;
        s.next = 0;
        s.late = false;
        s.carried = 0;
        if (word.last != 0)
            states_[word.last - 1].next = t.slot + 1;
        else
            word.first = t.slot + 1;
        word.last = t.slot + 1;
    } else {
        s.phase = what == WaitFor::Mutex ? Phase::Mutex : Phase::InCall;
        s.word = word_of(a);
        s.called = false;
        s.arrived = ++waits_;
        if (SyncWord* const word = words_.find(s.word); what == WaitFor::Mutex && word != nullptr &&
                                                        !word->is_slept_for() &&
                                                        word->state != WordState::OwnLock)
            call_it_a_lock(s.word, *word);
    }
    refresh(t.slot);
}

void Clocks::take_out(u32 slot) {
    SyncWord* const word = words_.find(states_[slot].word);
    CHECK(word != nullptr);
    u32 before = 0;
    for (u32 at = word->first; at != slot + 1; at = states_[at - 1].next) {
        CHECK_NE(at, 0u);
        before = at;
    }
    u32 next = states_[slot].next;
    if (before == 0)
        word->first = next;
    else
        states_[before - 1].next = next;
    if (word->last == slot + 1) word->last = before;
    states_[slot].next = 0;
}

void Clocks::mark_woken(u32 slot, Time time, u32 by, bool with_all) {
    ThreadClock& s = states_[slot];
    if (s.phase != Phase::Asleep) return;
    s.phase = Phase::Woken;
    s.woken_with_all = with_all;
    s.carried = s.timeless ? given_ : later(time, given_);
    s.carried_by = s.timeless ? 0 : by;
    s.carried_at = s.word;
    s.late = false;
    refresh(slot);
}

// One of those called to this mutex has not been woken.
void Clocks::uncall(Address mutex) {
    ThreadClock* last = nullptr;
    for (ThreadClock& s : states_)
        if (s.phase == Phase::Mutex && s.word == mutex && s.called &&
            (last == nullptr || s.arrived > last->arrived))
            last = &s;
    if (last != nullptr) last->called = false;
}

void Clocks::woke_nobody(Address word) { uncall(word_of(word)); }

void Clocks::resume(Thread t, bool woken) {
    ThreadClock& s = state(t);
    Phase phase = s.phase;
    if (phase == Phase::Running) return;
    s.was_woken = woken;
    if (woken && s.condition == ConditionWait::Waits) s.condition = ConditionWait::Woken;
    Time least = given_;
    if (phase == Phase::Mutex && s.called != woken) {
        // Another one was called, but this one was woken; or the other way round.
        s.phase = Phase::Running;
        if (woken)
            uncall(s.word);
        else
            call(s.word, 1);
    }
    Cause cause;
    if (phase == Phase::Asleep || phase == Phase::Woken) {
        u32 other = 0;  // slot + 1
        for (u32 at = words_.find(s.word)->first; at != 0 && other == 0; at = states_[at - 1].next) {
            // This thread was woken instead of one marked as woken; or it was not woken, so another one was.
            const ThreadClock& waiter = states_[at - 1];
            const bool wanted = woken ? waiter.phase == Phase::Woken && !waiter.woken_with_all
                                      : waiter.phase == Phase::Asleep;
            if (at != t.slot + 1 && wanted) other = at;
        }
        take_out(t.slot);
        bool has_time = phase == Phase::Woken || s.late;
        if (woken && !has_time && other != 0) {
            ThreadClock& o = states_[other - 1];
            s.carried = o.carried;
            s.carried_by = o.carried_by;
            s.carried_at = o.carried_at;
            has_time = true;
            o.phase = Phase::Asleep;
            refresh(other - 1);
        } else if (!woken && phase == Phase::Woken && !s.woken_with_all && other != 0) {
            mark_woken(other - 1, s.carried, s.carried_by, false);
            has_time = false;
        }
        if (has_time) {
            cause = {s.carried_by, s.carried, s.carried_at};
            least = later(least, s.carried);
        } else {
            s.phase = Phase::Blocked;  // so that earliest() does not count this thread
            refresh(t.slot);
        }
    }
    if (s.phase == Phase::Blocked) {
        Time others = earliest();
        if (others != kNever) least = later(least, others);
    }
    s.phase = Phase::Running;
    s.late = false;
    raise(s, least, cause);
    refresh(t.slot);
}

// Those that wait for a mutex are woken in the order in which they went to sleep.
void Clocks::call(Address mutex, u64 count) {
    for (; count != 0; --count) {
        ThreadClock* next = nullptr;
        for (ThreadClock& s : states_)
            if (s.phase == Phase::Mutex && s.word == mutex && !s.called &&
                (next == nullptr || s.arrived < next->arrived))
                next = &s;
        if (next == nullptr) return;
        next->called = true;
    }
}

void Clocks::wake(Thread t, Address a, u64 count, Address target, u64 requeue) {
    a = word_of(a);
    call(a, count);
    SyncWord* word = words_.find(a);
    ThreadClock& s = state(t);
    if (count > 1) lift(t, s.met, {s.met_by, s.met, s.met_word});
    if (word == nullptr) return;
    Time time = now(t);
    Cause cause;
    if (count > 1) {
        u64 left = count;
        for (u32 at = word->first; at != 0 && left != 0; at = states_[at - 1].next) {
            const ThreadClock& waiter = states_[at - 1];
            if (waiter.phase != Phase::Asleep) continue;
            // Who waits for a condition may have come later, unless it has changed what t changed.
            const bool came = waiter.condition == ConditionWait::None || waiter.changed.has_any_of(s.changed);
            if (came && waiter.time > time) {
                time = waiter.time;
                cause = {waiter.serial, time, a};
            }
            --left;
        }
        if (word->pollers != 0)
            if (const Cause latest = latest_poller(a, t.slot); latest.time > time) {
                time = latest.time;
                cause = latest;
            }
    }
    note(s, cause);
    if (time > s.time) {
        if (s.spinning) end_spin(t.slot);
        raise(s, time, cause);
        refresh(t.slot);
    }
    if (word->carries_time()) {
        if (time >= word->stores.time) word->stores.by = t.serial;
        word->stores.time = later(word->stores.time, time);
        // A wake proves that the word is not just a spin lock.
        if (word->pollers != 0 && count != 0) {
            words_.sleep_for(a, *word);
            release_pollers(a, *word, t.slot);
        }
    }
    u64 asleep = 0;
    for (u32 at = word->first; at != 0; at = states_[at - 1].next)
        asleep += states_[at - 1].phase == Phase::Asleep ? 1 : 0;
    const bool all = count >= asleep;
    for (u32 at = word->first; at != 0 && count != 0; at = states_[at - 1].next) {
        if (states_[at - 1].phase != Phase::Asleep) continue;
        mark_woken(at - 1, time, t.serial, all);
        --count;
    }
    target = word_of(target);
    if (requeue == 0 || target == 0 || target == a) return;
    // The other waiters move to the end of the second queue. That does not make its word a sync word: it may
    // be a mutex.
    SyncWord& to = words_.at(target);
    word = words_.find(a);
    for (u32 at = word->first; at != 0 && requeue != 0;) {
        u32 slot = at - 1;
        at = states_[slot].next;
        if (states_[slot].phase != Phase::Asleep) continue;
        take_out(slot);
        states_[slot].word = target;
        if (to.last != 0)
            states_[to.last - 1].next = slot + 1;
        else
            to.first = slot + 1;
        to.last = slot + 1;
        --requeue;
    }
}

}  // namespace memspy::order
