// SPDX-License-Identifier: GPL-2.0-or-later
//
// Clocks: threads that poll words until another thread stores to them.
//
// A loop may look at several words, and stores to each of them may have come before the thread runs again. It goes on
// behind the store to the word that it looked at last before it left the loop: that one decided. Until it looks,
// it may go on behind the first store.
#include "order/clocks.h"
#include "sync/counts.h"

namespace memspy::order {

Clocks::WordLook* Clocks::polled_by(ThreadClock& s, Address word) {
    for (u32 i = 0; i < (s.spinning ? s.polled_count : 0); ++i)
        if (s.polled[i].at == word) return &s.polled[i];
    return nullptr;
}

bool Clocks::is_polled_by_others(Thread t, Address a, u32 bytes) {
    if (!words_.is_marked(a)) return false;
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        const SyncWord* const word = words_.find(at);
        if (word != nullptr && word->is_proven() && word->count == nullptr &&
            (word->pollers > (polls(state(t), at) ? 1u : 0u) || (word->glanced && is_glanced_at(at, t.slot))))
            return true;
    }
    return false;
}

// Whether it loaded the word just before it yielded.
bool Clocks::glances_at(const ThreadClock& s, Address word) {
    for (u32 i = 0; i < (glances(s) ? s.polled_count : 0); ++i)
        if (s.polled[i].at == word) return true;
    return false;
}

bool Clocks::is_glanced_at(Address word, u32 but) const {
    for (u32 slot = 0; slot < states_.size(); ++slot)
        if (slot != but && glances_at(states_[slot], word)) return true;
    return false;
}

// They look again before others go on.
void Clocks::tell_glancers(Address a, SyncWord& word, u32 but) {
    word.glanced = false;
    for (u32 slot = 0; slot < states_.size(); ++slot)
        if (slot != but && glances_at(states_[slot], a)) states_[slot].missed = true;
}

void Clocks::end_spin(u32 slot) {
    ThreadClock& s = states_[slot];
    for (u32 i = 0; i < s.polled_count; ++i) {
        SyncWord* const word = words_.find(s.polled[i].at);
        CHECK(word != nullptr && word->pollers != 0);
        // A word without pollers that never released a thread was only near the loop.
        if (--word->pollers == 0) words_.end_polls(s.polled[i].at, *word);
    }
    const Cause cause = s.release();
    s.spinning = s.released = s.probation = s.read_since = s.looks = s.sees = s.steady = false;
    s.polled_count = 0;
    s.owed = 0;
    s.perhaps = {};
    raise(s, given_, cause);
}

void Clocks::release(u32 slot, Address a, const SyncWord& word, Time time) {
    ThreadClock& s = states_[slot];
    WordLook& polled = *polled_by(s, a);
    // Of a count the first number lets it go on, and it has not looked yet.
    if (word.count != nullptr && polled.released && !polled.looked) return;
    if (!polled.released || time >= polled.time) {
        polled.time = time;
        polled.by = word.stores.by;
    }
    polled.released = true;
    polled.looked = false;
    s.probation = !word.is_proven() && (!s.released || s.probation);
    s.released = true;
    s.read_since = s.looks = s.sees = false;
    const WordLook* first = &polled;
    for (u32 i = 0; i < s.polled_count; ++i)
        if (s.polled[i].released && s.polled[i].time < first->time) first = &s.polled[i];
    s.first_release = first->time;
    carry(s, *first);
    // On probation the thread holds the horizon at the time when its wait began, or at the last horizon.
    raise(s, given_, {});
    refresh(slot);
}

void Clocks::carry(ThreadClock& s, const WordLook& word) {
    s.carried = word.time;
    s.carried_by = word.by;
    s.carried_at = word.at;
}

// The thread loads a word that it polls, and finds what was stored there at `time`. Words that it loads before the
// clock is advanced decide together.
void Clocks::look_at_store(ThreadClock& s, WordLook& word, Time time) {
    word.time = time;
    word.looked = true;
    if (!s.sees || time >= s.carried) carry(s, word);
    s.read_since = s.sees = true;
}

// It looks again: none of the stores that it has seen ended its wait, but it comes behind them all.
Time Clocks::look_in_vain(ThreadClock& s) const {
    const Time time = later(s.time, given_);
    if (!s.released || s.probation) return time;
    for (u32 i = 0; i < s.polled_count; ++i)
        if (s.polled[i].looked && s.polled[i].time > s.carried) carry(s, s.polled[i]);
    return later(later(time, s.first_release) + s.owed, s.carried);
}

// The wait for the polled words is over, and they are not locks.
void Clocks::prove_polled(const ThreadClock& s) {
    for (u32 i = 0; i < s.polled_count; ++i)
        if (SyncWord* const word = words_.find(s.polled[i].at); s.steady && word->stores.time != 0)
            words_.prove(s.polled[i].at, *word);
}

void Clocks::end_probation(Thread t) {
    ThreadClock& s = state(t);
    prove_polled(s);
    s.probation = false;
    refresh(t.slot);
}

void Clocks::spin_on(u32 slot, u64 instructions) {
    ThreadClock& s = states_[slot];
    raise(s, given_, {});
    const u64 since = s.since_poll + instructions;
    if (s.released && !s.probation) {
        // What it looks at next may decide.
        if ((s.looks || instructions == 0) && since <= rules::kProbation) {
            s.looks = s.sees = false;
            s.owed += static_cast<u32>(instructions);
            s.since_poll = static_cast<u32>(since);
            refresh(slot);
            return;
        }
        raise(s, s.carried, s.release());
        s.time += s.owed + instructions;
        s.owed = 0;
        // Its slice may have ended between the load and the yield. So it is not out of its loop before it
        // loads again.
        if (s.read_since || since > later(rules::kProbation, patience_))
            end_spin(slot);
        else
            s.since_poll = static_cast<u32>(since);
        refresh(slot);
        return;
    }
    if (since <= (s.released ? rules::kProbation : later(rules::kSpin, patience_))) {
        s.since_poll = static_cast<u32>(since);
        return;
    }
    Time least;
    Cause cause;
    if (s.released) {
        prove_polled(s);
        least = s.carried;
        cause = {s.carried_by, s.carried, s.carried_at};
    } else {
        cause = s.perhaps;
        least = cause.serial != 0 ? cause.time : earliest();  // earliest() does not count the thread itself
        if (least == kNever) least = 0;
    }
    end_spin(slot);
    raise(s, least, cause);
    s.time += since;
    refresh(slot);
}

void Clocks::look_at(const Address* words, u32 count) {
    for (u32 i = 0; i < count; ++i) words_.look_at(word_of(words[i]));
}

// A poll of the `count` words: makes s one of their pollers. If s polls some of them already, the same wait
// continues, and only those count. If there was a store meanwhile, it was not the awaited one, but its time
// is known, because the word was read after it.
bool Clocks::join_pollers(const ThreadClock& s, Address* words, u8& count) {
    u8 kept = 0;
    for (u32 i = 0; i < count; ++i)
        if (polls(s, words[i])) words[kept++] = words[i];
    const bool again = kept != 0;
    if (again) count = kept;
    for (u32 i = 0; i < count; ++i) {
        SyncWord& word = words_.at(words[i]);
        if (again && word.count != nullptr) word.count->pass_all(s.serial);
        if (again && !word.carries_time()) {  // words of the first poll may belong to code before the loop
            word.stores.time = 0;             // stores up to now did not end the wait
            words_.become(words[i], word, WordState::Polled);
        }
        ++word.pollers;
    }
    return again;
}

void Clocks::poll(Thread t, const Address* loaded, u32 count, bool worked) {
    ThreadClock& s = state(t);
    // In a loop that passes the time until the next look.
    if (s.spinning && count == 0 && !worked) {
        s.since_poll = s.owed = 0;
        return;
    }
    for (u32 i = 0; i < count; ++i)
        if (!polls(s, word_of(loaded[i]))) look_at(loaded + i, 1);
    if (s.phase != Phase::Running) return;
    // The thread's slice ended between the load and the yield, so the load saw nothing of the store since.
    if (s.released && !s.read_since) return;
    Address wanted[rules::kMostPolled];
    u8 found = 0;
    for (u32 i = 0; i < count && found < rules::kMostPolled; ++i) {
        Address a = word_of(loaded[i]);
        const SyncWord* const word = words_.find(a);
        bool known = word != nullptr && word->is_lock();
        for (u32 j = 0; j < found; ++j) known |= wanted[j] == a;
        if (!known) wanted[found++] = a;
    }
    const bool again = !worked && join_pollers(s, wanted, found);
    if (s.spinning) {
        const Time time = look_in_vain(s);
        const u32 since = s.since_poll - s.owed;
        const Cause cause = s.release();
        end_spin(t.slot);
        raise(s, time, cause);
        s.time = again ? time : time + since;
    }
    s.polled_count = found;
    for (u32 i = 0; i < found; ++i) s.polled[i] = {.at = wanted[i]};
    if (worked) {
        s.glances_until = s.time + rules::kSpin;
        for (u32 i = 0; i < found; ++i)
            if (SyncWord* const word = words_.find(wanted[i]); word != nullptr) word->glanced = true;
    } else if (found != 0) {
        s.spinning = true;
        s.steady = again;
        s.since_poll = 0;
    }
    refresh(t.slot);
}

}  // namespace memspy::order
