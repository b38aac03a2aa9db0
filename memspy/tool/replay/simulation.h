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

#include "replay/lock_queues.h"
#include "replay/stream_heap.h"
#include "replay/stream_nodes.h"
#include "replay/waits.h"
#include "replay/what_if.h"

namespace memspy::replay {

// `Stream`: see stream_nodes.h. A simulation keeps pointers to streams that it does not own. No stream may be
// added or removed while a step is consumed. A horizon may not be less than the one before. All zeros is a
// valid empty object.
template <typename Stream>
class Simulation {
public:
    void set_latency(u32 units) { latency_ = units; }
    void add(Stream* stream) { nodes_.add(stream); }
    // The stream's remaining steps are not replayed.
    void remove(Stream* stream) {
        StreamNode& node = nodes_.of(stream);
        if (node.blocked == Blocked::ByLock) leave_queue(node);
        if (node.blocked == Blocked::ByToken)
            erase_serial(semaphores_.at(node.step.semaphore).queue, node.serial);
        nodes_.remove(node);
    }
    usize size() const { return nodes_.size(); }
    // Both return the number of accesses taken.
    u64 run(Time horizon) { return take(horizon, false); }
    u64 force(Time horizon) { return take(horizon, true); }
    // The semaphore has so many tokens more than its posts tell, from its beginning.
    void add_tokens(u64 semaphore, i64 tokens) { semaphores_.at(semaphore).unknown += tokens; }
    void forget_semaphore(u64 number) { semaphores_.forget(number); }
    // Those who leave the meeting go on when all have got there. Comes before the first one's GoOn step. They
    // wait for the last in `arrivals` first, so that should be who is likely to come last.
    void meet(u64 number, const rt::Vector<Arrival>& arrivals) { meetings_.begin(number, arrivals); }
    // The thread's current step is a Take, and it really took its token now. It was `other`'s.
    void tell_taken(u32 serial, u32 other, u64 turn) {
        StreamNode* const node = node_of(serial);
        if (node == nullptr || !node->ready || node->step.kind != Step::StepKind::Take) return;
        node->step.other = other;
        node->step.turn = turn;
    }

    // All steps of all streams before this time, by the threads' own clocks, have been replayed.
    Time replayed_until(Time horizon) const { return nodes_.replayed_until(horizon); }
    // While a step is taken: steps that no stream has yet come no earlier than this.
    Time final_before() const { return delayed_ && !everything_ ? final_before_ : nodes_.horizon(); }
    // Some thread has had a delay, so the steps are no longer in the order of the threads' own clocks.
    bool delayed() const { return delayed_; }
    u64 forced() const { return forced_; }
    Time now() const { return merged_to_; }
    Time delay_of(u32 serial) const { return nodes_.delay_of(serial); }
    // What a thread that waits for others has still to do comes no earlier than this.
    Time blocked_until(u32 serial) const {
        const StreamNode* node = nodes_.find(serial);
        return node != nullptr && node->blocked != Blocked::No ? merged_to_ : 0;
    }
    LockTaken held_by(u32 serial) const { return nodes_.held_by(serial); }
    Waits& waits() { return waits_; }
    WhatIf& what_if() { return what_if_; }

private:
    using StreamNode = typename StreamNodes<Stream>::StreamNode;
    using Blocked = typename StreamNodes<Stream>::Blocked;
    using Lock = LockQueues::Lock;
    using Token = TokenQueues::Token;
    using TokenQueue = TokenQueues::TokenQueue;
    using Gathering = Gatherings::Gathering;

    StreamNode* node_of(u32 serial) { return nodes_.find(serial); }

    // The current step is done: gets the next one.
    void advance(StreamNode& node) {
        Step step;
        node.ready = node.stream->next(nodes_.horizon(), &step);
        if (!node.ready) {
            if (nodes_.end_of(node) < final_before_) final_before_ = nodes_.end_of(node);
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

    // It has what it waited for since its step's time. `from`: who let it go on.
    void end_wait(StreamNode& node, WaitKind kind, Time now, u32 from) {
        if (const Time arrival = node.at(); now > arrival) {
            waits_.add(node.step.lock, kind, node.step.place, node.serial, from, arrival, now);
            node.delay += now - arrival;
            delayed_ = true;
        }
        proceed(node);
    }

    // ---- Locks
    void own(Lock& lock, StreamNode& node, bool shared) {
        lock.owners.push_back({node.serial, 1, shared});
        node.held.add({node.step.lock, shared});
        what_if_.acquired(node.serial, node.step.time, node.step.lock, shared);
    }
    // Returns true if the node has the lock now.
    bool acquire(StreamNode& node) {
        Lock& lock = locks_.at(node.step.lock);
        const bool shared = node.step.kind == Step::StepKind::AcquireShared;
        if (LockQueues::LockOwner* own = LockQueues::owner(lock, node.serial); own != nullptr) {
            ++own->depth;
            return true;
        }
        LockQueues::forget_dead(lock, [this](u32 serial) { return node_of(serial) == nullptr; });
        // A waiting node is never overtaken.
        const bool free = lock.queue.empty() && LockQueues::is_free_for(lock, shared);
        if (free)
            own(lock, node, shared);
        else
            lock.queue.push_back(node.serial);
        return free;
    }
    void leave_queue(const StreamNode& node) { erase_serial(locks_.at(node.step.lock).queue, node.serial); }
    // Gives the lock to the waiting node at time `now`. `from`: who released it.
    void grant(Lock& lock, StreamNode& node, Time now, u32 from) {
        own(lock, node, node.step.kind == Step::StepKind::AcquireShared);
        end_wait(node, WaitKind::Lock, now, from);
    }
    void release(const StreamNode& node, Time now) {
        const Address a = node.step.lock;
        Lock& lock = locks_.at(a);
        LockQueues::LockOwner* own = LockQueues::owner(lock, node.serial);
        if (own == nullptr && node.step.any_owner && !lock.owners.empty()) own = &lock.owners[0];
        if (own != nullptr && --own->depth == 0) {
            what_if_.released(node.serial, node.step.time, a, own->shared);
            nodes_.gave(own->serial, a);
            *own = lock.owners.back();
            lock.owners.pop_back();
            hand_on(lock, now, node.serial);
        }
        locks_.drop_if_free(a, lock);
    }
    // Gives the lock to the first node in the queue, and to further ones as long as they can share it.
    void hand_on(Lock& lock, Time now, u32 from) {
        while (!lock.queue.empty()) {
            StreamNode& first = *node_of(lock.queue[0]);
            if (!LockQueues::is_free_for(lock, first.step.kind == Step::StepKind::AcquireShared)) return;
            erase_serial(lock.queue, first.serial);
            grant(lock, first, now, from);
        }
    }

    // ---- Semaphores
    // Returns true if the node has a token now.
    bool take_token(StreamNode& node) {
        TokenQueue& semaphore = semaphores_.at(node.step.semaphore);
        if (semaphore.unknown > 0) {
            --semaphore.unknown;
            return true;
        }
        if (!semaphore.has_token()) {
            semaphore.queue.push_back(node.serial);
            return false;
        }
        const Token token = semaphore.take();
        what_if_.went_on(node.serial, node.step.time, node.step.time, token.serial, token.when);
        return true;
    }
    // Gives the first waiting node the token at time `now`.
    void hand_to_first(TokenQueue& semaphore, Time now, Token by) {
        StreamNode& node = *node_of(semaphore.queue[0]);
        erase_serial(semaphore.queue, node.serial);
        what_if_.went_on(node.serial, node.step.time, node.step.time, by.serial, by.when);
        end_wait(node, WaitKind::Word, now, by.serial);
    }
    void post(const StreamNode& node, Time now) {
        TokenQueue& semaphore = semaphores_.at(node.step.semaphore);
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
    void note_arrivals(Gathering& meeting, Address barrier) {
        for (const Arrival& arrival : meeting.arrivals) {
            what_if_.released(arrival.serial, arrival.time, barrier, false);
            const Time at = arrival.time + delay_of(arrival.serial);
            if (at < meeting.at) continue;
            meeting.at = at;
            meeting.last = arrival.serial;
        }
    }
    // Whether all have got to the meeting. If not, the node waits for one of them.
    bool have_met(StreamNode& node) {
        Gathering* const found = meetings_.find(node.step.meeting);
        if (found == nullptr || found->missing == 0) return true;
        for (Gathering& meeting = *found; meeting.missing != 0; --meeting.missing) {
            const Arrival& arrival = meeting.arrivals[meeting.missing - 1];
            node.step.other = arrival.serial;
            node.step.when = arrival.time;
            if (!nodes_.has_got_to(arrival.serial, arrival.time, node.step.meeting)) return false;
        }
        note_arrivals(*found, node.step.lock);
        return true;
    }
    bool can_go_on(StreamNode& node) {
        if (node.step.meeting != 0) return have_met(node);
        return node.step.other == 0 || nodes_.has_got_to(node.step.other, node.step.when);
    }
    // Returns when the meeting was complete, and changes the step's cause into who came last. For a node that
    // is forced to leave, the others come as late as they are now.
    Time leave_meeting(Step& step) {
        Gathering* const found = meetings_.find(step.meeting);
        if (found == nullptr) return 0;
        if (found->missing != 0) note_arrivals(*found, step.lock);
        const Time at = found->at;
        step.other = found->last;
        if (--found->inside == 0) meetings_.end(step.meeting);
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
            waits_.add(step.lock, WaitKind::Word, step.place, node.serial, step.other, node.at(), until);
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
            case Blocked::ByLock:
                return node_of(LockQueues::is_behind(locks_.at(node.step.lock), node.serial));
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
            Lock& lock = locks_.at(node.step.lock);
            return grant(lock, node, now, lock.owners.empty() ? 0 : lock.owners[0].serial);
        }
        if (node.blocked == Blocked::ByToken) {
            TokenQueue& semaphore = semaphores_.at(node.step.semaphore);
            erase_serial(semaphore.queue, node.serial);
            --semaphore.unknown;
            if (now > node.at()) node.delay = now - node.step.time;
            return proceed(node);
        }
        if (StreamNode* other = node_of(node.step.other); other != nullptr) --other->watchers;
        go_on(node, now);
        proceed(node);
    }
    // No node can proceed: forces the blocked one that really went on first. Unless everything is to be
    // replayed, only if nobody can let one go on, and not a thread that still waits.
    bool force_any(bool everything) {
        StreamNode* first = nullptr;
        for (StreamNode& node : nodes_) {
            if (node.blocked == Blocked::No && !everything && !nodes_.is_waiting(*node.stream)) return false;
            if (node.blocked != Blocked::No && (first == nullptr || node.step.turn < first->step.turn))
                first = &node;
        }
        if (first == nullptr || (first->step.turn == Step::kNotYet && !everything)) return false;
        force_on(*first, merged_to_ > first->at() ? merged_to_ : first->at());
        return true;
    }

    // ---- The loop
    u64 take(Time horizon, bool everything) {
        nodes_.set_horizon(horizon);
        everything_ = everything;
        gather();
        u64 taken = 0;
        final_before_ = 0;
        for (;;) {
            if (heap_.empty()) {
                if (!force_any(everything)) return taken;
                continue;
            }
            StreamHeap::Item current = heap_.first();
            if (!everything && delayed_ && current.at >= final_before_) {
                final_before_ = nodes_.find_final();
                if (current.at >= final_before_) return taken;
            }
            heap_.pop();
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
                if ((!heap_.empty() && heap_.first().before(current)) ||
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
        Time until = kNever;
        if (!heap_.empty()) until = heap_.first().at + (node.serial < heap_.first().serial ? 1 : 0);
        if (delayed_ && !everything && final_before_ < until) until = final_before_;
        if (until == kNever) return until;
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
        heap_.clear();
        for (StreamNode& node : nodes_) {
            if (!node.ready) advance(node);
            if (!node.ready || node.blocked != Blocked::No) continue;
            heap_.add({node.at(), node.serial});
        }
        heap_.sort();
        // With the horizon, threads without steps have advanced.
        for (usize i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].watchers != 0) tell_watchers(nodes_[i], merged_to_);
        // What was told since.
        for (usize i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].blocked != Blocked::ByToken) continue;
            TokenQueue& semaphore = semaphores_.at(nodes_[i].step.semaphore);
            while (semaphore.unknown > 0 && !semaphore.queue.empty()) {
                --semaphore.unknown;
                hand_to_first(semaphore, merged_to_, {0, 0});
            }
            if (nodes_[i].blocked == Blocked::ByToken) open_circle(nodes_[i], merged_to_);
        }
    }

    // The node's step is one of those to be taken, if it has one.
    void push(const StreamNode& node) {
        if (node.ready) heap_.push({node.at(), node.serial});
    }

    StreamNodes<Stream> nodes_;
    StreamHeap heap_;  // of those that can take a step
    LockQueues locks_;
    TokenQueues semaphores_;
    Gatherings meetings_;
    Waits waits_;
    WhatIf what_if_;
    Time merged_to_ = 0;       // virtual time of the step taken last
    bool everything_ = false;  // the current run does not wait for streams without a step
    Time final_before_ = 0;    // all streams without a step will have their next one later
    u64 forced_ = 0;
    u32 latency_ = 0;
    bool delayed_ = false;  // some thread has had a delay
};

}  // namespace memspy::replay
