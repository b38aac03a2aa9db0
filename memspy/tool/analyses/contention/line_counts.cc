// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/line_counts.h"

#include "order/recorder.h"
#include "rt/global.h"

namespace memspy::contention {
namespace {

rt::Global<Suspects> looked_at;

LineTally& tally_of(lines::LineNotes* notes) { return *reinterpret_cast<LineTally*>(notes); }

}  // namespace

Suspects& suspects() { return *looked_at; }

const lines::LineObserver kLineCounts = {
    .shared = [](u64 line) { return reinterpret_cast<lines::LineNotes*>(make_line_tally(line)); },
    .accessed = [](lines::LineNotes* line, Thread t, ObjectId object, const Place& place,
                   const LineAccess& access) { count_access(tally_of(line), t, object, place, access); },
    .accessed_often =
        [](lines::LineNotes* line, Thread t, ObjectId object, const LineAccess& part,
           const AccessCounts& accesses) { count_accesses(tally_of(line), t, object, part, accesses); },
    .had_events =
        [](View view, lines::LineNotes* line, Thread t, ObjectId object, const Place& place,
           const Events& events) {
            if (line != nullptr)
                charge(view, tally_of(line), t, object, place, events);
            else
                charge(view, t, object, place, events);
        },
    .taken = [](lines::LineNotes* line, const lines::Ownership& order) { note_stay(tally_of(line), order); },
    .blames = [](ObjectId object, u32 number,
                 u8& blamed) { return looked_at->blame(order::what_if(), object, number, blamed); },
    .read =
        [](Thread t, const AccessCounts& accesses, u64 instructions) {
            ThreadRow& row = thread_row(t);
            row.accesses.add(accesses);
            row.instructions += instructions;
        }};

}  // namespace memspy::contention
