// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/detector.h"

#include <new>

#include "analyses/races/accesses.h"
#include "analyses/races/detector_state.h"
#include "analyses/races/lock_calls.h"
#include "analyses/races/polls.h"
#include "threads/call_tree.h"

namespace memspy::races {
namespace {

using log::LockEvent;

// Stands for messages among the words that threads release and acquire. It is no memory of the program's.
constexpr Address kMessages = Address{1} << 60 | 8;

// The lines of the record will be looked at soon. Its words are near its accesses.
void ask_for_lines(const Record& record) {
    constexpr u32 kMost = 4;
    const u32 words = log::record_words(record.shape) - log::kRecordHead;
    for (u32 i = 0; i < words && i < kMost; ++i) detector().lines.ask_for(record.words()[i] / kLineBytes);
}

// What it has left, now that it is there.
void come_to(RacingThread& f, threads::CallPath path) {
    while (!f.calls.empty() && !threads::is_below(path, f.calls.back().path)) leave_lock_call(f);
    leave_omp(f, path);
}

// Of a call that others may wait for.
const char* name_of_end(OmpFunction function) {
    switch (function) {
        case OmpFunction::Barrier:
        case OmpFunction::CopyPrivate: return "barrier";
        case OmpFunction::CopyEnd: return "end of single";
        case OmpFunction::OrderedEnd: return "end of ordered";
        case OmpFunction::ReduceEnd: return "reduction";
        case OmpFunction::Parallel:
        case OmpFunction::ParallelStart:
        case OmpFunction::Fork: return "parallel region";
        case OmpFunction::Task:
        case OmpFunction::TaskLoop:
        case OmpFunction::DeferTask:
        case OmpFunction::DeferWithDepend:
        case OmpFunction::DeferLoop: return "task";
        default: return nullptr;
    }
}

void read_record(RacingThread& f, const Record& record, const Shape& shape) {
    come_to(f, record.path);
    if (shape.event != LockEvent::None) return enter_lock_call(f, record, shape.event);
    if (!f.calls.empty()) {
        if (shape.updates) note_lock_word(f, record, shape);
        const LockEvent in = f.calls.back().event;
        if (shape.stores != 0 && (in == LockEvent::Try || in == LockEvent::Acquire))
            note_owner(f, record, shape);
        if (!detector().ended.empty() && f.calls.back().event == LockEvent::Join)
            look_at_ends(f, record, shape);
        return;
    }
    if (f.is_in_run_time()) return;
    ShapeFacts& facts = detector().shapes.of(record.shape, shape);
    note_look(f, record, shape, facts);
    if (facts.is_plain && teaches_nothing(f, record, shape)) return;
    follow_accesses(f, record, shape, facts);
}

}  // namespace

void initialise_detector(const DetectorHost& host) {
    detector().host = host;
    initialise_openmp({.order = &detector().order,
                       .now = &detector().now,
                       .new_strand = new_strand,
                       .read = host.read,
                       .calls_body = host.calls_body,
                       .forget = forget,
                       .meet = meet,
                       .leave_meeting = leave_meeting});
}

WorkAsked enter(Thread t, const OmpCall& call) {
    RacingThread& f = follower(t);
    ++detector().now;
    if (call.function == OmpFunction::MakeSemaphore) {
        detector().tokens.make(call.arguments[0], static_cast<u32>(call.arguments[2]));
        return {};
    }
    if (const char* what = name_of_end(call.function); what != nullptr && call.is_resolved && f.thread == t)
        note_part_end(f, what, {call.caller - 1, threads::parent_of(call.path)});
    return f.thread == t ? enter_omp(f, call) : WorkAsked{};
}
void got_block(Thread t, Address begin, usize bytes) { omp_block(follower(t), begin, bytes); }

lines::LockSets& lock_sets() { return detector().lock_sets; }

void begin(Thread parent, Thread t, Address cleared) {
    RacingThread& f = follower(t);
    const u32 strand = f.own_strand;
    f.~RacingThread();
    new (&f) RacingThread;
    f.strand = f.own_strand = strand;
    observed().begin(strand);
    f.thread = t;
    f.cleared = cleared;
    if (!parent) return;
    f.parent = parent.serial;
    const u32 by = follower(parent).strand;
    observed().go_on_after_part(strand, by, observed().part(by), ++detector().now);
}

void end(Thread t) {
    RacingThread& f = follower(t);
    while (!f.calls.empty()) leave_lock_call(f);
    leave_all_omp(f);
    for (const LockHeld& held : f.locks) release_word(f, held.lock);  // a robust mutex gets another owner
    f.locks.resize(0);
    end_thread(f);
}

void read(Thread t, const u64* first, const u64* end) {
    RacingThread& f = follower(t);
    if (f.thread != t) return;
    if (detector().host.stack_pointer != nullptr) f.stack_pointer = detector().host.stack_pointer(t);
    while (first != end) {
        const auto& record = *reinterpret_cast<const Record*>(first);
        first += log::record_words(record.shape);
        if (first != end) ask_for_lines(*reinterpret_cast<const Record*>(first));
        ++detector().now;
        read_record(f, record, log::shape(record.shape));
    }
}

void freed(Thread t, Address begin, usize bytes, threads::CallPath path) {
    constexpr usize kMostBytes = 1 << 16;  // what is larger is seldom used to its end
    RacingThread& f = follower(t);
    Address behind = 0;
    if (bytes == 0 || bytes > kMostBytes || f.thread != t || threads::return_addresses(path, &behind, 1) == 0)
        return forget(begin, bytes);
    ++detector().now;
    come_to(f, path);
    const Place place{behind - 1, threads::parent_of(path)};
    if (!f.calls.empty() || f.is_in_run_time() || is_of_c_library(role_of(place.instruction)))
        return forget(begin, bytes);
    free_block(f, begin, bytes, place);
}

void looked_at(Thread t, Address word) {
    if (!detector().ended.empty()) learn_end(follower(t), word);
}
void send(Thread t) { release_word(follower(t), kMessages); }
void receive(Thread t) { acquire_word(follower(t), kMessages); }

void forget_others(Thread t) {
    forget_all_accesses();
    observed().clear();
    detector().ended.resize(0);
    RacingThread& f = follower(t);
    f.calls.resize(0);
    f.thread = t;
}

}  // namespace memspy::races
