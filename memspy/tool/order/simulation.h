// SPDX-License-Identifier: GPL-2.0-or-later
//
// The replay: a discrete-event simulation over the logs of all threads. It takes timed steps from several
// streams, one per thread. Each stream is in ascending time. The earliest step comes first, by (virtual time,
// serial, sequence in the stream), up to a horizon.
//
// A stream's times are those of its thread's own clock, which knows no locks. The virtual time of a step is
// the clock's time plus the thread's present *delay*, which grows
//   at an acquisition     of a lock that another thread holds, until the release, in order of arrival in
//                         virtual time. Readers hold a lock together
//   at a Take step        of a semaphore without a token, until a post, in order of arrival
//   at a GoOn step        where another thread let it continue (create, join, wake, barrier, message…): it
//                         continues when that thread has got to the place where it did so, or later; where
//                         several met, when the last one has. Its own delay counts as part of the wait
//   with each event       by the coherence latency
// and is never negative: no step comes earlier than its thread's clock says.
//
// With delays a step before the horizon is not yet final, because a thread with less delay may still come in
// before it. So a step waits until all other streams have got that far, and may stay in its stream over
// several runs. A blocked thread does not hold up others: anything it does later comes after the steps that
// were replayed already. force() does not wait.
//
// The order in which locks are taken here may contradict the program's real order of waits outside locks: A
// waits for the lock that B has, and B for a later action of A. Then, of the threads in that cycle that wait
// for locks or tokens, the one that really had its own first gets it beside the owner. forced() counts these
// cases.
#pragma once

#include <new>

#include "order/waits.h"
#include "order/what_if.h"

namespace memspy::order {

using threads::Thread;

struct Step {
    enum class StepKind : u8 {
        Access,
        Acquire,
        AcquireShared,
        Release,
        Take,  // a token of a semaphore
        Post,
        GoOn,  // from `time` to `until`, when `other` got to `when`, or all who met; neither: unknown cause
        Nothing,  // an attempt to take a lock that failed, as far as is known
        Poll,  // from here on the thread looks at the word again and again, every `when` units, until PollEnd
        PollEnd
    };
    static constexpr u64 kNotYet = ~u64{0};
    StepKind kind = StepKind::Access;
    bool any_owner = false;  // Release: by a thread that never took it
    bool perhaps_shared = false;
    bool ends_wait = true;  // GoOn: no other step of the same wait follows
    u32 other = 0;          // serial; Take: of the thread whose post it really took, 0 if not known
    Time time = 0;
    Time until = 0, when = 0;
    Address lock = 0;   // GoOn: the word that `other` stored to, or 0
    u64 turn = 0;       // less for what really happened earlier; kNotYet: the thread still waits
    u64 semaphore = 0;  // Take, Post: its number
    u64 meeting = 0;    // GoOn: its number
    Place place{};      // of a step at which the thread may have to wait
};

//
// `Stream` is a class with
//   Thread thread() const;
//   bool next(Time horizon, Step* step);   makes the next step current, if there is one before `horizon`;
//                                          not called again before that step is consumed
//   u32 consume();                         ends the current step; returns the number of its events
//   bool waiting() const;                  optional: the thread is blocked or gone, and its log has nothing
//                                          more, not even behind the horizon
//   void alone_until(Time time);           optional: called before consume(). No other stream has a step
//                                          before that time, which is by the stream's own clock
// A simulation keeps pointers to streams that it does not own. No stream may be added or removed while a step
// is consumed. A horizon may not be less than the one before. All zeros is a valid empty object.
template <typename Stream>
class Simulation {
public:
    Simulation() = default;
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    ~Simulation() {
        locks_.for_each([](u64, Lock* lock) { destroy(lock); });
        semaphores_.for_each([](u64, TokenQueue* semaphore) { destroy(semaphore); });
        meetings_.for_each([](u64, Gathering* meeting) { destroy(meeting); });
        while (free_locks_ != nullptr) {
            Lock* const next = free_locks_->next;
            destroy(free_locks_);
            free_locks_ = next;
        }
    }
    void set_latency(u32 units) { latency_ = units; }

    void add(Stream* stream) {
        StreamNode node;
        node.stream = stream;
        node.serial = stream->thread().serial;
        nodes_.push_back(node);
        number(nodes_.size() - 1);
    }
    // The stream's remaining steps are not replayed.
    void remove(Stream* stream) {
        usize i = 0;
        while (i < nodes_.size() && nodes_[i].stream != stream) ++i;
        CHECK_LT(i, nodes_.size());
        const u32 serial = nodes_[i].serial;
        while (final_delays_.size() <= serial) final_delays_.push_back(0);
        final_delays_[serial] = nodes_[i].delay;
        if (nodes_[i].blocked == Blocked::ByLock) leave_queue(nodes_[i]);
        if (nodes_[i].blocked == Blocked::ByToken)
            erase(semaphore_of(nodes_[i].step.semaphore).queue, serial);
        number_of_[serial] = 0;
        nodes_[i] = nodes_.back();
        nodes_.pop_back();
        if (i < nodes_.size()) number(i);
    }
    usize size() const { return nodes_.size(); }

    // Both return the number of accesses taken.
    u64 run(Time horizon) { return take(horizon, false); }
    u64 force(Time horizon) { return take(horizon, true); }

    // The semaphore has so many tokens more than its posts tell, from its beginning.
    void add_tokens(u64 semaphore, i64 tokens) { semaphore_of(semaphore).unknown += tokens; }
    void forget_semaphore(u64 number) {
        TokenQueue** const found = semaphores_.find(number);
        if (found == nullptr || !(*found)->queue.empty()) return;
        destroy(*found);
        semaphores_.erase(number);
    }
    // Those who leave the meeting go on when all have got there. Comes before the first one's GoOn step. They wait for the
    // last in `arrivals` first, so that should be who is likely to come last.
    void meet(u64 number, const rt::Vector<Clocks::Arrival>& arrivals) {
        Gathering*& meeting = meetings_[number];
        CHECK(meeting == nullptr);
        meeting = new (rt::allocate(sizeof(Gathering), "memspy.order.meeting")) Gathering;
        for (const Clocks::Arrival& arrival : arrivals) meeting->arrivals.push_back(arrival);
        meeting->missing = arrivals.size();
        meeting->inside = arrivals.size();
    }
    // The thread's current step is a Take, and it really took its token now. It was `other`'s.
    void tell_taken(u32 serial, u32 other, u64 turn) {
        StreamNode* const node = node_of(serial);
        if (node == nullptr || !node->ready || node->step.kind != Step::StepKind::Take) return;
        node->step.other = other;
        node->step.turn = turn;
    }

    // All steps of all streams before this time, by the threads' own clocks, have been replayed.
    Time replayed_until(Time horizon) const {
        for (const StreamNode& node : nodes_)
            if (node.ready && node.step.time < horizon) horizon = node.step.time;
        return horizon;
    }
    // While a step is taken: steps that no stream has yet come no earlier than this.
    Time final_before() const { return delayed_ && !everything_ ? final_before_ : horizon_; }
    // Some thread has had a delay, so the steps are no longer in the order of the threads' own clocks.
    bool delayed() const { return delayed_; }
    u64 forced() const { return forced_; }
    Time now() const { return merged_to_; }
    Time delay_of(u32 serial) const {
        const StreamNode* node = node_of(serial);
        return node != nullptr ? node->delay : serial < final_delays_.size() ? final_delays_[serial] : 0;
    }
    // What a thread that waits for others has still to do comes no earlier than this.
    Time blocked_until(u32 serial) const {
        const StreamNode* node = node_of(serial);
        return node != nullptr && node->blocked != Blocked::No ? merged_to_ : 0;
    }
    Waits& waits() { return waits_; }
    WhatIf& what_if() { return what_if_; }

private:
    static constexpr Time kEver = ~Time{0};

    enum class Blocked : u8 { No, ByLock, ByToken, ByOther };
    struct StreamNode {
        Stream* stream = nullptr;
        Step step;  // the current one
        Time delay = 0;
        u32 serial = 0;
        u32 watchers = 0;    // number of nodes that wait for its progress
        bool ready = false;  // has a current step
        Blocked blocked = Blocked::No;

        Time at() const { return step.time + delay; }
    };
    struct Item {
        Time at = 0;
        u32 serial = 0;

        bool before(const Item& other) const {
            return at != other.at ? at < other.at : serial < other.serial;
        }
    };
    struct LockOwner {
        u32 serial;
        u32 depth;
        bool shared;
    };
    // One for each lock that is held.
    struct Lock {
        rt::Vector<LockOwner> owners;
        rt::Vector<u32> queue;  // serials, in order of arrival
        Lock* next = nullptr;   // for locks that are not in use
    };

    struct Token {
        u32 serial;  // who posted it, and when
        Time when;
    };
    struct TokenQueue {
        i64 unknown = 0;           // tokens whose posts are not known; < 0: so many posts are taken already
        rt::Vector<Token> tokens;  // from next on: not taken yet, in order
        usize next = 0;
        rt::Vector<u32> queue;  // serials, in order of arrival
    };

    struct Gathering {
        rt::Vector<Clocks::Arrival> arrivals;
        usize missing = 0;  // the first ones: not known to have got there
        usize inside = 0;   // so many have not left it
        u32 last = 0;       // who got there last, and when in virtual time
        Time at = 0;
    };

    // ---- Nodes

    void number(usize i) {
        const u32 serial = nodes_[i].serial;
        while (number_of_.size() <= serial) number_of_.push_back(0);
        number_of_[serial] = static_cast<u32>(i + 1);
    }
    StreamNode* node_of(u32 serial) {
        const u32 number = serial < number_of_.size() ? number_of_[serial] : 0;
        return number == 0 ? nullptr : &nodes_[number - 1];
    }
    const StreamNode* node_of(u32 serial) const { return const_cast<Simulation*>(this)->node_of(serial); }

    // The current step is done: gets the next one.
    void advance(StreamNode& node) {
        Step step;
        node.ready = node.stream->next(horizon_, &step);
        if (!node.ready) {
            if (end_of(node) < final_before_) final_before_ = end_of(node);
            return;
        }
        DCHECK_LE(node.step.time, step.time);
        node.step = step;
        // A thread that slept while others went on comes with the time at which it began to wait.
        if (delayed_ && node.at() < merged_to_ && step.kind != Step::StepKind::GoOn)
            node.delay = merged_to_ - step.time;
    }
    // The node is no longer blocked.
    void proceed(StreamNode& node) {
        node.blocked = Blocked::No;
        node.stream->consume();
        advance(node);
        push(node);
        if (node.watchers != 0) tell_watchers(node, merged_to_);
    }

    // ---- Locks

    Lock& lock_at(Address a) {
        Lock*& lock = locks_[a];
        if (lock == nullptr) {
            lock = free_locks_;
            if (lock != nullptr)
                free_locks_ = lock->next;
            else
                lock = new (rt::allocate(sizeof(Lock), "memspy.order.lock")) Lock;
        }
        return *lock;
    }
    template <typename T>
    static void destroy(T* object) {
        object->~T();
        rt::release(object);
    }
    static void erase(rt::Vector<u32>& serials, u32 serial) {
        usize kept = 0;
        for (const u32 each : serials)
            if (each != serial) serials[kept++] = each;
        serials.resize(kept);
    }
    void drop_if_free(Address a, Lock& lock) {
        if (!lock.owners.empty() || !lock.queue.empty()) return;
        lock.next = free_locks_;
        free_locks_ = &lock;
        locks_.erase(a);
    }
    static LockOwner* owner(Lock& lock, u32 serial) {
        for (LockOwner& each : lock.owners)
            if (each.serial == serial) return &each;
        return nullptr;
    }
    // Removes owners that ended without releasing the lock.
    void forget_dead(Lock& lock) {
        usize kept = 0;
        for (const LockOwner& each : lock.owners)
            if (node_of(each.serial) != nullptr) lock.owners[kept++] = each;
        lock.owners.resize(kept);
    }
    static bool is_free_for(const Lock& lock, bool shared) {
        if (lock.owners.empty()) return true;
        if (!shared) return false;
        for (const LockOwner& each : lock.owners)
            if (!each.shared) return false;
        return true;
    }

    // Returns true if the node has the lock now.
    bool acquire(StreamNode& node) {
        Lock& lock = lock_at(node.step.lock);
        const bool shared = node.step.kind == Step::StepKind::AcquireShared;
        if (LockOwner* own = owner(lock, node.serial); own != nullptr) {
            ++own->depth;
            return true;
        }
        forget_dead(lock);
        // A waiting node is never overtaken.
        if (lock.queue.empty() && is_free_for(lock, shared)) {
            lock.owners.push_back(LockOwner{node.serial, 1, shared});
            what_if_.acquired(node.serial, node.step.time, node.step.lock, shared);
            return true;
        }
        lock.queue.push_back(node.serial);
        return false;
    }
    void leave_queue(const StreamNode& node) { erase(lock_at(node.step.lock).queue, node.serial); }
    // Gives the lock to the waiting node at time `now`. `from`: who released it.
    void grant(Lock& lock, StreamNode& node, Time now, u32 from) {
        const Step& step = node.step;
        const bool shared = step.kind == Step::StepKind::AcquireShared;
        lock.owners.push_back(LockOwner{node.serial, 1, shared});
        what_if_.acquired(node.serial, step.time, step.lock, shared);
        if (const Time arrival = node.at(); now > arrival) {
            waits_.add(step.lock, WaitKind::Lock, step.place, node.serial, from, now - arrival);
            node.delay += now - arrival;
            delayed_ = true;
        }
        proceed(node);
    }
    void release(const StreamNode& node, Time now) {
        const Address a = node.step.lock;
        Lock& lock = lock_at(a);
        LockOwner* own = owner(lock, node.serial);
        if (own == nullptr && node.step.any_owner && !lock.owners.empty()) own = &lock.owners[0];
        if (own != nullptr && --own->depth == 0) {
            what_if_.released(node.serial, node.step.time, a, own->shared);
            *own = lock.owners.back();
            lock.owners.pop_back();
            hand_on(lock, now, node.serial);
        }
        drop_if_free(a, lock);
    }
    // Gives the lock to the first node in the queue, and to further ones as long as they can share it.
    void hand_on(Lock& lock, Time now, u32 from) {
        while (!lock.queue.empty()) {
            StreamNode& first = *node_of(lock.queue[0]);
            if (!is_free_for(lock, first.step.kind == Step::StepKind::AcquireShared)) return;
            for (usize i = 1; i < lock.queue.size(); ++i) lock.queue[i - 1] = lock.queue[i];
            lock.queue.pop_back();
            grant(lock, first, now, from);
        }
    }

    // ---- Semaphores

    TokenQueue& semaphore_of(u64 number) {
        TokenQueue*& semaphore = semaphores_[number];
        if (semaphore == nullptr)
            semaphore = new (rt::allocate(sizeof(TokenQueue), "memspy.order.semaphore")) TokenQueue;
        return *semaphore;
    }
    // Returns true if the node has a token now.
    bool take_token(StreamNode& node) {
        TokenQueue& semaphore = semaphore_of(node.step.semaphore);
        if (semaphore.unknown > 0) {
            --semaphore.unknown;
            return true;
        }
        if (semaphore.next == semaphore.tokens.size()) {
            semaphore.queue.push_back(node.serial);
            return false;
        }
        const Token token = semaphore.tokens[semaphore.next++];
        if (semaphore.next == semaphore.tokens.size()) {
            semaphore.tokens.resize(0);
            semaphore.next = 0;
        }
        what_if_.went_on(node.serial, node.step.time, node.step.time, token.serial, token.when);
        return true;
    }
    // Gives the first waiting node the token at time `now`.
    void hand_to_first(TokenQueue& semaphore, Time now, Token by) {
        StreamNode& node = *node_of(semaphore.queue[0]);
        erase(semaphore.queue, node.serial);
        const Step& step = node.step;
        what_if_.went_on(node.serial, step.time, step.time, by.serial, by.when);
        if (const Time arrival = node.at(); now > arrival) {
            waits_.add(step.lock, WaitKind::Word, step.place, node.serial, by.serial, now - arrival);
            node.delay += now - arrival;
            delayed_ = true;
        }
        proceed(node);
    }
    void post(const StreamNode& node, Time now) {
        TokenQueue& semaphore = semaphore_of(node.step.semaphore);
        const Token token{node.serial, node.step.time};
        if (semaphore.unknown < 0) {
            ++semaphore.unknown;
        } else if (semaphore.queue.empty()) {
            semaphore.tokens.push_back(token);
        } else {
            hand_to_first(semaphore, now, token);
        }
    }

    // ---- Going on after others

    // Whether the thread has done everything before `when`, by its own clock.
    bool has_got_to(u32 serial, Time when) const {
        const StreamNode* node = node_of(serial);
        if (node == nullptr) return true;
        if (node->ready) return node->step.time >= when;
        return horizon_ >= when || is_waiting(*node->stream);
    }
    // It may have to wait for a lock just before, at the same time of its clock.
    bool has_got_to(u32 serial, Time when, u64 meeting) const {
        const StreamNode* node = node_of(serial);
        if (node == nullptr) return true;
        if (node->ready) return node->step.time > when || node->step.meeting == meeting;
        return horizon_ > when || is_waiting(*node->stream);
    }
    void note_arrivals(Gathering& meeting, Address barrier) {
        for (const Clocks::Arrival& arrival : meeting.arrivals) {
            what_if_.released(arrival.serial, arrival.time, barrier, false);
            const Time at = arrival.time + delay_of(arrival.serial);
            if (at < meeting.at) continue;
            meeting.at = at;
            meeting.last = arrival.serial;
        }
    }
    // Whether all have got to the meeting. If not, the node waits for one of them.
    bool have_met(StreamNode& node) {
        Gathering** const found = meetings_.find(node.step.meeting);
        if (found == nullptr || (*found)->missing == 0) return true;
        for (Gathering& meeting = **found; meeting.missing != 0; --meeting.missing) {
            const Clocks::Arrival& arrival = meeting.arrivals[meeting.missing - 1];
            node.step.other = arrival.serial;
            node.step.when = arrival.time;
            if (!has_got_to(arrival.serial, arrival.time, node.step.meeting)) return false;
        }
        note_arrivals(**found, node.step.lock);
        return true;
    }
    bool can_go_on(StreamNode& node) {
        if (node.step.meeting != 0) return have_met(node);
        return node.step.other == 0 || has_got_to(node.step.other, node.step.when);
    }
    // Returns when the meeting was complete, and changes the step's cause into who came last. For a node that is forced to
    // leave, the others come as late as they are now.
    Time leave_meeting(Step& step) {
        Gathering** const found = meetings_.find(step.meeting);
        if (found == nullptr) return 0;
        if ((*found)->missing != 0) note_arrivals(**found, step.lock);
        const Time at = (*found)->at;
        step.other = (*found)->last;
        if (--(*found)->inside == 0) {
            destroy(*found);
            meetings_.erase(step.meeting);
        }
        return at;
    }
    void go_on(StreamNode& node, Time now) {
        Step& step = node.step;
        Time released = 0;
        if (step.meeting != 0) {
            released = leave_meeting(step);
            what_if_.acquired(node.serial, step.time, step.lock, false);
            what_if_.went_on(node.serial, step.time, step.until, 0, 0);
        } else {
            if (step.other != 0) released = step.when + delay_of(step.other);
            what_if_.went_on(node.serial, step.time, step.until, step.other, step.when);
        }
        Time at = released > node.at() ? released : node.at();
        if (at < now && step.other == 0) at = now;
        if (const Time until = at > step.until ? at : step.until; until > node.at())
            waits_.add(step.lock, WaitKind::Word, step.place, node.serial, step.other, until - node.at());
        node.delay = at > step.until ? at - step.until : 0;
        // Between the steps of one wait the delay is what the last step has still to add to the clock.
        delayed_ = delayed_ || (node.delay != 0 && step.ends_wait);
        node.step.time = step.until;
    }
    void tell_watchers(const StreamNode& of, Time now) {
        const u32 serial = of.serial;
        for (usize i = 0; i < nodes_.size(); ++i) {
            StreamNode& node = nodes_[i];
            if (node.blocked != Blocked::ByOther || node.step.other != serial) continue;
            const bool can = can_go_on(node);
            if (!can && node.step.other == serial) continue;
            --node_of(serial)->watchers;
            if (can) {
                go_on(node, now);
                proceed(node);
            } else {
                watch(node, now);
            }
        }
    }

    // The node waits for the thread that its step names.
    void watch(StreamNode& node, Time now) {
        ++node_of(node.step.other)->watchers;
        block(node, Blocked::ByOther, now);
    }

    // ---- Cycles

    const StreamNode* whom_it_waits_for(const StreamNode& node) {
        switch (node.blocked) {
            case Blocked::No: return nullptr;
            case Blocked::ByToken:
            case Blocked::ByOther: return node_of(node.step.other);
            case Blocked::ByLock: {
                const Lock& lock = lock_at(node.step.lock);
                if (!lock.owners.empty()) return node_of(lock.owners[0].serial);
                return lock.queue[0] == node.serial ? nullptr : node_of(lock.queue[0]);
            }
        }
        return nullptr;
    }
    // The node has just been blocked. If that closed a cycle, opens it and returns true.
    bool open_circle(const StreamNode& start, Time now) {
        const StreamNode* at = whom_it_waits_for(start);
        for (usize i = 0; i <= nodes_.size() && at != nullptr && at != &start; ++i)
            at = whom_it_waits_for(*at);
        if (at != &start) return false;
        StreamNode* first = nullptr;
        do {
            StreamNode* const node = const_cast<StreamNode*>(at);
            const bool waits = node->blocked == Blocked::ByLock || node->blocked == Blocked::ByToken;
            if (waits && (first == nullptr || node->step.turn < first->step.turn)) first = node;
            at = whom_it_waits_for(*at);
        } while (at != &start);
        force_on(first == nullptr ? *const_cast<StreamNode*>(&start) : *first, now);
        return true;
    }
    void force_on(StreamNode& node, Time now) {
        ++forced_;
        // What it does next may be earlier by its own clock than steps that were replayed already.
        delayed_ = true;
        if (node.blocked == Blocked::ByLock) {
            leave_queue(node);
            Lock& lock = lock_at(node.step.lock);
            return grant(lock, node, now, lock.owners.empty() ? 0 : lock.owners[0].serial);
        }
        if (node.blocked == Blocked::ByToken) {
            TokenQueue& semaphore = semaphore_of(node.step.semaphore);
            erase(semaphore.queue, node.serial);
            --semaphore.unknown;
            if (now > node.at()) node.delay = now - node.step.time;
            return proceed(node);
        }
        if (StreamNode* other = node_of(node.step.other); other != nullptr) --other->watchers;
        go_on(node, now);
        proceed(node);
    }
    // No node can proceed: forces the blocked one that really went on first. Unless everything is to be replayed, only if
    // nobody can let one go on, and not a thread that still waits.
    bool force_any(bool everything) {
        StreamNode* first = nullptr;
        for (StreamNode& node : nodes_) {
            if (node.blocked == Blocked::No && !everything && !is_waiting(*node.stream)) return false;
            if (node.blocked != Blocked::No && (first == nullptr || node.step.turn < first->step.turn))
                first = &node;
        }
        if (first == nullptr || (first->step.turn == Step::kNotYet && !everything)) return false;
        force_on(*first, merged_to_ > first->at() ? merged_to_ : first->at());
        return true;
    }

    // ---- The loop

    u64 take(Time horizon, bool everything) {
        horizon_ = horizon;
        everything_ = everything;
        gather();
        u64 taken = 0;
        final_before_ = 0;
        for (;;) {
            if (heap_.empty()) {
                if (!force_any(everything)) return taken;
                continue;
            }
            Item current = heap_[0];
            if (!everything && delayed_ && current.at >= final_before_) {
                final_before_ = find_final();
                if (current.at >= final_before_) return taken;
            }
            pop();
            // As long as a stream remains the earliest, the heap does not change.
            for (;;) {
                StreamNode& node = *node_of(current.serial);
                if (current.at > merged_to_) merged_to_ = current.at;
                const Time before = node.step.time;
                if constexpr (requires { node.stream->alone_until(Time{}); })
                    node.stream->alone_until(alone_until(node, everything));
                if (!perform(node, current.at, &taken)) break;
                if (node.watchers != 0 && (!node.ready || node.step.time != before || node.step.meeting != 0))
                    tell_watchers(node, current.at);
                if (!node.ready) break;
                current.at = node.at();
                if ((!heap_.empty() && heap_[0].before(current)) ||
                    (delayed_ && !everything && current.at >= final_before_)) {
                    push(node);
                    break;
                }
            }
        }
    }

    // The time before which no other stream has a step, by the node's own clock, as long as the node only
    // makes accesses.
    Time alone_until(const StreamNode& node, bool everything) const {
        // A step of the node may let others continue, or take time.
        if (node.watchers != 0 || latency_ != 0) return 0;
        Time until = kEver;
        if (!heap_.empty()) until = heap_[0].at + (node.serial < heap_[0].serial ? 1 : 0);
        if (delayed_ && !everything && final_before_ < until) until = final_before_;
        if (until == kEver) return until;
        return until > node.delay ? until - node.delay : 0;
    }

    // Performs the node's current step. Returns false if the node is blocked.
    bool perform(StreamNode& node, Time now, u64* taken) {
        switch (node.step.kind) {
            case Step::StepKind::Access: {
                ++*taken;
                const u32 events = node.stream->consume();
                if (latency_ != 0 && events != 0) {
                    node.delay += Time{latency_} * events;
                    delayed_ = true;
                }
                advance(node);
                return true;
            }
            case Step::StepKind::Acquire:
            case Step::StepKind::AcquireShared:
                if (!acquire(node)) return block(node, Blocked::ByLock, now);
                break;
            case Step::StepKind::Release: release(node, now); break;
            case Step::StepKind::Take:
                if (!take_token(node)) return block(node, Blocked::ByToken, now);
                break;
            case Step::StepKind::Post: post(node, now); break;
            case Step::StepKind::GoOn:
                if (!can_go_on(node)) {
                    watch(node, now);
                    return false;
                }
                go_on(node, now);
                break;
            case Step::StepKind::Nothing:
            case Step::StepKind::Poll:
            case Step::StepKind::PollEnd: break;
        }
        node.stream->consume();
        advance(node);
        return true;
    }
    bool block(StreamNode& node, Blocked by, Time now) {
        node.blocked = by;
        open_circle(node, now);
        return false;
    }

    // Makes the heap of all streams that have a step before the horizon and are not blocked.
    void gather() {
        heap_.resize(0);
        for (StreamNode& node : nodes_) {
            if (!node.ready) advance(node);
            if (!node.ready || node.blocked != Blocked::No) continue;
            heap_.push_back({node.at(), node.serial});
        }
        for (usize i = heap_.size() / 2; i-- > 0;) sink(i);
        // With the horizon, threads without steps have advanced.
        for (usize i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].watchers != 0) tell_watchers(nodes_[i], merged_to_);
        // What was told since.
        for (usize i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].blocked != Blocked::ByToken) continue;
            TokenQueue& semaphore = semaphore_of(nodes_[i].step.semaphore);
            while (semaphore.unknown > 0 && !semaphore.queue.empty()) {
                --semaphore.unknown;
                hand_to_first(semaphore, merged_to_, {0, 0});
            }
            if (nodes_[i].blocked == Blocked::ByToken) open_circle(nodes_[i], merged_to_);
        }
    }

    // No new step can come before this time: streams with a step are known, the others continue at the
    // horizon.
    Time find_final() const {
        Time least = kEver;
        for (const StreamNode& node : nodes_)
            if (!node.ready && end_of(node) < least) least = end_of(node);
        return least;
    }
    // The earliest time of the next step of a stream that has none now.
    Time end_of(const StreamNode& node) const {
        const Time end = horizon_ + node.delay;
        return is_waiting(*node.stream) || end < horizon_ ? kEver : end;
    }
    static bool is_waiting(const Stream& stream) {
        if constexpr (requires { stream.waiting(); })
            return stream.waiting();
        else
            return false;
    }

    void push(const StreamNode& node) {
        if (!node.ready) return;
        heap_.push_back({node.at(), node.serial});
        for (usize i = heap_.size() - 1; i > 0 && heap_[i].before(heap_[(i - 1) / 2]); i = (i - 1) / 2) {
            const Item item = heap_[i];
            heap_[i] = heap_[(i - 1) / 2];
            heap_[(i - 1) / 2] = item;
        }
    }
    void pop() {
        heap_[0] = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) sink(0);
    }
    void sink(usize i) {
        Item item = heap_[i];
        for (;;) {
            usize child = 2 * i + 1;
            if (child >= heap_.size()) break;
            if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
            if (!heap_[child].before(item)) break;
            heap_[i] = heap_[child];
            i = child;
        }
        heap_[i] = item;
    }

    rt::Vector<StreamNode> nodes_;
    rt::Vector<u32> number_of_;      // index + 1 of the node, by serial
    rt::Vector<Time> final_delays_;  // by serial, of streams that were removed
    rt::Vector<Item> heap_;
    rt::HashMap<Lock*> locks_;
    rt::HashMap<TokenQueue*> semaphores_;  // by number
    rt::HashMap<Gathering*> meetings_;     // by number
    Lock* free_locks_ = nullptr;
    Waits waits_;
    WhatIf what_if_;
    Time merged_to_ = 0;  // virtual time of the step taken last
    Time horizon_ = 0;
    bool everything_ = false;  // the current run does not wait for streams without a step
    Time final_before_ = 0;    // all streams without a step will have their next one later
    u64 forced_ = 0;
    u32 latency_ = 0;
    bool delayed_ = false;  // some thread has had a delay
};

}  // namespace memspy::order
