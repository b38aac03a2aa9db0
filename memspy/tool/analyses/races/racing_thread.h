// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the detector knows of a thread. Its clock is that of its present *strand*: the thread itself, or the
// explicit task that it runs (openmp.h).
#pragma once

#include "analyses/races/openmp_functions.h"
#include "lines/lock_sets.h"
#include "log/records.h"
#include "rt/vector.h"

namespace memspy::races {

using lines::LockSet;
using threads::CallPath;
using threads::Thread;

struct LockHeld {
    Address lock;
    u32 depth;
    bool shared;
    u32 part;  // of the strand's run, in which it was taken
};

// A function of OpenMP's run-time that a thread is in, or code of the program that the run-time has called.
struct OmpFrame {
    OmpFunction function = OmpFunction::None;
    bool is_body = false;
    bool is_resolved = false;  // its path is known
    bool by_thread = false;    // a body that has asked for the number of its thread
    bool goes_on = false;      // a part of a task, after which others follow
    u32 left = 0;              // of teams that one thread runs: how many, with the present one
    CallPath path{};
    Address stack_pointer = 0, caller = 0;
    u32 team = 0, task = 0, group = 0;
    u32 strand = 0;    // before it
    Address word = 0;  // of a barrier: this meeting; of a task of libomp: its address
    Address body = 0;
};

struct RacingThread {
    Thread thread;
    u32 strand = 0;  // index of its clock
    u32 own_strand = 0;
    u32 turn = 0, turn_part = 0, turn_strand = 0;  // detector_state.h
    u32 races_of_turn = 0, races = 0;              // that it was followed after
    u32 luck_of_turn = 0;  // accesses that a lock has put in this order, no matter in which one
    // Functions on locks that it is in, outermost first.
    struct Call {
        CallPath path;
        log::LockEvent event;
        Address lock;
        Address meeting;  // at a barrier
        // Of an attempt: it is one of a mutex, whose owner is stored when it has succeeded.
        bool is_mutex = false, has_owner = false;
    };
    rt::Vector<Call> calls;
    rt::Vector<OmpFrame> omp;  // outermost first
    bool is_omp_worker = false;
    u32 times_dealt = 0, times_dealt_in_all = 0, times_begun = 0;
    Address target_stack = 0;      // where the stack of the present target region ends
    Address lowest = ~Address{0};  // that it has accessed of its stack since a task began or ended
    u32 parent = 0;                // serial
    rt::Vector<LockHeld> locks;
    LockSet held{}, read{};  // all locks, and those on the readers' side
    Address stack_pointer = 0;
    Address cleared = 0;  // by the kernel, at its end

    // Records that may be part of a loop that polls, by their hash.
    struct Look {
        u64 hash;
        u64 news;  // how often the thread had done something else then
        u32 times;
    };
    static constexpr u32 kLooks = 64;
    Look looks[kLooks] = {};
    u64 news = 0;
    // Words that such a loop loads again and again. The loop goes on while there is no news.
    struct AwaitedWord {
        Address first;
        u32 bytes;
    };
    static constexpr u32 kPolled = 8;
    AwaitedWord polled[kPolled] = {};
    u32 polled_count = 0;
    u64 polled_news = 0;

    bool is_polling(Address a) const {
        if (polled_news != news) return false;
        for (u32 i = 0; i < polled_count; ++i)
            if (a - polled[i].first < polled[i].bytes) return true;
        return false;
    }

    // Whether what it does now is the run-time's, not the program's.
    bool is_in_run_time() const { return omp.empty() ? is_omp_worker : !omp[omp.size() - 1].is_body; }
    bool knows_its_number() const { return !omp.empty() && omp[omp.size() - 1].by_thread; }
};

}  // namespace memspy::races
