// SPDX-License-Identifier: GPL-2.0-or-later
//
// LineObserver: what the order of threads tells of the cache lines that several threads use. An analysis that
// counts who is in whose way gives its functions with observe(). Without one the order is the same: nobody is
// told.
//
// Events come under two views: the *observed* order of the real run, from the first reading of the log, and
// the *modelled* one of virtual time, from the merge (recorder.h). Within a view a line's events come in
// their order.
#pragma once

#include "lines/ownership.h"
#include "places/place.h"

namespace memspy::lines {

using places::ObjectId;
using places::Place;

enum class View : u8 { Observed, Modelled };
inline constexpr u32 kViews = 2;

struct AccessCounts {
    u64 loads = 0, stores = 0;
    // More of either kind, which were not logged (log/quiet_lines.h): of threads and in total only.
    u64 passed = 0;
    u64 all() const { return loads + stores + passed; }
    void add(const AccessCounts& other) {
        passed += other.passed;
        loads += other.loads;
        stores += other.stores;
    }
};

struct LineSample;

// What an observer keeps with a line that has a record. The order only hands it back.
struct LineNotes;

struct LineObserver {
    // The line gets a record: two threads use it. The notes come with the line's later events.
    LineNotes* (*shared)(u64 line) = [](u64) -> LineNotes* { return nullptr; };
    // One access to it, told once, by the modelled order. `object` owns the accessed bytes.
    void (*accessed)(LineNotes* notes, Thread t, ObjectId object, const Place& place,
                     const LineAccess& access) = [](LineNotes*, Thread, ObjectId, const Place&,
                                                    const LineAccess&) {};
    // Many at once: `part` has their bytes.
    void (*accessed_often)(LineNotes* notes, Thread t, ObjectId object, const LineAccess& part,
                           const AccessCounts& accesses) = [](LineNotes*, Thread, ObjectId, const LineAccess&,
                                                              const AccessCounts&) {};
    // The thread waits at the line, and has looked at it again because it had lost it. That is no access of the
    // program's, but the thread uses these bytes.
    void (*looked)(LineNotes* notes, Thread t, const LineAccess& look) = [](LineNotes*, Thread,
                                                                            const LineAccess&) {};
    // An access had events under one view, at least one. `notes` is null for a line without a record.
    void (*had_events)(View view, LineNotes* notes, Thread t, ObjectId object, const Place& place,
                       const Events& events) = [](View, LineNotes*, Thread, ObjectId, const Place&,
                                                  const Events&) {};
    // In the modelled order a store is about to take the line from others. What each of them has used of it can
    // be read now (read_stay).
    void (*taken)(LineNotes* notes, const Ownership& line) = [](LineNotes*, const Ownership&) {};
    // It has so many events. Returns whose share of time they are (WhatIf), or
    // WhatIf::kNoSuspect. `blamed` belongs to the line and is 0 at first.
    u32 (*blames)(ObjectId object, u32 number, u8& blamed) = [](ObjectId, u32, u8&) { return ~u32{0}; };
    // A part of the thread's log has been read: all its accesses, those to lines of its own too.
    void (*read)(Thread t, const AccessCounts& accesses, u64 instructions) = [](Thread, const AccessCounts&,
                                                                                u64) {};
    // What threads did to neighbouring lines for a while (line_sampler.h). Null: nothing is sampled. Returns
    // whether more samples are worth their time.
    bool (*sampled)(const LineSample& sample) = nullptr;
    // The thread has ended, and all that it did has been told.
    void (*gone)(Thread t) = [](Thread) {};
};

}  // namespace memspy::lines
