// SPDX-License-Identifier: GPL-2.0-or-later
//
// Foreseen: numbers that a consumer looked up for records which it gets later in the replay's order. First
// in, first out, for each thread; for each record the consumer takes as many as it put there.
#pragma once

#include <new>

#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::log {

class ForeseenQueue {
public:
    void put(u32 number) {
        if (taken_ == numbers_.size()) {
            numbers_.resize(0);
            taken_ = 0;
        } else if (taken_ >= kWorthMoving && taken_ * 2 > numbers_.size()) {
            make_room();
        }
        numbers_.push_back(number);
    }
    u32 take() { return numbers_[taken_++]; }
    bool empty() const { return taken_ == numbers_.size(); }

private:
    static constexpr usize kWorthMoving = 4096;
    void make_room() {
        const usize left = numbers_.size() - taken_;
        for (usize i = 0; i < left; ++i) numbers_[i] = numbers_[taken_ + i];
        numbers_.resize(left);
        taken_ = 0;
    }

    rt::Vector<u32> numbers_;
    usize taken_ = 0;
};

// All zeros is an empty one, so that it can be an rt::Global.
class Foreseen {
public:
    // A slot belongs to another thread only when all numbers of the one before have been taken.
    ForeseenQueue& of(threads::Thread t) {
        while (queues_.size() <= t.slot) queues_.push_back(nullptr);
        ForeseenQueue*& queue = queues_[t.slot];
        if (queue == nullptr)
            queue = new (rt::allocate(sizeof(ForeseenQueue), "memspy.foreseen")) ForeseenQueue;
        return *queue;
    }
    void clear() {
        for (ForeseenQueue* queue : queues_) {
            if (queue == nullptr) continue;
            queue->~ForeseenQueue();
            rt::release(queue);
        }
        queues_.clear();
    }

private:
    rt::Vector<ForeseenQueue*> queues_;  // by slot
};

}  // namespace memspy::log
