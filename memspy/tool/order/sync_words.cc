// SPDX-License-Identifier: GPL-2.0-or-later
//
// Clocks: words that threads wait for, and what stores to them and loads from them tell.
//
// A word becomes one with the second poll of it, with a wait in the kernel, or if it was looked at before a
// wait; stores from before that was known are noted. A word of the last kind is given up when many loads in a
// row have found nothing to wait for, since it may lie beside busy data. What is loaded into a vector
// register is no such word, and neither is what a thread looked at before a known call in which it sleeps. A
// load of a word orders its thread behind the one that stored, though the clocks know it anyway: in the
// replay that thread may have a delay.
//
// The barriers of LLVM's libomp are trees of flags that their threads poll among many other words, so these
// are known by the code that changes them (sync/wait_functions.h), and carry time from then on.
#include "order/clocks.h"
#include "sync/counts.h"

namespace memspy::order {

bool Clocks::look_slowly(Address a, u32 bytes, bool atomic) {
    bool found = false;
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        SyncWord* const word = words_.find(at);
        if (word == nullptr || word->state != WordState::Looked || (atomic && word->pollers == 0)) continue;
        words_.become(at, *word, WordState::Beside);
        found = true;
    }
    return found;
}

void Clocks::stored(Address a, u32 serial, const rt::Vector<Time>& run) {
    SyncWord* const word = words_.find(word_of(a));
    if (word == nullptr || !word->carries_time() || word->stores.time > run.back()) return;
    word->end_count();
    word->stores.run = 0;
    word->stores.writer = serial;
    for (const Time time : run) word->note_store(serial, time, false, false);
}

void Clocks::age(Address line, usize bytes) {
    for (Address at = line; at < line + bytes; at += kWordBytes)
        if (SyncWord* const word = words_.find(at); word != nullptr)
            words_.found_idle(at, *word, rules::kAge);
}

void Clocks::watch(Address a) {
    a = word_of(a);
    words_.sleep_for(a, words_.at(a));
}

void Clocks::forget(Address a, usize bytes) {
    forget_barriers(a, bytes);
    words_.forget(a, bytes);
}

void Clocks::load(Thread t, Address a, u32 bytes, bool atomic, bool under_lock) {
    // Who was woken for a condition has the time of the wake. The last store may be for somebody else.
    if (atomic || state(t).condition == ConditionWait::Woken) return;
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        SyncWord* const word = words_.find(at);
        if (word == nullptr || !word->carries_time()) continue;
        ThreadClock& s = state(t);
        const WordStores& stores = word->stores;
        const bool proven = word->is_proven();
        const Time time = proven || word->posts != nullptr ? word->needed(t.serial, now(t)) : stores.time;
        // With delays (replay/simulation.h) the store may be later than the load even if its clock is not.
        // What threads do under a lock has the lock's order.
        const bool handed_over = proven || (stores.writer != t.serial && stores.run == 1 && !under_lock);
        if (handed_over && stores.by != t.serial && time != 0 && time <= now(t))
            note(s, {stores.by, time, at});
        if (WordLook* const polled = polled_by(s, at)) {
            // It may have been stored to when it was not known yet that the thread polls it. The probation will find
            // out whether it is a lock.
            const bool others = proven || stores.writer != t.serial;
            if (!polled->released && others && time > now(t))
                release(t.slot, at, *word, proven ? time : word->needed(t.serial, now(t)));
            s.looks = true;
            if (polled->released) look_at_store(s, *polled, proven ? time : polled->time);
            refresh(t.slot);
            continue;
        }
        if (time <= now(t) || !handed_over) {
            words_.found_idle(at, *word);
            continue;
        }
        word->idle.begin_anew();
        if (s.spinning) end_spin(t.slot);
        raise(s, time, {stores.by, time, at});
        refresh(t.slot);
    }
}

void Clocks::post(Thread t, Address a, u64 tokens) {
    if (SyncWord* const word = words_.find(word_of(a)); word != nullptr) word->post(now(t), tokens);
}

bool Clocks::take(Address a, u64 left) {
    SyncWord* const word = words_.find(word_of(a));
    return word != nullptr && word->take(left);
}

void Clocks::store(Thread t, Address a, u32 bytes, bool atomic, bool replaces) {
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        SyncWord* const word = words_.find(at);
        if (word == nullptr) continue;
        if (word->glanced && word->is_proven()) tell_glancers(at, *word, t.slot);
        if (!word->carries_time()) {
            word->note_store(t.serial, now(t), atomic, replaces);  // somebody may turn out to poll it
            if (word->pollers != 0) perhaps_release(t, at);
            continue;
        }
        const ThreadClock& s = state(t);
        // A thread that waits for a word writes it only after the wait, unless the word is a lock or its own
        // counter.
        if (!word->is_slept_for() && s.spinning && polls(s, at) &&
            (atomic ? s.since_poll <= rules::kProbation : s.steady && !s.released)) {
            call_it_a_lock(at, *word);
            continue;
        }
        const bool counted = s.has_met && now(t) <= s.met_at + rules::kGate;
        if (counted) let_go(t, at, *word);
        // Who lets several go on at once is the last of them to arrive, if it knows that the others have come.
        if (word->pollers > 1 && word->is_proven() && (counted || now(t) <= s.locked_until))
            if (const Cause latest = latest_poller(at, t.slot); latest.serial != 0)
                lift(t, latest.time, latest);
        word->note_store(t.serial, now(t), atomic, replaces);
        if (word->pollers != 0) release_pollers(at, *word, t.slot);
    }
}

// t has just counted in, and stores to a word that others may wait for: it is the last to arrive.
void Clocks::let_go(Thread t, Address at, SyncWord& word) {
    // A thread that counts in, yields once and is released was never seen to spin.
    if (!word.is_proven() && word.counting.last == 0 && is_glanced_at(at, t.slot)) words_.prove(at, word);
    if (!word.is_proven() && word.pollers == 0) return;
    ThreadClock& s = state(t);
    const Time before = s.time;
    lift(t, s.met, {s.met_by, s.met, s.met_word});
    s.met_at += s.time - before;
}

void Clocks::count_in(Thread t, Address a) {
    a = word_of(a);
    if (!words_.has_room_for_update() && words_.find(a) == nullptr) return;
    SyncWord& word = words_.at(a);
    if (word.is_lock()) return;
    ThreadClock& s = state(t);
    CountingIn& here = word.counting;
    if (here.last != 0 && here.last != t.serial) {
        s.met_at = now(t);
        s.has_met = true;
    }
    if (here.time > s.met) {
        s.met = here.time;
        s.met_by = here.by;
        s.met_word = a;
    }
    here.by = s.met > now(t) ? s.met_by : t.serial;
    here.time = later(s.met, now(t));
    here.last = t.serial;
}

Clocks::Cause Clocks::latest_poller(Address a, u32 but) const {
    Cause latest;
    for (u32 slot = 0; slot < states_.size(); ++slot) {
        const ThreadClock& s = states_[slot];
        if (slot != but && polls(s, a) && s.time >= latest.time) latest = {s.serial, s.time, a};
    }
    return latest;
}

void Clocks::release_pollers(Address a, const SyncWord& word, u32 but) {
    for (u32 slot = 0; slot < states_.size(); ++slot)
        if (slot != but && polls(states_[slot], a)) release(slot, a, word, word.lets_go());
}

// The word is none that carries time, but who polled it once may wait for this store all the same.
void Clocks::perhaps_release(Thread t, Address a) {
    for (u32 slot = 0; slot < states_.size(); ++slot) {
        ThreadClock& s = states_[slot];
        if (slot == t.slot || !polls(s, a) || s.steady || s.perhaps.serial != 0) continue;
        s.perhaps = {t.serial, now(t), a};
        refresh(slot);
    }
}

void Clocks::call_it_a_lock(Address a, SyncWord& word, WordState which) {
    for (u32 slot = 0; slot < states_.size(); ++slot) {
        if (!polls(states_[slot], a)) continue;
        // Waiting for a lock takes no time, but no thread continues before the horizon.
        ThreadClock& s = states_[slot];
        bool released = s.released && !s.probation;
        Time time = released ? later(s.time, s.carried) : s.time;
        const Cause cause = s.release();
        end_spin(slot);
        raise(s, time, cause);
        raise(s, given_, {});
        refresh(slot);
    }
    words_.become(a, word, which);
}

// A lock that is smaller than a word stands beside others.
void Clocks::hold_as_lock(Address a) {
    const Address at = word_of(a);
    call_it_a_lock(at, words_.at(at), at == a ? WordState::OwnLock : WordState::Mutex);
}

}  // namespace memspy::order
