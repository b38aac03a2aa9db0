// SPDX-License-Identifier: GPL-2.0-or-later
//
// Virtual time: one clock per thread, as if each thread had a core of its own on which every instruction
// takes one unit.
//
// A clock advances by the instructions that its thread executes. Where one thread waits for another its clock
// is raised, never lowered:
//   create        the child starts at its parent's time
//   exit          the word that the kernel clears for joiners (clear_child_tid) becomes a sync word that
//                 carries the time of the exit
//   wake          a thread that waits on a futex leaves at the waker's time or later. A wake of several
//                 threads first raises the waker to the latest of them: all leave a barrier at the last
//                 arrival. Those who wait for a condition count only if they have changed under their lock, before
//                 the wait, what the waker has changed under its: so threads count in. A wait that fails was
//                 woken, too, if the wake was for all waiters: the thread had not yet got to sleep, and found
//                 the word changed
//   sync words    a word that was ever waited on carries the time of the last store to it; a *plain* load
//                 of it raises the loader to that time. Atomic read-modify-writes store their time if it is
//                 later than the word's, but do not take the word's. Nor does who was woken for a condition
//                 take the time of the condition variable's words: it has that of the wake
//   looked at     a word that a thread loads plainly shortly before it waits or yields may be the one it
//                 waits for. A plain load of it, under no lock, takes its time if the last store was another
//                 thread's, and that thread stored just once since others did. A thread that stores many times
//                 in a row, because the core lets it run alone for long, does not wait for others, and its
//                 time would hide the effect of the threads on each other. So this rule only adds order that
//                 costs nothing in the model
//   polling       a word that a thread loads plainly before it yields (pause, sched_yield) is one that it
//                 waits for. Once a store to it has released a thread it is a sync word, too. If instead
//                 the poller then does an atomic read-modify-write on it, it is a lock and never becomes a
//                 sync word
//   counts        a proven word that one thread stores to plainly several times in a row carries the time of each
//                 store, and each load takes the next one (sync/counts.h)
//   counting in   a thread that arrives at a barrier adds to a counter first, and may be interrupted before
//                 it waits. So each word carries the latest time of its read-modify-writes, and each thread
//                 the latest time that it has met in words that it changed in this way. This alone raises no
//                 clock. But a thread that wakes several others, or that stores to a word others wait for
//                 shortly after it counted in behind another thread, is the last to arrive, and continues no
//                 earlier than the others arrived
//   meeting       a thread leaves a barrier after all threads that arrived there before the first of them left
// Mutexes and semaphores carry no time here, because that would restore the serial order in which the core
// runs the threads. A thread that waits for a mutex counts as running. One that waits for a semaphore,
// perhaps for long, is blocked, and continues at the horizon. Threads wait for both in the replay
// (replay/simulation.h).
//
// The *horizon* is the earliest time of all threads that are not blocked: nothing can happen before it any
// more. A thread that was blocked continues at the horizon or later, and no thread ever continues before a
// horizon that was given out. No Valgrind here. The caller reports events in the order in which they really
// happened.
//
// Spinning. From a poll on, the clock of the poller stands still and does not count for the horizon, however
// often it polls the same words. A store to one of them lets the poller continue at the time of the store.
// From then on its clock counts again, though the core may run the thread much later. If the poller executes
// more than kSpin instructions without another poll and without such a store, it continues at the horizon
// of the others. The code executed while it spun takes no time. The first release through a word is on
// probation for kProbation instructions: if the poller does a read-modify-write on the word meanwhile, the
// word is a lock and the release gave no time. If it stores to the word plainly, the word is none. A
// thread that releases several spinners at once, and has just counted in or used a lock, is first raised to
// the latest of them, as with a wake of several.
//
// Blocking calls. Most calls that may block do not, but the core gives the processor to another thread all
// the same. So a thread in a call of kind Other counts as running until a whole round is over in which it
// could have come back: some other thread has got the processor twice since. A thread that comes back sooner
// was not blocked.
#pragma once

#include "order/rules.h"
#include "replay/step.h"
#include "sync/words.h"
#include "threads/thread.h"

namespace memspy::order {

using namespace replay;
using namespace sync;

using threads::Thread;

enum class WaitFor : u8 {
    Word,   // a futex of a condition variable, barrier, join, atomic wait…
    Token,  // a futex of a semaphore: carries no time
    Mutex,  // a futex of a lock: carries no time
    Other   // a blocking system call of any other kind
};

// All zeros is a valid empty object, so that it can be an rt::Global.
class Clocks {
public:
    Clocks() = default;
    Clocks(const Clocks&) = delete;
    Clocks& operator=(const Clocks&) = delete;
    ~Clocks();

    void create(Thread parent, Thread child);  // the parent may be none: starts at 0
    // `cleared` is the address of the word that the kernel clears and wakes (all waiters), or 0.
    void exit(Thread t, Address cleared);

    // The thread that let another continue, and when. No serial: no particular thread, the others have
    // advanced meanwhile.
    struct Cause {
        u32 serial = 0;
        Time time = 0;
        Address word = 0;  // that it stored to, if known
        u64 meeting = 0;   // not 0: all who met there let it continue, not one thread
    };
    Cause last_cause(Thread t) const { return state(t).cause; }
    // Calls f(cause) for the threads that let t continue since the last call, even if t's clock was not
    // raised: t cannot have continued before them.
    template <typename F>
    void take_causes(Thread t, F f) {
        usize kept = 0;
        for (const Edge& edge : edges_)
            if (edge.serial == t.serial)
                f(edge.cause);
            else
                edges_[kept++] = edge;
        edges_.resize(kept);
    }

    // While t spins its clock stands still, so the times of its accesses may seem to step back by less than a
    // record. A caller that adds ordinals must not let the sum fall.
    Time now(Thread t) const;
    void advance(Thread t, u64 instructions) {
        ThreadClock& s = state(t);
        if (s.spinning) [[unlikely]]
            return spin_on(t.slot, instructions);
        s.time += instructions;
        if (dirty_ != t.slot + 1) make_dirty(t.slot);
    }
    // The clock of a spinning thread stands still until the thread continues, whatever advance() adds.
    bool is_spinning(Thread t) const { return state(t).spinning; }
    // Whether another thread polls one of these words, which is neither a count nor perhaps a lock.
    bool is_polled_by_others(Thread t, Address a, u32 bytes);
    // Whether it polls words, or has just looked at some and may be about to.
    bool looks_for_words(Thread t) const { return state(t).spinning || glances(state(t)); }
    // Whether one of these words, which is no lock, has been stored to since.
    bool has_to_look(Thread t) const {
        const ThreadClock& s = state(t);
        return s.phase == Phase::Running && (s.spinning ? s.released && !s.probation : s.missed);
    }
    // It has polled the same words more than once: what it executed between its last two polls is no work.
    bool polls_again(Thread t) const { return state(t).spinning && state(t).steady; }
    // A blocked thread can do nothing before another thread acts.
    bool is_blocked(Thread t) const {
        const Phase phase = state(t).phase;
        return phase == Phase::Asleep || phase == Phase::Blocked;
    }
    bool is_known(Thread t) const { return t.slot < states_.size() && states_[t.slot].serial == t.serial; }
    // Its last wait on a word ended because it was woken.
    bool was_woken(Thread t) const { return state(t).was_woken; }
    bool is_asleep(Thread t) const { return state(t).phase == Phase::Asleep; }
    // It has gone to sleep for a token, and may come back at once (see "Blocking calls").
    bool may_return_for_token(Thread t) const {
        return is_asleep(t) && state(t).timeless && round_ - state(t).round < rules::kRounds;
    }
    void lift(Thread t, Time least) { lift(t, least, Cause{}); }
    // Threads have been seen to wait in loops that look after so many instructions.
    void learn_trip(u64 instructions) {
        if (patience_ < 2 * instructions) patience_ = 2 * instructions;
    }
    // What t has executed since that time was no work.
    void step_back(Thread t, Time until);

    // The words by which threads order each other.
    SyncWords& words() { return words_; }
    const SyncWords& words() const { return words_; }
    // One access to memory that holds a sync word or is near one. `atomic`: part of a read-modify-write.
    void load(Thread t, Address a, u32 bytes, bool atomic, bool under_lock = false);
    void store(Thread t, Address a, u32 bytes, bool atomic, bool replaces = false);
    // What may be a semaphore of the program's own (sync/posts.h): before the store that posts tokens; instead of one
    // that takes a token, if it returns true.
    void post(Thread t, Address a, u64 tokens);
    bool take(Address a, u64 left);
    // Memory with sync words has been accessed many times since the last call.
    void age(Address line, usize bytes);
    // t loads [a, a + bytes), and the line is not known to have a sync word. Returns true if there is one now: the
    // caller must report its last store next, and then the access. `atomic`: it updates a word, which matters to
    // those who wait for one already.
    bool look(Address a, u32 bytes, bool atomic) {
        if (!words_.is_marked(a)) [[likely]]
            return false;
        return look_slowly(a, bytes, atomic);
    }
    // Reports stores from before the word became a sync word: the last were by `serial`, at these times, in a row.
    void stored(Address word, u32 serial, const rt::Vector<Time>& run);
    // The memory is freed.
    void forget(Address a, usize bytes);

    void wait(Thread t, WaitFor what, Address word);  // t may block now
    // t may block on several words at once, after wait(…, Other, 0): they become sync words.
    void watch(Address word);
    // t runs again. `woken`: it waited on a word and was woken (not: value changed, time-out, signal). Does
    // nothing without a wait before it.
    void resume(Thread t, bool woken);
    // t asks for `count` waiters on `word` to be woken, and for `requeue` more to be moved to `target`.
    void wake(Thread t, Address word, u64 count, Address target = 0, u64 requeue = 0);
    // The last wake on this word found nobody asleep.
    void woke_nobody(Address word);
    // t yields, or has gone to sleep. `loaded`: the words (4-byte aligned addresses) that it loaded plainly
    // just before, and has not stored to since. `worked`: since its last poll t stored to memory that others
    // use, so it does not spin yet.
    void poll(Thread t, const Address* loaded, u32 count, bool worked = false);
    // t may wait for one of these words, but does not spin for them.
    void look_at(const Address* words, u32 count);
    // There was a store to a word that t spins for, but it is not known yet whether the word is a lock. A
    // caller that can see that t does not change any of the words in the next kProbation instructions calls
    // end_probation().
    bool is_on_probation(Thread t) const {
        const ThreadClock& s = state(t);
        return s.spinning && s.released && s.probation;
    }
    // The word is a lock of the program's own, or has one.
    void hold_as_lock(Address a);
    // The thread has taken or given a lock: others may have counted in under it.
    void used_lock(Thread t) { state(t).locked_until = now(t) + rules::kGate; }
    // The thread takes its first lock, and stores to a word while it holds one.
    void begins_change(Thread t) { state(t).changed.begin_anew(); }
    void changes(Thread t, Address a) { state(t).changed.add(word_of(a)); }
    // It waits for a condition, and gives its lock meanwhile.
    void waits_for_condition(Thread t) { state(t).condition = ConditionWait::Waits; }
    void ends_condition(Thread t) { state(t).condition = ConditionWait::None; }
    bool is_held_as_lock(Address a) { return is_in_state(a, WordState::OwnLock); }
    // The word is one that the kernel clears at the end of a thread.
    bool is_end(Address a) { return is_in_state(a, WordState::End); }
    // Calls f(word) for the words that it polls.
    template <typename F>
    void for_each_polled(Thread t, F f) const {
        const ThreadClock& s = state(t);
        for (u32 i = 0; i < (s.spinning ? s.polled_count : 0); ++i) f(s.polled[i].at);
    }
    bool spins_for(Thread t, Address a) const { return polls(state(t), a & ~Address{3}); }
    void end_probation(Thread t);
    // t is about to do an atomic read-modify-write at `a`, which is not a lock. For any word; call it before
    // the access is reported otherwise.
    void count_in(Thread t, Address a);

    struct Meeting {
        u64 number = 0;
        rt::Vector<Arrival> arrivals;  // the latest one is at the end
        usize inside = 0;              // so many have not left it
    };
    struct Leaving {
        const Meeting* meeting = nullptr;  // null: t's arrival was not seen
        bool first = false, last = false;  // of those who met
    };
    // t arrives at the barrier, and leaves it. The caller knows both by the function's call and return.
    void arrive(Thread t, Address barrier);
    Leaving leave(Thread t, Address barrier);

    // The core lets t run. `blocks` is its count of superblocks run by all threads. Call it whenever client
    // code starts to run, for resumed threads, too. A wait that is not over by then was interrupted by a
    // signal.
    void runs(Thread t, u64 blocks);

    // The clock of a thread that can run; else kNever.
    Time time_to_run(Thread t) const {
        const ThreadClock& s = state(t);
        const bool can =
            s.phase == Phase::Running || s.phase == Phase::Woken || (s.phase == Phase::Mutex && s.called);
        return can ? key_of(s) : kNever;
    }
    Time horizon() const;  // kNever when every thread is blocked
    // The log is full: t's accesses must be merged though others are behind. From now on the horizon is at
    // least `least`; running threads behind it are raised to it. Returns their number.
    u32 force_horizon(Time least);

    void forget_others(Thread t);  // after fork: t is the only thread

private:
    enum class Phase : u8 {
        Gone,     // the slot is free
        Running,  // or spinning
        Asleep,   // on a word
        Woken,    // on a word; a wake has probably removed it from the queue
        Mutex,
        InCall,  // in a call that may block, not known to have blocked
        Blocked  // in a call that has blocked
    };
    // A word that a thread polls, or loaded before it yielded.
    struct WordLook {
        Address at = 0;
        Time time = 0;          // of the last store to it since the poll
        u32 by = 0;             // serial of the thread that stored
        bool released = false;  // there was one
        bool looked = false;    // and the thread has loaded it since
    };
    enum class ConditionWait : u8 { None, Waits, Woken };
    // The words that a thread stored to under its lock, the latest ones.
    class Changed {
    public:
        void begin_anew() { count_ = 0; }
        void add(Address word) {
            if (!has(word)) words_[count_++ % kMost] = word;
        }
        bool has(Address word) const {
            for (u32 i = 0; i < count_ && i < kMost; ++i)
                if (words_[i] == word) return true;
            return false;
        }
        bool has_any_of(const Changed& other) const {
            for (u32 i = 0; i < count_ && i < kMost; ++i)
                if (other.has(words_[i])) return true;
            return false;
        }

    private:
        static constexpr u32 kMost = 16;
        Address words_[kMost] = {};
        u32 count_ = 0;
    };
    struct ThreadClock {
        Time time = 0;
        Cause cause, noted;
        Cause perhaps;     // spinning: the first store since to one of its words that carries no time
        Time carried = 0;  // Woken: the time of the wake. Spinning and released: of the store that decides
        u32 carried_by = 0;
        Address carried_at = 0;  // the word
        u32 met_by = 0;
        Address met_word = 0;
        Time met = 0;     // the latest time in the words at which it counted in
        Time met_at = 0;  // when it last counted in behind another thread
        bool has_met = false;
        Time locked_until = 0;  // until then it has just taken or given a lock
        Address word = 0;       // Asleep, Woken, Mutex
        u32 serial = 0;
        u32 next = 0;  // Asleep, Woken: slot + 1 of the next waiter on the word
        u32 since_poll = 0;
        u32 round = 0;       // InCall: the round in which the call began
        u32 turn_round = 0;  // the round of its last turn, + 1
        Phase phase = Phase::Gone;
        bool spinning = false;
        bool released = false;    // spinning, and a store has released it
        bool probation = false;   // released by words that may be locks
        Time first_release = 0;   // of the stores to the words that it polls: it goes on no earlier
        bool read_since = false;  // released, and it has loaded one of these words since
        // Since the clock was last advanced it has looked at one of the words, and found a store there.
        bool looks = false, sees = false;
        u32 owed = 0;            // the instructions of these looks, not in `time` yet
        bool steady = false;     // spinning, and has polled the words at least twice
        bool called = false;     // Mutex: it has been woken to try again
        u64 arrived = 0;         // Mutex: the number of its wait
        bool late = false;       // Asleep: was Woken, but has not run for too long
        bool timeless = false;   // Asleep, Woken: for a token
        bool was_woken = false;  // at the end of its last wait
        // Woken, with all who waited for the word then: no other thread can have been woken instead. If its
        // wait fails, it was not yet asleep in the kernel, and has seen the change that the wake told of.
        bool woken_with_all = false;
        u8 polled_count = 0;
        Time glances_until = 0;  // not spinning: the words polled count until then
        bool missed = false;     // and one of them has been stored to
        ConditionWait condition = ConditionWait::None;
        Changed changed;
        WordLook polled[rules::kMostPolled] = {};

        // Spinning: what lets it continue, as far as that is certain.
        Cause release() const { return {released && !probation ? carried_by : 0, carried, carried_at}; }
    };
    ThreadClock& state(Thread t) {
        DCHECK_LT(t.slot, states_.size());
        DCHECK_EQ(states_[t.slot].serial, t.serial);
        return states_[t.slot];
    }
    const ThreadClock& state(Thread t) const {
        DCHECK_EQ(states_[t.slot].serial, t.serial);
        return states_[t.slot];
    }

    bool is_in_state(Address a, WordState state) {
        const SyncWord* const word = words_.find(word_of(a));
        return word != nullptr && word->state == state;
    }
    bool look_slowly(Address a, u32 bytes, bool atomic);

    struct Barrier {
        Meeting meeting;               // the last one
        rt::Vector<Arrival> gathered;  // for the next one
    };

    void forget_barriers(Address begin, usize bytes);

    void make_dirty(u32 slot) const;
    void set_key(u32 slot, Time key) const;
    Time key_of(const ThreadClock& s) const;
    void refresh(u32 slot) const;  // call after a change of its state: updates its key
    Time earliest() const;
    void grow(u32 slots);

    void perhaps_release(Thread t, Address a);
    void spin_on(u32 slot, u64 instructions);
    void end_spin(u32 slot);
    void prove_polled(const ThreadClock& s);
    // Raises the clock to `least` if that is later.
    void raise(ThreadClock& s, Time least, Cause cause) {
        note(s, cause);
        if (s.time >= least) return;
        s.time = least;
        s.cause = cause;
    }
    void note(ThreadClock& s, Cause cause) {
        if (cause.serial == 0 || cause.serial == s.serial) return;
        if (s.noted.serial == cause.serial && s.noted.time >= cause.time) return;
        s.noted = cause;
        edges_.push_back({s.serial, cause});
    }
    void lift(Thread t, Time least, Cause cause);
    void release(u32 slot, Address a, const SyncWord& word, Time time);
    Cause latest_poller(Address word, u32 but) const;
    void release_pollers(Address a, const SyncWord& word, u32 but);
    static WordLook* polled_by(ThreadClock& s, Address word);
    static bool polls(const ThreadClock& s, Address word) {
        return polled_by(const_cast<ThreadClock&>(s), word) != nullptr;
    }
    static void carry(ThreadClock& s, const WordLook& word);
    static void look_at_store(ThreadClock& s, WordLook& word, Time time);
    Time look_in_vain(ThreadClock& s) const;
    static bool glances(const ThreadClock& s) {
        return s.phase == Phase::Running && !s.spinning && s.time <= s.glances_until;
    }
    static bool glances_at(const ThreadClock& s, Address word);
    bool is_glanced_at(Address word, u32 but) const;
    void tell_glancers(Address a, SyncWord& word, u32 but);
    void let_go(Thread t, Address at, SyncWord& word);
    bool join_pollers(const ThreadClock& s, Address* words, u8& count);
    void call_it_a_lock(Address a, SyncWord& word, WordState which = WordState::Mutex);

    void take_out(u32 slot);
    void call(Address mutex, u64 count);
    void uncall(Address mutex);
    void mark_woken(u32 slot, Time time, u32 by, bool with_all);
    void drop(u32 slot);

    rt::Vector<ThreadClock> states_;
    // A tournament tree of the times at which the slots hold the horizon: leaves from leaves_ on, the winner
    // at 1.
    mutable rt::Vector<Time> keys_;
    u32 leaves_ = 0;
    // The slot + 1 whose clock may have moved since its leaf was written: that of the running thread.
    mutable u32 dirty_ = 0;
    u64 waits_ = 0;           // for mutexes, so far
    mutable Time given_ = 0;  // the latest horizon that was given out

    SyncWords words_;
    rt::HashMap<Barrier*> barriers_;
    u64 meetings_ = 0;
    u64 patience_ = 0;  // beyond kSpin
    struct Edge {
        u32 serial;
        Cause cause;
    };
    rt::Vector<Edge> edges_;  // not taken yet
    u32 round_ = 0;
    u32 turn_slot_ = 0;  // slot + 1 of the thread that has the processor
    u64 turn_began_ = 0;
};

}  // namespace memspy::order
