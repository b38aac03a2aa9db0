// SPDX-License-Identifier: GPL-2.0-or-later
//
// From counters to rows and totals. No Valgrind here.
#pragma once

#include "analyses/zeros/sites.h"
#include "rt/hash_map.h"

namespace memspy::zeros {

// The program's loads by site and path, kept after the counters they were read from are gone: those of
// threads that have ended.
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
        u32 threads;  // that did such loads
        u32 last;     // the last of these, by its place in threads_ + 1
        LoadCounts counts;
    };
    rt::HashMap<u32> entry_of_;  // index + 1
    rt::Vector<EndedRow> entries_;
    rt::Vector<ThreadTotals> threads_;
};

// A report of the counts of ended and living threads. Everything that is added must stay as it is until
// give().
class RowBuilder {
public:
    void add_ended(const EndedRows& ended);
    void expect(usize more) { parts_.reserve(parts_.size() + more); }  // so many add()
    void begin_thread(u32 serial);
    void add(SiteNumber number, threads::CallPath path, const u64* counters);
    void end_thread();
    // Fills an empty report. A row with less than 1/`parts` of all loads, and of all redundant cells, is left
    // out.
    void give(CodeReport& report, u64 parts);

private:
    struct ThreadPart {
        u64 key;
        union {
            const u64* counters;               // of a thread that lives
            const EndedRows::EndedRow* ended;  // when `thread` is 0: counts of ended ones
        };
        u32 thread;
    };
    rt::Vector<ThreadPart> parts_;
    rt::Vector<ThreadTotals> threads_;
};

}  // namespace memspy::zeros
