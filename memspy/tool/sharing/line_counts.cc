// SPDX-License-Identifier: GPL-2.0-or-later
#include "sharing/line_counts.h"

#include "log/records.h"
#include "order/recorder.h"
#include "places/objects.h"
#include "rt/global.h"

namespace memspy::sharing {
namespace {

rt::Global<Suspects> looked_at;
rt::Global<rt::HashMap<u32>> families;  // object of the first block, by allocation and size
rt::Global<UnderLocks> guarded;

LineTally& tally_of(lines::LineNotes* notes) { return *reinterpret_cast<LineTally*>(notes); }

void note_lock(Thread t, ObjectId object, const Events& events) {
    const u32 number = u32{events.coherence} + events.invalidation;
    if (number == 0) return;
    guarded->note(object, order::held_by(t), number, events.invalidation != 0, [](Address lock) {
        if (lock < log::LockCall::kNumbers) return GuardLock{};
        const places::Extent extent = places::find_extent(lock);
        return GuardLock{extent.object, lock - extent.start};
    });
}

}  // namespace

ObjectId suspected_with(ObjectId id) {
    if (id == ObjectId::None) return id;
    const places::Object& block = places::object(id);
    if (block.kind != places::Object::StorageKind::Heap) return id;
    u32& first = (*families)[u64{block.size} << 32 ^ static_cast<u64>(block.allocated)];
    if (first == 0) first = static_cast<u32>(id);
    return ObjectId{first};
}

UnderLocks& under_locks() { return *guarded; }
Suspects& suspects() { return *looked_at; }

const lines::LineObserver kLineCounts = {
    .shared = [](u64 line) { return reinterpret_cast<lines::LineNotes*>(make_line_tally(line)); },
    .accessed = [](lines::LineNotes* line, Thread t, ObjectId object, const Place& place,
                   const LineAccess& access) { count_access(tally_of(line), t, object, place, access); },
    .accessed_often =
        [](lines::LineNotes* line, Thread t, ObjectId object, const LineAccess& part,
           const AccessCounts& accesses) { count_accesses(tally_of(line), t, object, part, accesses); },
    .looked = [](lines::LineNotes* line, Thread t,
                 const LineAccess& look) { count_look(tally_of(line), t, look); },
    .had_events =
        [](View view, lines::LineNotes* line, Thread t, ObjectId object, const Place& place,
           const Events& events) {
            if (view == View::Modelled) note_lock(t, object, events);
            if (line != nullptr)
                charge(view, tally_of(line), t, object, place, events);
            else
                charge(view, t, object, place, events);
        },
    .taken = [](lines::LineNotes* line, const lines::Ownership& order) { note_stay(tally_of(line), order); },
    .blames =
        [](ObjectId object, u32 number, u8& blamed) {
            return looked_at->blame(order::what_if(), suspected_with(object), number, blamed);
        },
    .read =
        [](Thread t, const AccessCounts& accesses, u64 instructions) {
            ThreadRow& row = thread_row(t);
            row.accesses.add(accesses);
            row.instructions += instructions;
        }};

}  // namespace memspy::sharing
