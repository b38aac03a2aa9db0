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
// are known by the code that changes them (sync_calls.h), and carry time from then on.
#include "order/clock_words.h"
#include "order/clocks.h"
#include "order/rules.h"

namespace memspy::order {

bool Clocks::has_sync_word_slowly(Address line, usize bytes) const {
    for (Address a = line >> kGranuleShift; a < (line + bytes) >> kGranuleShift; ++a)
        if (granules_.find(a) != nullptr) return true;
    return false;
}

void Clocks::make_sync(Address a, SyncWord& word) {
    if (word.sync) return;
    word.sync = true;
    ++granules_[a >> kGranuleShift];
    ++sync_words_;
    new_words_.push_back(a);
    mark_in_filter(a);
}

void Clocks::mark_in_filter(Address a) {
    u32 bit = filter_bit(a);
    filter_[bit >> 6] |= u64{1} << (bit & 63);
}

bool Clocks::look_slowly(Address a, u32 bytes) {
    bool found = false;
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        SyncWord* word = words_.find(at);
        if (word == nullptr || !word->looked || word->sync || word->lock) continue;
        word->weak = found = true;
        make_sync(at, *word);
    }
    return found;
}

void Clocks::note_store(Address a, SyncWord& word, u32 serial, Time time, bool atomic) {
    if (word.writer == serial) {
        ++word.run;
        word.taken = word.time;
        if (atomic)
            end_count(a, word);
        else if (word.counted)
            counts_.stored(a, time);
        else if (word.sync && word.run > 1)
            word.counted = counts_.begin(a, word.seen ? 0 : word.time, time);
    } else {
        end_count(a, word);
        word.holds = word.run != 0 && word.run % 2 == 0 ? word.holds + 1 : 0;
        word.run = 1;
        word.writer = serial;
    }
    if (atomic) word.holds = 0;
    // A read-modify-write keeps a part of the old value, so a thread that waits for the result needs both
    // times.
    if (!atomic || time >= word.time) word.by = serial;
    word.time = atomic ? later(word.time, time) : time;
    word.seen = false;
}

void Clocks::end_count(Address a, SyncWord& word) {
    if (word.counted) counts_.end(a);
    word.counted = false;
}

// The time of the store that a load of the word by t needs to be behind; 0 if it is behind all that it needs.
Time Clocks::needed(Address a, SyncWord& word, Thread t) {
    if (word.writer == t.serial) return word.time;
    word.seen = true;
    return word.counted ? counts_.take(a, t.serial, now(t), word.time) : word.time;
}

// The word is a lock with its own way of waiting, and its last owner held it at that time.
bool Clocks::was_held(const SyncWord& word, Time time) {
    return word.holds >= rules::kHolds && word.run % 2 == 0 && word.taken <= time && time < word.time;
}

void Clocks::stored(Address a, u32 serial, const rt::Vector<Time>& run) {
    SyncWord* word = words_.find(word_of(a));
    if (word == nullptr || !word->sync || word->time > run.back()) return;
    end_count(word_of(a), *word);
    word->run = 0;
    word->writer = serial;
    for (const Time time : run) note_store(word_of(a), *word, serial, time, false);
}

// The filter keeps its bit, because other words may share it.
void Clocks::make_unsync(Address a, SyncWord& word) {
    if (!word.sync) return;
    word.sync = false;
    end_count(a, word);
    --sync_words_;
    u32* count = granules_.find(a >> kGranuleShift);
    CHECK(count != nullptr && *count != 0);
    if (--*count == 0) granules_.erase(a >> kGranuleShift);
}

// A load of the word found nothing to wait for.
void Clocks::found_idle(Address a, SyncWord& word, u16 loads) {
    if (!word.weak || word.proven || word.own_lock || word.pollers != 0) return;
    word.idle = static_cast<u16>(word.idle + loads);
    if (word.idle < rules::kIdle) return;
    const u8 strikes = static_cast<u8>(word.strikes + 1);
    make_unsync(a, word);
    word = SyncWord{};
    word.strikes = strikes;
}

void Clocks::age(Address line, usize bytes) {
    for (Address at = line; at < line + bytes; at += kWordBytes)
        if (SyncWord* word = words_.find(at); word != nullptr && word->sync && word->holds < rules::kHolds)
            found_idle(at, *word, rules::kAge);
}

void Clocks::watch(Address a) {
    a = word_of(a);
    SyncWord& word = words_[a];
    word.lock = false;
    word.proven = word.waited = true;
    make_sync(a, word);
}

void Clocks::forget(Address a, usize bytes) {
    forget_barriers(a, a + bytes);
    if (bytes == 0 || words_.empty()) return;
    auto forget_word = [this](Address at) {
        SyncWord* word = words_.find(at);
        if (word == nullptr || word->first != 0 || word->pollers != 0) return;
        make_unsync(at, *word);
        words_.erase(at);
    };
    Address end = a + bytes;
    constexpr Address kKnown = Address{1} << kFilterShift;  // bytes in one entry of the filter
    if (bytes / kKnown <= words_.size()) {
        for (Address at = word_of(a); at < end;) {
            const u32 bit = filter_bit(at);
            const Address next = (at & ~(kKnown - 1)) + kKnown;
            if (((filter_[bit >> 6] >> (bit & 63)) & 1) != 0)
                for (; at < end && at < next; at += kWordBytes) forget_word(at);
            at = next;
        }
        return;
    }
    rt::Vector<Address> inside;
    words_.for_each([&](u64 at, SyncWord&) {
        if (at + kWordBytes > a && at < end) inside.push_back(at);
    });
    for (Address at : inside) forget_word(at);
}

void Clocks::load(Thread t, Address a, u32 bytes, bool atomic) {
    if (atomic) return;
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        SyncWord* word = words_.find(at);
        if (word == nullptr || !word->sync) continue;
        ThreadClock& s = state(t);
        const bool awaited = polls(s, at);
        s.read_since |= awaited;
        const Time time = word->proven ? needed(at, *word, t) : word->time;
        // With delays (simulation.h) the store may be later than the load even if its clock is not.
        const bool handed_over = word->proven || (word->writer != t.serial && word->run == 1);
        if (handed_over && word->by != t.serial && time != 0 && time <= now(t)) note(s, {word->by, time, at});
        if (time <= now(t)) {
            found_idle(at, *word);
            continue;
        }
        // The probation will find out whether a word that a thread spins for is a lock.
        if (!word->proven) {
            if (word->writer == t.serial) {
                found_idle(at, *word);
                continue;
            }
            if (awaited) {
                // It was stored to when it was not known yet that the thread polls it.
                if (!s.released) release(t.slot, at, *word, needed(at, *word, t));
                s.read_since = true;
                continue;
            }
            if (word->run != 1 && !was_held(*word, now(t))) {
                found_idle(at, *word);
                continue;
            }
        }
        word->idle = 0;
        if (s.spinning) end_spin(t.slot);
        raise(s, time, {word->by, time, at});
        refresh(t.slot);
    }
}

void Clocks::store(Thread t, Address a, u32 bytes, bool atomic) {
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        SyncWord* word = words_.find(at);
        if (word == nullptr) continue;
        if (!word->sync) {
            note_store(at, *word, t.serial, now(t), atomic);  // somebody may turn out to poll it
            if (word->pollers != 0) perhaps_release(t, at);
            continue;
        }
        const ThreadClock& s = state(t);
        // A thread that waits for a word writes it only after the wait, unless the word is a lock or its own
        // counter.
        if (!word->waited && s.spinning && polls(s, at) &&
            (atomic ? s.since_poll <= rules::kProbation : s.steady && !s.released)) {
            call_it_a_lock(at, *word);
            continue;
        }
        if (s.has_met && now(t) <= s.met_at + rules::kGate) let_go(t, at, *word);
        if (word->pollers > 1 && word->proven)
            if (const Cause latest = latest_poller(at, t.slot); latest.serial != 0)
                lift(t, latest.time, latest);
        note_store(at, *word, t.serial, now(t), atomic);
        if (word->pollers != 0) release_pollers(at, *word, t.slot);
    }
}

// t has just counted in, and stores to a word that others may wait for: it is the last to arrive.
void Clocks::let_go(Thread t, Address at, SyncWord& word) {
    // A thread that counts in, yields once and is released was never seen to spin.
    if (!word.proven && is_glanced_at(at, t.slot) && counters_.find(at) == nullptr) word.proven = true;
    if (!word.proven && word.pollers == 0) return;
    ThreadClock& s = state(t);
    const Time before = s.time;
    lift(t, s.met, {s.met_by, s.met, s.met_word});
    s.met_at += s.time - before;
}

void Clocks::count_in(Thread t, Address a) {
    a = word_of(a);
    if (const SyncWord* word = words_.find(a); word != nullptr && word->lock) return;
    if (counters_.size() >= kMostCounters) counters_.clear();
    ThreadClock& s = state(t);
    Counter& counter = counters_[a];
    if (counter.last != 0 && counter.last != t.serial) {
        s.met_at = now(t);
        s.has_met = true;
    }
    if (counter.time > s.met) {
        s.met = counter.time;
        s.met_by = counter.by;
        s.met_word = a;
    }
    counter.by = s.met > now(t) ? s.met_by : t.serial;
    counter.time = later(s.met, now(t));
    counter.last = t.serial;
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
        if (slot != but && polls(states_[slot], a)) release(slot, a, word, word.time);
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

void Clocks::call_it_a_lock(Address a, SyncWord& word) {
    for (u32 slot = 0; slot < states_.size(); ++slot) {
        if (!polls(states_[slot], a)) continue;
        // Waiting for a lock takes no time, but no thread continues before the horizon.
        ThreadClock& s = states_[slot];
        bool released = s.released && !s.probation;
        Time time = released ? later(s.time, s.carried) : s.time;
        const Cause cause{released ? s.carried_by : 0, s.carried, s.carried_at};
        end_spin(slot);
        raise(s, time, cause);
        raise(s, given_, {});
        refresh(slot);
    }
    word.lock = true;
    word.proven = word.weak = false;
    make_unsync(a, word);
}

void Clocks::hold_as_lock(Address a) {
    SyncWord& word = words_[word_of(a)];
    call_it_a_lock(word_of(a), word);
    word.waited = false;
    word.own_lock = true;
}

}  // namespace memspy::order
