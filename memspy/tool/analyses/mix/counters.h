// SPDX-License-Identifier: GPL-2.0-or-later
//
// The memory of threads for the counters of generated code, and the sums of functions.
#pragma once

#include "analyses/mix/figures.h"
#include "rt/hash_map.h"
#include "threads/thread.h"

namespace memspy::mix {

// Figures by function and thread.
class MixRows {
public:
    MixFigures& at(u32 function, u32 thread);
    template <typename F>
    void for_each(F f) {  // f(function, thread, figures)
        for (const RowEntry& entry : entries_) f(entry.function, entry.thread, entry.figures);
    }
    void clear();

private:
    struct RowEntry {
        u32 function, thread;
        MixFigures figures;
    };
    rt::HashMap<u32> index_;  // + 1
    rt::Vector<RowEntry> entries_;
};

void start_counters();
void thread_runs(threads::Thread t);
void thread_gone(threads::Thread t);
void forget_counters();
// Adds what all threads have counted so far.
void add_counts(MixRows& rows);

}  // namespace memspy::mix
