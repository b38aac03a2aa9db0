// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parts of windows that this rank has locked: who waits for one may wait for this rank, not for the part's owner. No
// Valgrind here.
#pragma once

#include "rt/vector.h"

namespace memspy::mpi {

enum class CommId : u32;

struct WindowLock {
    CommId window;
    i32 target;  // in MPI_COMM_WORLD; negative: all
    bool is_exclusive;
};

class HeldLocks {
public:
    void take(const WindowLock& lock) { held_.push_back(lock); }
    void give_back(CommId window, i32 target) {
        for (usize i = held_.size(); i-- > 0;) {
            if (held_[i].window != window || held_[i].target != target) continue;
            held_[i] = held_[held_.size() - 1];
            return held_.pop_back();
        }
    }
    bool is_exclusive(CommId window, i32 target) const {
        for (const WindowLock& lock : held_)
            if (lock.window == window && lock.target == target && lock.is_exclusive) return true;
        return false;
    }
    const rt::Vector<WindowLock>& all() const { return held_; }
    void clear() { held_.clear(); }

private:
    rt::Vector<WindowLock> held_;
};

}  // namespace memspy::mpi
