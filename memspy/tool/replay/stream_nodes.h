// SPDX-License-Identifier: GPL-2.0-or-later
//
// StreamNodes: how far each stream of the replay has got (simulation.h).
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
#pragma once

#include "replay/lock_queues.h"
#include "replay/step.h"

namespace memspy::replay {

template <typename Stream>
class StreamNodes {
public:
    enum class Blocked : u8 { No, ByLock, ByToken, ByOther };
    struct StreamNode {
        Stream* stream = nullptr;
        Step step;  // the current one
        Time delay = 0;
        u32 serial = 0;
        u32 watchers = 0;    // number of nodes that wait for its progress
        bool ready = false;  // has a current step
        Blocked blocked = Blocked::No;
        LocksTaken held;

        Time at() const { return step.time + delay; }
    };

    void add(Stream* stream) {
        StreamNode node;
        node.stream = stream;
        node.serial = stream->thread().serial;
        nodes_.push_back(node);
        number(nodes_.size() - 1);
    }
    StreamNode& of(const Stream* stream) {
        usize i = 0;
        while (i < nodes_.size() && nodes_[i].stream != stream) ++i;
        CHECK_LT(i, nodes_.size());
        return nodes_[i];
    }
    void remove(StreamNode& node) {
        const u32 serial = node.serial;
        while (final_delays_.size() <= serial) final_delays_.push_back(0);
        final_delays_[serial] = node.delay;
        const usize i = number_of_[serial] - 1;
        number_of_[serial] = 0;
        nodes_[i] = nodes_.back();
        nodes_.pop_back();
        if (i < nodes_.size()) number(i);
    }
    StreamNode* find(u32 serial) {
        const u32 number = serial < number_of_.size() ? number_of_[serial] : 0;
        return number == 0 ? nullptr : &nodes_[number - 1];
    }
    const StreamNode* find(u32 serial) const { return const_cast<StreamNodes*>(this)->find(serial); }
    usize size() const { return nodes_.size(); }
    // The lock that the thread took first of those that it holds now.
    LockTaken held_by(u32 serial) const {
        const StreamNode* node = find(serial);
        return node == nullptr ? LockTaken{} : node->held.first();
    }
    void gave(u32 serial, Address lock) {
        if (StreamNode* node = find(serial); node != nullptr) node->held.remove(lock);
    }
    StreamNode& operator[](usize i) { return nodes_[i]; }
    StreamNode* begin() { return nodes_.begin(); }
    StreamNode* end() { return nodes_.end(); }
    const StreamNode* begin() const { return nodes_.begin(); }
    const StreamNode* end() const { return nodes_.end(); }

    // Of streams that were removed, too.
    Time delay_of(u32 serial) const {
        const StreamNode* node = find(serial);
        return node != nullptr ? node->delay : serial < final_delays_.size() ? final_delays_[serial] : 0;
    }

    // Steps before this time are asked for.
    Time horizon() const { return horizon_; }
    void set_horizon(Time horizon) { horizon_ = horizon; }
    // Whether the thread has done everything before `when`, by its own clock.
    bool has_got_to(u32 serial, Time when) const {
        const StreamNode* node = find(serial);
        if (node == nullptr) return true;
        if (node->ready) return node->step.time >= when;
        return horizon_ >= when || is_waiting(*node->stream);
    }
    // It may have to wait for a lock just before, at the same time of its clock.
    bool has_got_to(u32 serial, Time when, u64 meeting) const {
        const StreamNode* node = find(serial);
        if (node == nullptr) return true;
        if (node->ready) return node->step.time > when || node->step.meeting == meeting;
        return horizon_ > when || is_waiting(*node->stream);
    }
    // Streams with a step have replayed all before it.
    Time replayed_until(Time horizon) const {
        for (const StreamNode& node : nodes_)
            if (node.ready && node.step.time < horizon) horizon = node.step.time;
        return horizon;
    }
    // No new step can come before this time: streams with a step are known, the others continue at the
    // horizon.
    Time find_final() const {
        Time least = kNever;
        for (const StreamNode& node : nodes_)
            if (!node.ready && end_of(node) < least) least = end_of(node);
        return least;
    }
    // The earliest time of the next step of a stream that has none now.
    Time end_of(const StreamNode& node) const {
        const Time end = horizon_ + node.delay;
        return is_waiting(*node.stream) || end < horizon_ ? kNever : end;
    }
    static bool is_waiting(const Stream& stream) {
        if constexpr (requires { stream.waiting(); })
            return stream.waiting();
        else
            return false;
    }

private:
    void number(usize i) {
        const u32 serial = nodes_[i].serial;
        while (number_of_.size() <= serial) number_of_.push_back(0);
        number_of_[serial] = static_cast<u32>(i + 1);
    }

    rt::Vector<StreamNode> nodes_;
    rt::Vector<u32> number_of_;      // index + 1 of the node, by serial
    rt::Vector<Time> final_delays_;  // by serial, of streams that were removed
    Time horizon_ = 0;
};

}  // namespace memspy::replay
