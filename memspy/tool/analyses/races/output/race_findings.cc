// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/output/race_findings.h"

#include "findings/findings.h"
#include "places/code.h"
#include "places/names.h"
#include "places/variables.h"
#include "rt/prefix.h"
#include "rt/text.h"
#include "threads/thread_text.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

using findings::SummedRecord;
using places::Object;

u32 running_thread() {
    const ThreadId thread = VG_(get_running_tid)();
    return thread == VG_INVALID_THREADID ? 1 : thread;
}

SummedRecord::ObjectPart part_of(const RaceRow& row, Address address) {
    using PartKind = SummedRecord::ObjectPart::PartKind;
    const Object& object = places::object(row.object);
    SummedRecord::ObjectPart part{.address = address,
                                  .offset = row.offset,
                                  .size = object.size,
                                  .name = object.name,
                                  .variable = object.variable,
                                  .module = object.module,
                                  .allocated = object.allocated,
                                  .thread = object.thread};
    switch (object.kind) {
        case Object::StorageKind::Heap: part.what = PartKind::HeapBlock; break;
        case Object::StorageKind::Static:
            part.what = places::is_section(object) ? PartKind::Section : PartKind::Variable;
            break;
        case Object::StorageKind::Stack: part.what = PartKind::Stack; break;
        case Object::StorageKind::Unknown: break;
    }
    return part;
}

// `m`, or the lock's address where it has no name.
void add_lock(rt::Text& text, Address lock) {
    constexpr Address kNumbers = 16;  // locks of a run-time that have no address
    if (lock < kNumbers) return void(text.add("the run-time's lock"));
    const places::Extent extent = places::find_extent(lock);
    if (extent.object == places::ObjectId::None || !places::is_variable(places::object(extent.object)))
        return void(text.add_hex(lock));
    constexpr u32 kLock = 4;  // bytes of it that say which one of several it is
    if (!places::add_fields(text, extent.object, 0, lock - extent.start, kLock))
        places::add_object_name(text, places::object(extent.object));
}

const char* verb(bool stores, bool frees) { return frees ? "free" : stores ? "write" : "read"; }

void add_held(rt::Text& text, u32 thread, const char* held) {
    threads::add_thread(text, thread);
    text.add(" holds ").add(held == nullptr ? "no lock" : held);
}

void add_to_take(rt::Text& text, u32 thread, const char* where) {
    threads::add_thread(text.add("Take the lock that "), thread);
    text.add(where);
}

}  // namespace

void add_locks(rt::Text& text, LockSet held) {
    lock_sets().for_each(held, [&](Address lock) { add_lock(text.add(text.empty() ? "" : ", "), lock); });
}

void add_fix(rt::Text& text, const RaceRow& row, const RacingPair& pair) {
    const LockSet held = pair.second.held, other = pair.first.held;
    if (held == LockSet::None && other != LockSet::None)
        add_to_take(text, row.other_thread, " holds here, too");
    else if (held != LockSet::None && other == LockSet::None)
        add_to_take(text, row.thread, " holds there, too");
    else if (row.clause != nullptr && rt::starts_with(row.clause, "private"))
        text.add("If each thread has a value of its own, say ").add(row.clause);
    else if (row.clause != nullptr)
        text.add("Say ")
            .add(row.clause)
            .add(rt::starts_with(row.clause, "reduction(m") ? ", or put both into one critical section"
                                                            : ", or put omp atomic before both");
    else if (pair.first.sums && pair.second.sums && places::is_openmp_region(row.place))
        text.add("Make it a reduction, or put omp atomic before both");
}

void add_variable(rt::Text& text, const RaceRow& row) {
    const Object& object = places::object(row.object);
    const bool heap = object.kind == Object::StorageKind::Heap;
    if (row.is_shared) return void(text.add(row.variable));
    if (places::add_parts(text, row.object, row.place.instruction, row.offset, row.bytes)) return;
    if (heap && row.variable != nullptr) return void(text.add(row.variable));
    places::add_object_name(text, object);
}

void tell(const RaceRow& row, Address address, const char* variable) {
    rt::Text what, met, figures;
    what.add("Data race on ")
        .add(variable)
        .add(": ")
        .add(verb(row.stores, row.frees))
        .add(" of size ")
        .add_plain(row.bytes);
    threads::add_thread(met.add("This ").add(verb(row.stores, row.frees)).add(" by "), row.thread);
    met.add(" and an earlier ").add(verb(row.other_stores, row.other_frees));
    threads::add_thread(met.add(" by "), row.other_thread);
    met.add(" are not ordered");
    add_held(figures, row.thread, row.held);
    add_held(figures.add("; "), row.other_thread, row.other_held);
    if (row.last != nullptr) {
        threads::add_thread(figures.add("; "), row.thread);
        threads::add_thread(figures.add(" last waited for "), row.other_thread);
        figures.add(" at the ").add(row.last);
    }

    SummedRecord record;
    record.kind = findings::FindingKind::Race;
    record.what = what.c_str();
    record.met = met.c_str();
    record.figures = figures.c_str();
    record.advice = row.fix == nullptr ? "" : row.fix;
    record.sides[0] = {.stack = row.stack, .thread = row.thread, .loads = !row.stores, .stores = row.stores};
    record.sides[1] = {.stack = row.other_stack,
                       .thread = row.other_thread,
                       .loads = !row.other_stores,
                       .stores = row.other_stores};
    record.parts[0] = part_of(row, address);
    record.part_count = 1;
    findings::report_summed(running_thread(), record);
}

void add_take(rt::Text& text, const LockTake& take, u32 number) {
    text.add(number == 1 ? "thread " : "Thread ").add_plain(take.thread);
    add_lock(text.add(number == 0 ? " holds " : " held "), take.before);
    add_lock(text.add(number == 0 ? " and takes " : " and took "), take.lock);
    if (number == 0) text.add(" here");
}

void tell(const LockCycle& cycle) {
    const LockCircle& circle = cycle.circle;
    SummedRecord record;
    record.kind = findings::FindingKind::LockOrder;
    record.what = "Locks are taken in different orders";
    rt::Text met, figures;
    met.add(cycle.told[0]).add("; ").add(cycle.told[1]);  // the first one's stack is the finding's
    figures.add("A cycle of ")
        .add_plain(circle.locks)
        .add(" locks: if the threads meet, each waits for the other");
    record.met = met.c_str();
    record.figures = figures.c_str();
    for (u32 i = 0; i < 2; ++i)
        record.sides[i] = {.stack = cycle.stacks[i], .thread = circle.takes[i].thread};
    for (u32 i = 2; i < circle.locks; ++i) record.further[i - 2] = {cycle.told[i], cycle.stacks[i]};
    findings::report_summed(running_thread(), record);
}

}  // namespace memspy::races
