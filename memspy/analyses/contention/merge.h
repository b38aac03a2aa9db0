// SPDX-License-Identifier: GPL-2.0-or-later
//
// The merge by virtual time: takes from several streams of timed accesses, one per thread, each in ascending
// time, the earliest first, by (time, serial, sequence in the stream), up to a horizon.
//
// With a coherence latency L, each event of a thread delays all its later accesses by L units; streams are
// then ordered by time + the thread's delay so far. What is before the horizon is then not yet final: a
// thread with less delay may still come in before it. So an access waits until all other streams have got
// that far, and may stay in its stream over several runs. A thread that waits holds nobody up; its delay is
// lifted when it goes on, as is that of a new thread: nothing happens earlier than what was merged already.
// force() does not wait.
#pragma once

#include "rt/vector.h"
#include "threads/clocks.h"

namespace memspy::contention {

using threads::Thread;
using threads::Time;

// `Stream` is a class with
//   Thread thread() const;
//   bool next(Time horizon, Time* time);   makes the next access current, if there is one before `horizon`;
//                                          not called again before that one is consumed
//   u32 consume();                         handles the current access; gives the number of its events
//   bool waiting() const;                  if there is such a function: the thread is blocked or
//                                          gone, and its log has nothing more, be it behind the horizon
// A merge keeps pointers to streams that it does not own. None may be added or removed while one is consumed.
// Without latency, a run takes everything before the horizon. No horizon may be less than the one before.
template <typename Stream>
class Merge {
public:
    void set_latency(u32 units) { latency_ = units; }

    void add(Stream* stream) {
        Node node;
        node.stream = stream;
        node.serial = stream->thread().serial;
        nodes_.push_back(node);
    }
    // What it still holds is not merged.
    void remove(Stream* stream) {
        usize i = 0;
        while (i < nodes_.size() && nodes_[i].stream != stream) ++i;
        CHECK_LT(i, nodes_.size());
        nodes_[i] = nodes_.back();
        nodes_.pop_back();
    }
    usize size() const { return nodes_.size(); }

    // Both give the number of accesses taken.
    u64 run(Time horizon) { return take(horizon, latency_ == 0); }
    u64 force(Time horizon) { return take(horizon, true); }

private:
    static constexpr Time kEver = ~Time{0};

    struct Node {
        Stream* stream = nullptr;
        Time time = 0;  // of the current access, without delay
        Time delay = 0;
        u32 serial = 0;
        bool ready = false;  // has a current access
    };
    struct Item {
        Time at = 0;  // with delay
        u32 serial = 0;
        u32 node = 0;

        bool before(const Item& other) const {
            return at != other.at ? at < other.at : serial < other.serial;
        }
    };

    u64 take(Time horizon, bool everything) {
        gather(horizon);
        if (heap_.empty()) return 0;
        u64 taken = 0;
        Time bound = everything ? kEver : final_before(horizon);
        // The current item stays out of the heap, so that a stream that remains the earliest moves nothing.
        Item current = heap_[0];
        pop();
        for (;;) {
            if (current.at >= bound && !everything) {
                bound = final_before(horizon);
                if (current.at >= bound) return taken;
            }
            Node& node = nodes_[current.node];
            u32 events = node.stream->consume();
            ++taken;
            if (latency_ != 0) {
                merged_to_ = current.at;
                node.delay += Time{latency_} * events;
            }
            Time time = 0;
            if (node.stream->next(horizon, &time)) {
                DCHECK_LE(node.time, time);
                node.time = time;
                current.at = time + node.delay;
                if (!heap_.empty() && heap_[0].before(current)) {
                    Item earliest = heap_[0];
                    heap_[0] = current;
                    sink(0);
                    current = earliest;
                }
            } else {
                node.ready = false;
                if (heap_.empty()) return taken;
                if (!everything && end_of(node, horizon) < bound) bound = end_of(node, horizon);
                current = heap_[0];
                pop();
            }
        }
    }

    // Makes the heap of all streams that have an access before the horizon.
    void gather(Time horizon) {
        heap_.resize(0);
        for (usize i = 0; i < nodes_.size(); ++i) {
            Node& node = nodes_[i];
            if (!node.ready) {
                if (!node.stream->next(horizon, &node.time)) continue;
                node.ready = true;
                if (latency_ != 0 && node.time + node.delay < merged_to_) node.delay = merged_to_ - node.time;
            }
            heap_.push_back({node.time + node.delay, node.serial, static_cast<u32>(i)});
        }
        for (usize i = heap_.size() / 2; i-- > 0;) sink(i);
    }

    // Nothing new can come before this: streams that have an access are in the heap, the others go on at the
    // horizon.
    Time final_before(Time horizon) {
        Time least = kEver;
        for (const Node& node : nodes_)
            if (!node.ready && end_of(node, horizon) < least) least = end_of(node, horizon);
        return least;
    }
    // What a stream without an access can come up with is not before this.
    static Time end_of(const Node& node, Time horizon) {
        Time end = horizon + node.delay;
        return is_waiting(*node.stream) || end < horizon ? kEver : end;
    }
    static bool is_waiting(const Stream& stream) {
        if constexpr (requires { stream.waiting(); })
            return stream.waiting();
        else
            return false;
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

    rt::Vector<Node> nodes_;
    rt::Vector<Item> heap_;
    Time merged_to_ = 0;  // with latency: delayed time of the access taken last
    u32 latency_ = 0;
};

}  // namespace memspy::contention
