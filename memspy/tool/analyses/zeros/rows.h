// SPDX-License-Identifier: GPL-2.0-or-later
//
// From counters to rows and totals. No Valgrind here.
#pragma once

#include "analyses/zeros/sites.h"
#include "rt/hash_map.h"

namespace memspy::zeros {

// The loads of threads that have ended, by site and path. They are kept here because the threads' counters
// are gone.
class EndedRows {
public:
    void begin_thread(u32 serial);
    void add(SiteNumber number, threads::CallPath path, const u64* counters);
    void end_thread();
    void clear();

private:
    friend class RowBuilder;
    struct EndedRow {
        u64 key;
        u32 threads;  // the number of threads with such loads
        u32 last;     // the last of these threads: its index in threads_ + 1
        LoadCounts counts;
    };
    rt::HashMap<u32> entry_of_;  // index + 1
    rt::Vector<EndedRow> entries_;
    rt::Vector<ThreadTotals> threads_;
};

// A report of the counts of ended and living threads. Counters that were added must not change until give().
class RowBuilder {
public:
    void add_ended(const EndedRows& ended);
    void expect(usize more) { parts_.reserve(parts_.size() + more); }  // announces that many calls of add()
    void begin_thread(u32 serial);
    void add(SiteNumber number, threads::CallPath path, const u64* counters);
    void end_thread();
    // Fills an empty report. Leaves out a row with less than 1/`parts` of all loads and of all redundant
    // cells.
    void give(CodeReport& report, u64 parts);

private:
    struct ThreadPart {
        u64 key;
        union {
            const u64* counters;               // of a living thread
            const EndedRows::EndedRow* ended;  // if `thread` is 0: counts of ended threads
        };
        u32 thread;
    };
    rt::Vector<ThreadPart> parts_;
    rt::Vector<ThreadTotals> threads_;
};

}  // namespace memspy::zeros
