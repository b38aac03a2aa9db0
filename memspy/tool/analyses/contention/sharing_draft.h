// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report while it is made, in three steps: `collect` reads the tally, `link` puts objects together that
// hinder each other, `rank` makes groups of them and decides which are findings (sharing_report.h has the
// rules).
#pragma once

#include "remedies/sharing_report.h"
#include "rt/disjoint_sets.h"

namespace memspy::contention {

using namespace remedies;

inline constexpr u32 kPairsOfObject = 16;

// The threads that an object's events are with.
struct ObjectPairs {
    struct ThreadPair {
        u32 other;
        u64 events;
    };
    ThreadPair most[kPairsOfObject];  // most events first
    u32 count;
    u64 all;
};

// The counts of an object by the code that makes them, each by view.
struct ObjectMakers {
    CoherenceCounts program[kViews], runtime[kViews];
};

// A contended line: its counts are read when they are needed.
struct BusyLine {
    u64 line, peak;
    AccessCounts accesses;
};
inline SharingFigures figures_of(const BusyLine& busy) {
    SharingFigures figures{.accesses = busy.accesses};
    const LineRow& counted = *find_line_counts(busy.line);
    for (u32 view = 0; view < kViews; ++view) figures.counts[view] = counted.counts[view];
    return figures;
}

struct LineUser {
    u32 line, object;  // later the root of its set, then its group
    bool operator==(const LineUser&) const = default;
};

struct Draft {
    explicit Draft(SharingReport& target) : report(target) {}

    u32 index_of(ObjectId id);

    SharingReport& report;
    rt::Vector<BusyLine> lines;       // most events first
    rt::Vector<ObjectMakers> makers;  // by object, as the next
    rt::Vector<ObjectPairs> object_pairs;
    rt::Vector<Extent> known_extents;  // of the present line
    rt::DisjointSets groups;           // of objects
    rt::Vector<u8> bystanders;         // by object: 1 for one that is only in the way of another one's events
    rt::Vector<LineUser> line_users;   // the users of lines, except those that hardly touch them
};

void collect(Draft& d);
void link(Draft& d);
void rank(Draft& d);

// Whether the object belongs to the C library or an OpenMP library.
bool owned_by_runtime(const Object& owner);

// Adds the ranges of the line, and the owners of their bytes.
void read_ranges(Draft& d, u64 line, rt::Vector<ReportRange>& ranges);

}  // namespace memspy::contention
