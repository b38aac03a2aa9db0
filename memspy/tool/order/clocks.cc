// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/clocks.h"

#include <new>
#include <utility>

namespace memspy::order {

namespace {

constexpr Address kWordBytes = 4;

Address word_of(Address a) { return a & ~(kWordBytes - 1); }

Time later(Time a, Time b) { return a > b ? a : b; }

template <typename T>
T& made(T*& object, const char* what) {
    if (object == nullptr) object = new (rt::allocate(sizeof(T), what)) T;
    return *object;
}
template <typename T>
void destroy(T* object) {
    object->~T();
    rt::release(object);
}
template <typename T>
void forget_range(rt::HashMap<T*>& objects, Address begin, Address end) {
    if (objects.empty()) return;
    rt::Vector<Address> inside;
    objects.for_each([&](u64 at, T*) {
        if (at >= begin && at < end) inside.push_back(at);
    });
    for (const Address at : inside) {
        destroy(*objects.find(at));
        objects.erase(at);
    }
}

}  // namespace

// ---- The tournament tree behind the horizon

// The time at which a thread holds the horizon; kNever if it does not hold it.
Time Clocks::key_of(const ThreadClock& s) const {
    switch (s.phase) {
        case Phase::Running:
            if (!s.spinning) return s.time;
            if (!s.released) return kNever;
            return s.probation ? s.time : later(s.time, s.carried);
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
    SyncWord& word = words_[a];
    word.lock = false;
    word.proven = word.waited = word.end = true;
    if (time >= word.time) word.by = t.serial;
    word.time = later(word.time, time);
    make_sync(a, word);
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
    return s.released && !s.probation ? later(time, s.carried) : time;
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
    if (turn_slot_ == t.slot + 1 && blocks - turn_began_ < kSliceBlocks) return;
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
        if (s.phase == Phase::InCall && round_ - s.round >= kRounds) {
            s.phase = Phase::Blocked;
            refresh(slot);
        } else if (s.phase == Phase::Woken && mine.time >= s.carried + kWakeTime) {
            s.phase = Phase::Asleep;
            s.late = true;
            refresh(slot);
        }
    }
}

// ---- Sync words

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

void Clocks::note_store(SyncWord& word, u32 serial, Time time, bool atomic) {
    if (word.writer == serial) {
        ++word.run;
        word.taken = word.time;
    } else {
        word.holds = word.run != 0 && word.run % 2 == 0 ? word.holds + 1 : 0;
        word.run = 1;
        word.writer = serial;
    }
    if (atomic) word.holds = 0;
    // A read-modify-write keeps a part of the old value, so a thread that waits for the result needs both
    // times.
    if (!atomic || time >= word.time) word.by = serial;
    word.time = atomic ? later(word.time, time) : time;
}

// The word is a lock with its own way of waiting, and its last owner held it at that time.
bool Clocks::was_held(const SyncWord& word, Time time) {
    return word.holds >= kHolds && word.run % 2 == 0 && word.taken <= time && time < word.time;
}

void Clocks::stored(Address a, u32 serial, Time time, u32 run) {
    SyncWord* word = words_.find(word_of(a));
    if (word == nullptr || !word->sync || word->time > time) return;
    word->time = time;
    word->writer = word->by = serial;
    word->run = run;
}

// The filter keeps its bit, because other words may share it.
void Clocks::make_unsync(Address a, SyncWord& word) {
    if (!word.sync) return;
    word.sync = false;
    --sync_words_;
    u32* count = granules_.find(a >> kGranuleShift);
    CHECK(count != nullptr && *count != 0);
    if (--*count == 0) granules_.erase(a >> kGranuleShift);
}

// A load of the word found nothing to wait for.
void Clocks::found_idle(Address a, SyncWord& word, u16 loads) {
    if (!word.weak || word.proven || word.own_lock || word.pollers != 0) return;
    word.idle = static_cast<u16>(word.idle + loads);
    if (word.idle < kIdle) return;
    const u8 strikes = static_cast<u8>(word.strikes + 1);
    make_unsync(a, word);
    word = SyncWord{};
    word.strikes = strikes;
}

void Clocks::age(Address line, usize bytes) {
    for (Address at = line; at < line + bytes; at += kWordBytes)
        if (SyncWord* word = words_.find(at); word != nullptr && word->sync && word->holds < kHolds)
            found_idle(at, *word, kAge);
}

void Clocks::watch(Address a) {
    a = word_of(a);
    SyncWord& word = words_[a];
    word.lock = false;
    word.proven = word.waited = true;
    make_sync(a, word);
}

void Clocks::forget(Address a, usize bytes) {
    forget_range(barriers_, a, a + bytes);
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
        // With delays (simulation.h) the store may be later than the load even if its clock is not.
        const bool handed_over = word->proven || (word->writer != t.serial && word->run == 1);
        if (handed_over && word->by != t.serial && word->time <= now(t)) note(s, {word->by, word->time, at});
        if (word->time <= now(t)) {
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
                if (!s.released) release(t.slot, at, *word);
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
        raise(s, word->time, {word->by, word->time, at});
        refresh(t.slot);
    }
}

void Clocks::store(Thread t, Address a, u32 bytes, bool atomic) {
    for (Address at = word_of(a); at < a + bytes; at += kWordBytes) {
        SyncWord* word = words_.find(at);
        if (word == nullptr) continue;
        if (!word->sync) {
            note_store(*word, t.serial, now(t), atomic);  // somebody may turn out to poll it
            continue;
        }
        const ThreadClock& s = state(t);
        // A thread that waits for a word writes it only after the wait, unless the word is a lock or its own
        // counter.
        if (!word->waited && s.spinning && polls(s, at) &&
            (atomic ? s.since_poll <= kProbation : s.steady && !s.released)) {
            call_it_a_lock(at, *word);
            continue;
        }
        if (s.has_met && now(t) <= s.met_at + kGate) let_go(t, at, *word);
        if (word->pollers > 1 && word->proven)
            if (const Cause latest = latest_poller(at, t.slot); latest.serial != 0)
                lift(t, latest.time, latest);
        note_store(*word, t.serial, now(t), atomic);
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
        if (slot != but && polls(states_[slot], a)) release(slot, a, word);
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

// ---- Barriers

Clocks::~Clocks() { forget_range(barriers_, 0, ~Address{0}); }

void Clocks::arrive(Thread t, Address a) {
    made(barriers_[a], "memspy.clocks.barrier").gathered.push_back({t.serial, now(t)});
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

// ---- Spinning

bool Clocks::polls(const ThreadClock& s, Address word) const {
    if (!s.spinning) return false;
    for (u32 i = 0; i < s.polled_count; ++i)
        if (s.polled[i] == word) return true;
    return false;
}

// Whether another thread loaded the word just before it yielded.
bool Clocks::is_glanced_at(Address word, u32 but) const {
    for (u32 slot = 0; slot < states_.size(); ++slot) {
        const ThreadClock& s = states_[slot];
        if (slot == but || s.phase != Phase::Running || s.spinning || s.time > s.glances_until) continue;
        for (u32 i = 0; i < s.polled_count; ++i)
            if (s.polled[i] == word) return true;
    }
    return false;
}

void Clocks::end_spin(u32 slot) {
    ThreadClock& s = states_[slot];
    for (u32 i = 0; i < s.polled_count; ++i) {
        SyncWord* word = words_.find(s.polled[i]);
        CHECK(word != nullptr && word->pollers != 0);
        // A word without pollers that never released a thread was only near the loop.
        if (--word->pollers == 0 && !word->proven && !word->weak) {
            make_unsync(s.polled[i], *word);
            word->time = 0;
        }
    }
    const Cause cause{s.released && !s.probation ? s.carried_by : 0, s.carried, s.carried_at};
    s.spinning = s.released = s.probation = s.read_since = s.steady = false;
    s.polled_count = 0;
    raise(s, given_, cause);
}

void Clocks::release(u32 slot, Address a, const SyncWord& word) {
    ThreadClock& s = states_[slot];
    if (!s.released || word.time >= s.carried) {
        s.carried_by = word.by;
        s.carried_at = a;
    }
    s.carried = s.released ? later(s.carried, word.time) : word.time;
    s.probation = !word.proven && (!s.released || s.probation);
    s.released = true;
    s.read_since = false;
    // On probation the thread holds the horizon at the time when its wait began, or at the last horizon.
    raise(s, given_, {});
    refresh(slot);
}

// The wait for the polled words is over, and they are not locks.
void Clocks::prove_polled(const ThreadClock& s) {
    for (u32 i = 0; i < s.polled_count; ++i)
        if (SyncWord* word = words_.find(s.polled[i]); s.steady && word->time != 0) word->proven = true;
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
        raise(s, s.carried, {s.carried_by, s.carried, s.carried_at});
        s.time += instructions;
        // Its slice may have ended between the load and the yield. So it is not out of its loop before it loads again.
        if (s.read_since || since > kProbation)
            end_spin(slot);
        else
            s.since_poll = static_cast<u32>(since);
        refresh(slot);
        return;
    }
    if (since <= (s.released ? kProbation : later(kSpin, patience_))) {
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
        least = earliest();  // earliest() does not count the thread itself
        if (least == kNever) least = 0;
    }
    end_spin(slot);
    raise(s, least, cause);
    s.time += since;
    refresh(slot);
}

void Clocks::look_at(const Address* words, u32 count) {
    for (u32 i = 0; i < count && words_.size() < kMostWords; ++i) {
        SyncWord& word = words_[word_of(words[i])];
        if (word.strikes == kStrikes) continue;
        word.looked = true;
        mark_in_filter(words[i]);
    }
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
        SyncWord& word = words_[words[i]];
        if (again && !word.sync) {  // words of the first poll may belong to code before the loop
            word.time = 0;          // stores up to now did not end the wait
            make_sync(words[i], word);
        }
        ++word.pollers;
    }
    return again;
}

void Clocks::poll(Thread t, const Address* loaded, u32 count, bool worked) {
    ThreadClock& s = state(t);
    // In a loop that passes the time until the next look.
    if (s.spinning && count == 0 && !worked) {
        s.since_poll = 0;
        return;
    }
    for (u32 i = 0; i < count; ++i)
        if (!polls(s, word_of(loaded[i]))) look_at(loaded + i, 1);
    if (s.phase != Phase::Running) return;
    // The thread's slice ended between the load and the yield, so the load saw nothing of the store since.
    if (s.released && !s.read_since) return;
    Address wanted[kMostPolled];
    u8 found = 0;
    for (u32 i = 0; i < count && found < kMostPolled; ++i) {
        Address a = word_of(loaded[i]);
        const SyncWord* word = words_.find(a);
        bool known = word != nullptr && word->lock;
        for (u32 j = 0; j < found; ++j) known |= wanted[j] == a;
        if (!known) wanted[found++] = a;
    }
    const bool again = !worked && join_pollers(s, wanted, found);
    if (s.spinning) {
        const Time time = now(t);
        const u32 since = s.since_poll;
        const Cause cause{s.released && !s.probation ? s.carried_by : 0, s.carried, s.carried_at};
        end_spin(t.slot);
        raise(s, time, cause);
        s.time = again ? time : time + since;
    }
    s.polled_count = found;
    for (u32 i = 0; i < found; ++i) s.polled[i] = wanted[i];
    if (worked) {
        s.glances_until = s.time + kSpin;
    } else if (found != 0) {
        s.spinning = true;
        s.steady = again;
        s.since_poll = 0;
    }
    refresh(t.slot);
}

// ---- Waiting

void Clocks::wait(Thread t, WaitFor what, Address a) {
    resume(t, false);
    ThreadClock& s = state(t);
    if (s.spinning) {
        // Going to sleep ends a spin for the same thing: the code executed while it spun takes no time.
        const Time time = now(t);
        const Cause cause{s.released && !s.probation ? s.carried_by : 0, s.carried, s.carried_at};
        end_spin(t.slot);
        raise(s, time, cause);
    }
    s.round = round_;
    if (what == WaitFor::Word || what == WaitFor::Token) {
        a = word_of(a);
        SyncWord& word = words_[a];
        s.timeless = what == WaitFor::Token;
        if (!s.timeless) {
            word.lock = false;
            word.proven = word.waited = true;
            make_sync(a, word);
        }
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
        if (SyncWord* word = words_.find(word_of(a));
            what == WaitFor::Mutex && word != nullptr && !word->waited) {
            if (word->pollers == 0) make_unsync(word_of(a), *word);
            word->lock = true;
            word->weak = false;
        }
    }
    refresh(t.slot);
}

void Clocks::take_out(u32 slot) {
    SyncWord* word = words_.find(states_[slot].word);
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

void Clocks::resume(Thread t, bool woken) {
    ThreadClock& s = state(t);
    Phase phase = s.phase;
    if (phase == Phase::Running) return;
    s.was_woken = woken;
    Time least = given_;
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
            if (waiter.time > time) {
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
    if (word->sync) {
        if (time >= word->time) word->by = t.serial;
        word->time = later(word->time, time);
        // A wake proves that the word is not just a spin lock.
        if (word->pollers != 0 && count != 0) {
            word->proven = word->waited = true;
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
    SyncWord& to = words_[target];
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
