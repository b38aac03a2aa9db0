// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/openmp.h"

#include "analyses/races/omp_graph.h"
#include "threads/call_tree.h"

namespace memspy::races {
namespace {

// The task whose code the thread runs.
u32 present_task(const RacingThread& f) {
    for (usize i = f.omp.size(); i-- > 0;)
        if (f.omp[i].is_body) return f.omp[i].task;
    u32& own = omp_state().task_of_thread[f.thread.serial];
    if (own == 0) own = new_task(0, 0, 0);
    return own;
}
u32 present_team(const RacingThread& f) { return task(present_task(f)).team; }
u32 present_group(const RacingThread& f) {
    for (usize i = f.omp.size(); i-- > 0;) {
        if (f.omp[i].group != 0) return f.omp[i].group;
        if (f.omp[i].is_body) return task(f.omp[i].task).group;
    }
    return 0;
}
u32 create_task(RacingThread& f, Address body, Address key) {
    const u32 parent = present_task(f);
    const u32 made = new_task(parent, task(parent).team, present_group(f));
    Task& of = task(made);
    of.body = body;
    of.key = key;
    of.final = task(parent).final;
    of.undeferred = of.final || of.team == 0;
    release(f, word_of(of.words, kCreated));
    omp_state().waiting.push_back(made);
    return made;
}
// Calls of the run-time

OmpFrame& push(RacingThread& f, const OmpCall& call, bool is_body) {
    f.omp.push_back({.function = call.function,
                     .is_body = is_body,
                     .is_resolved = call.is_resolved,
                     .path = call.path,
                     .stack_pointer = call.stack_pointer,
                     .caller = call.caller,
                     .strand = f.strand});
    return f.omp.back();
}

u32 open_team(RacingThread& f, Address body, Address data) {
    const u32 made = new_team(body, data, f.thread.serial);
    release(f, word_of(team(made).words, kForked));
    return made;
}

void join_team(const RacingThread& f, u32 number) {
    const OmpTeam& of = team(number);
    acquire(f, word_of(of.words, kJoined));
    acquire(f, word_of(of.words, kTasksDone));
    end_team(number);
}

// Team 0 is none: its threads meet nobody.
void meet(RacingThread& f, OmpFrame& frame) {
    frame.team = present_team(f);
    if (frame.team != 0) frame.word = omp_state().host.meet(f, word_of(team(frame.team).words, kMeeting));
}

void enter_gomp_task(RacingThread& f, const OmpCall& call) {
    constexpr u64 kFinal = 2, kDepends = 8, kIf = 1024, kNoGroup = 2048, kDetached = 8192;
    omp_state().host.calls_body(call.arguments[0], OmpFunction::TaskBody);
    const bool loop = call.function == OmpFunction::TaskLoop;
    const u64 flags = loop ? call.arguments[5] : call.further[0];
    OmpFrame& frame = push(f, call, false);
    if (loop && (flags & kNoGroup) == 0) frame.group = new_group();
    const u32 made = create_task(f, call.arguments[0], 0);
    f.omp.back().task = made;
    Task& of = task(made);
    of.loop = loop;
    if ((loop ? flags & kIf : call.arguments[5] & 1) == 0) of.undeferred = true;
    if ((flags & kFinal) != 0) of.final = of.undeferred = true;
    if (!loop && (flags & kDepends) != 0) add_gomp_dependences(made, call.further[1]);
    if (!loop && (flags & kDetached) != 0) await_event(made);
}

// A target region that is not waited for is a task of the team, and so is one that waits for others.
void enter_target(RacingThread& f, const OmpCall& call) {
    constexpr u64 kNoWait = 1;
    const bool waits = (call.further[0] & kNoWait) == 0;
    f.target_stack = call.stack_pointer;
    if (present_team(f) == 0 || (waits && call.further[1] == 0)) return;
    omp_state().host.calls_body(call.arguments[1], OmpFunction::TaskBody);
    push(f, call, false);
    const u32 made = create_task(f, call.arguments[1], 0);
    f.omp.back().task = made;
    Task& of = task(made);
    of.target = true;
    if (waits) of.undeferred = true;
    add_gomp_dependences(made, call.further[1]);
}

void allocate_kmp_task(const OmpCall& call) {
    constexpr u64 kFinal = 2;
    omp_state().kmp_tasks[call.arguments[5]] = {call.arguments[3] + call.arguments[4],
                                                (call.arguments[2] & kFinal) != 0};
    omp_state().host.calls_body(call.arguments[5], OmpFunction::KmpTaskBody);
}

// A task of libomp: where its code begins is the second word of it.
Address body_of_kmp_task(Address kmp_task) {
    Address body = 0;
    omp_state().host.read(kmp_task + sizeof(Address), &body, sizeof body);
    return body;
}

// An untied task of libomp that defers itself: whoever comes next goes on with it.
bool defers_itself(RacingThread& f, const OmpCall& call) {
    const Address key = call.arguments[2];
    if (f.omp.empty() || f.omp.back().function != OmpFunction::KmpTaskBody || f.omp.back().word != key)
        return false;
    const u32 itself = f.omp.back().task;
    f.omp.back().goes_on = true;
    release(f, word_of(task(itself).words, kCreated));
    omp_state().waiting.push_back(itself);
    push(f, call, false);
    return true;
}

void defer_kmp_task(RacingThread& f, const OmpCall& call) {
    if (defers_itself(f, call)) return;
    const Address key = call.arguments[2];
    OmpFrame& frame = push(f, call, false);
    if (call.function == OmpFunction::DeferLoop && call.further[1] == 0) frame.group = new_group();
    const u32 made = create_task(f, body_of_kmp_task(key), key);
    f.omp.back().task = made;
    task(made).loop = call.function == OmpFunction::DeferLoop;
    if (omp_state().kmp_event == key) {
        await_event(made);
        omp_state().kmp_event = 0;
    }
    if (call.function == OmpFunction::BeginTask) task(made).undeferred = true;
    if (omp_state().kmp_tasks[task(made).body].final) task(made).final = task(made).undeferred = true;
    if (call.function == OmpFunction::DeferWithDepend)
        add_kmp_dependences(made, call.arguments[3], call.arguments[4]);
}

// A call that lets others wait for it, or waits for others, without a body.
void enter_call(RacingThread& f, const OmpCall& call) {
    const u32 parent = present_task(f), in = task(parent).team;
    OmpFrame& frame = push(f, call, false);
    switch (call.function) {
        case OmpFunction::Barrier:
        case OmpFunction::CopyPrivate: meet(f, frame); break;
        case OmpFunction::CopyEnd:
            if (in != 0) release(f, word_of(team(in).words, kCopied));
            break;
        case OmpFunction::OrderedEnd:
            if (in != 0) release(f, word_of(team(in).words, kOrder));
            break;
        case OmpFunction::ReduceEnd:
            if (in != 0) release(f, word_of(team(in).words, kReduced));
            break;
        case OmpFunction::TellEvent: tell_event(f, call.arguments[0]); break;
        case OmpFunction::WaitFor:
            frame.task = new_task(parent, in, 0);
            add_gomp_dependences(frame.task, call.arguments[0]);
            break;
        case OmpFunction::WaitForSome:
            frame.task = new_task(parent, in, 0);
            add_kmp_dependences(frame.task, call.arguments[2], call.arguments[3]);
            break;
        default: break;
    }
    frame.team = in;
}

// From here on the thread is in a group of tasks, or has a team, until a later call.
void open(RacingThread& f, const OmpCall& call) {
    const u32 in = present_task(f);
    const bool by_thread = f.knows_its_number();
    OmpFrame& frame = push(f, call, true);
    frame.task = in;
    frame.by_thread = by_thread;
    frame.stack_pointer = ~Address{0};
    if (call.is_resolved) frame.path = threads::parent_of(call.path);
    if (call.function == OmpFunction::GroupStart) frame.group = new_group();
}
// The later call.
void close(RacingThread& f, OmpFunction opened) {
    if (f.omp.empty() || f.omp.back().function != opened) return;
    const OmpFrame left = f.omp.back();
    f.omp.pop_back();
    if (left.by_thread && !f.omp.empty()) f.omp.back().by_thread = true;
    if (opened == OmpFunction::ParallelStart) return join_team(f, left.team);
    acquire(f, group_word(left.group));
    omp_order().forget(group_word(left.group), 4);
}

void enter_region(RacingThread& f, const OmpCall& call) {
    const bool gomp = call.function != OmpFunction::Fork;
    const Address body = call.arguments[gomp ? 0 : 2];
    omp_state().host.calls_body(body, gomp ? OmpFunction::TeamBody : OmpFunction::ForkedBody);
    const u32 made = open_team(f, body, gomp ? call.arguments[1] : 0);
    if (call.function == OmpFunction::ParallelStart)
        open(f, call);
    else
        push(f, call, false);
    f.omp.back().team = made;
}

// Teams that one thread runs, one after the other (libgomp on the host): nothing orders them.

void forget_stack_below(RacingThread& f, Address stack_pointer);

void begin_target_team(RacingThread& f, const OmpFrame& teams) {
    forget_stack_below(f, f.target_stack);
    f.strand = take_strand();
    omp_order().begin(f.strand);
    acquire(f, teams.word);
}
void end_target_team(RacingThread& f, const OmpFrame& teams) {
    release(f, group_word(teams.group));
    omp_state().strands.push_back(f.strand);
    f.strand = teams.strand;
}
void end_target_teams(RacingThread& f, const OmpFrame& teams) {
    end_target_team(f, teams);
    forget_stack_below(f, f.target_stack);
    acquire(f, group_word(teams.group));
    omp_order().forget(group_word(teams.group), 4);
    omp_order().forget(teams.word, 4);
}

void next_target_team(RacingThread& f, const OmpCall& call) {
    const bool first = (call.arguments[3] & 1) != 0;
    if (f.target_stack <= call.stack_pointer) return;  // it is no part of such a region
    if (first) {
        open(f, call);
        OmpFrame& teams = f.omp.back();
        teams.group = new_group();
        teams.word = new_words(1);
        teams.left = static_cast<u32>(call.arguments[0]);
        release(f, teams.word);
        if (teams.left == 0) teams.left = 1;
        return begin_target_team(f, teams);
    }
    if (f.omp.empty() || f.omp.back().function != OmpFunction::TargetTeam) return;
    OmpFrame& teams = f.omp.back();
    if (--teams.left != 0) {
        end_target_team(f, teams);
        return begin_target_team(f, teams);
    }
    const OmpFrame last = teams;
    f.omp.pop_back();
    end_target_teams(f, last);
}

// Bodies

void begin_team_body(RacingThread& f, const OmpCall& call) {
    const bool gomp = call.function == OmpFunction::TeamBody;
    const u32 of = find_team(f, call.code, call.arguments[0], gomp);
    if (of == 0) return;
    if (f.omp.empty()) f.is_omp_worker = true;
    f.times_dealt = 0;
    const bool is_master = team(of).master == f.thread.serial;
    const u32 in = new_task(is_master ? present_task(f) : 0, of, 0);
    OmpFrame& frame = push(f, call, true);
    frame.team = of;
    frame.task = in;
    if (!is_master) acquire(f, word_of(team(of).words, kForked));
}

void end_team_body(RacingThread& f, const OmpFrame& left) {
    if (team(left.team).master != f.thread.serial) release(f, word_of(team(left.team).words, kJoined));
    task(left.task).ended = true;
    leave_task(left.task);
}

// What one task did on its thread's stack is no affair of the next one there.
void forget_stack_below(RacingThread& f, Address stack_pointer) {
    constexpr usize kReturnAddress = 8;  // the run-time has pushed it, the task takes it
    if (f.lowest < stack_pointer)
        omp_state().host.forget(f.lowest, stack_pointer + kReturnAddress - f.lowest);
    else
        omp_state().host.forget(stack_pointer, kReturnAddress);
    f.lowest = stack_pointer;
}

void begin_task_body(RacingThread& f, const OmpCall& call) {
    const u32 found = find_task(f, call.code, call.arguments[call.function == OmpFunction::KmpTaskBody]);
    if (found == 0) return;
    if (f.omp.empty()) f.is_omp_worker = true;
    u32 begun = found;
    if (task(found).loop) {  // one of many like it
        begun = new_task(task(found).parent, task(found).team, task(found).group);
        task(begun).final = task(found).final;
        task(begun).undeferred = task(found).undeferred;
    } else {
        stop_waiting(found);
    }
    OmpFrame& frame = push(f, call, true);
    frame.task = begun;
    frame.team = task(begun).team;
    frame.body = call.code;
    if (call.function == OmpFunction::KmpTaskBody) frame.word = call.arguments[1];
    forget_stack_below(f, call.stack_pointer);
    if (task(begun).target) f.target_stack = call.stack_pointer;
    f.strand = take_strand();
    omp_order().begin(f.strand);
    acquire(f, word_of(task(found).words, kCreated));
    acquire_dependences(f, begun);
}

void end_task_body(RacingThread& f, const OmpFrame& left) {
    Task& ended = task(left.task);
    if (!left.goes_on) release_task(f, left.task);
    forget_stack_below(f, left.stack_pointer);
    // libomp uses the memory of a task for the next one.
    if (left.function == OmpFunction::KmpTaskBody && left.word != 0 && !left.goes_on)
        omp_state().host.forget(left.word, omp_state().kmp_tasks[left.body].bytes);
    const u32 by = f.strand;
    f.strand = left.strand;
    // Whoever made it waits for it.
    if (ended.undeferred)
        omp_order().go_on_after_part(f.strand, by, omp_order().part(by), *omp_state().host.now);
    omp_state().strands.push_back(by);
    if (left.goes_on) return;
    ended.ended = true;
    leave_task(left.task);
}

void leave_call(RacingThread& f, const OmpFrame& left) {
    const Address words = left.team == 0 ? 0 : team(left.team).words;
    switch (left.function) {
        case OmpFunction::Parallel:
        case OmpFunction::Fork: join_team(f, left.team); break;
        case OmpFunction::Task:
        case OmpFunction::DeferTask:
        case OmpFunction::DeferWithDepend: break;
        case OmpFunction::TaskLoop:
        case OmpFunction::DeferLoop:
            if (left.group != 0) {
                acquire(f, group_word(left.group));
                stop_waiting(left.task);
                leave_task(left.task);
            }
            break;
        case OmpFunction::Barrier:
        case OmpFunction::CopyPrivate:
            if (words == 0) break;
            omp_state().host.leave_meeting(f, word_of(words, kMeeting), left.word);
            acquire(f, word_of(words, kTasksDone));
            break;
        case OmpFunction::CopyStart:
            if (words != 0) acquire(f, word_of(words, kCopied));
            break;
        case OmpFunction::OrderedStart:
            if (words != 0) acquire(f, word_of(words, kOrder));
            break;
        case OmpFunction::Reduce:
            if (words != 0) acquire(f, word_of(words, kReduced));
            break;
        case OmpFunction::TaskWait: acquire(f, word_of(task(present_task(f)).words, kChildrenDone)); break;
        case OmpFunction::GroupEnd: close(f, OmpFunction::GroupStart); break;
        case OmpFunction::ParallelEnd: close(f, OmpFunction::ParallelStart); break;
        case OmpFunction::WaitFor:
        case OmpFunction::WaitForSome:
            acquire_dependences(f, left.task);
            leave_task(left.task);
            break;
        default: break;
    }
}

void leave_last(RacingThread& f) {
    const OmpFrame left = f.omp.back();
    f.omp.pop_back();
    if (!left.is_body) return leave_call(f, left);
    if (left.function == OmpFunction::GroupStart || left.function == OmpFunction::ParallelStart) return;
    if (left.function == OmpFunction::TargetTeam) return end_target_teams(f, left);
    if (left.function == OmpFunction::TaskBody || left.function == OmpFunction::KmpTaskBody)
        end_task_body(f, left);
    else
        end_team_body(f, left);
}

// The path of a call that was made while nobody followed paths: the one that returns to the same place.
void resolve(RacingThread& f, CallPath path) {
    CallPath around = CallPath::Root;
    for (OmpFrame& frame : f.omp) {
        if (frame.is_resolved) continue;
        frame.is_resolved = true;
        frame.path = CallPath{~u32{0}};
        if (frame.stack_pointer == ~Address{0}) frame.path = around;  // of open()
        Address last = 0;
        for (CallPath at = path; threads::return_addresses(at, &last, 1) != 0; at = threads::parent_of(at))
            if (last == frame.caller) {
                if (frame.stack_pointer == ~Address{0}) at = threads::parent_of(at);
                frame.path = around = at;
                break;
            }
    }
}

}  // namespace

void initialise_openmp(const OmpHost& host) { omp_state().host = host; }

namespace {

constexpr u32 kMostRegions = 200, kMostDealt = 64;

// It asks for work that goes to whoever comes first. Who holds a lock would only let those wait who want it.
WorkAsked ask_for_work(RacingThread& f) {
    if (!f.locks.empty()) return {};
    ++f.times_dealt;
    return {f.times_dealt <= kMostDealt && ++f.times_dealt_in_all <= kMostRegions * kMostDealt,
            f.times_dealt};
}

}  // namespace

WorkAsked enter_omp(RacingThread& f, const OmpCall& call) {
    if (call.is_resolved)
        leave_omp(f, call.path);
    else
        leave_omp_below(f, call.stack_pointer);
    switch (call.function) {
        case OmpFunction::TeamBody:
        case OmpFunction::ForkedBody: begin_team_body(f, call); return {++f.times_begun <= kMostRegions};
        case OmpFunction::TaskBody:
        case OmpFunction::KmpTaskBody: begin_task_body(f, call); return {};
        default: break;
    }
    if (f.is_in_run_time()) return {};  // the run-time's own calls
    switch (call.function) {
        case OmpFunction::ThreadNumber:
            if (!f.omp.empty()) f.omp.back().by_thread = true;
            return {};
        case OmpFunction::DealOut: return ask_for_work(f);
        case OmpFunction::Reduce: enter_call(f, call); return ask_for_work(f);
        case OmpFunction::Target: f.target_stack = call.stack_pointer; return {};
        case OmpFunction::TargetTask: enter_target(f, call); return {};
        case OmpFunction::TargetTeam: next_target_team(f, call); return {};
        case OmpFunction::Parallel:
        case OmpFunction::ParallelStart:
        case OmpFunction::Fork: enter_region(f, call); return {};
        case OmpFunction::GroupStart: open(f, call); return {};
        case OmpFunction::AllowEvent: omp_state().kmp_event = call.arguments[2]; return {};
        case OmpFunction::Task:
        case OmpFunction::TaskLoop: enter_gomp_task(f, call); return {};
        case OmpFunction::AllocateTask: allocate_kmp_task(call); return {};
        case OmpFunction::DeferTask:
        case OmpFunction::DeferWithDepend:
        case OmpFunction::BeginTask:
        case OmpFunction::DeferLoop: defer_kmp_task(f, call); return {};
        default: enter_call(f, call); return {};
    }
}

void leave_omp(RacingThread& f, CallPath path) {
    if (f.omp.empty()) return;
    if (!f.omp.back().is_resolved) resolve(f, path);
    while (!f.omp.empty() && !threads::is_below(path, f.omp.back().path)) leave_last(f);
}

void leave_omp_below(RacingThread& f, Address stack_pointer) {
    while (!f.omp.empty() && f.omp.back().stack_pointer <= stack_pointer) leave_last(f);
}

void leave_all_omp(RacingThread& f) {
    while (!f.omp.empty()) leave_last(f);
}

void omp_block(const RacingThread& f, Address begin, usize bytes) {
    if (f.omp.empty()) return;
    const OmpFrame& top = f.omp[f.omp.size() - 1];
    if (top.function != OmpFunction::Task || top.is_body) return;
    Task& of = task(top.task);
    if (of.key != 0 || of.ended) return;
    of.key = begin;
    of.key_end = begin + bytes;
}

SharedByTeam shared_by_team(Address a) {
    constexpr u64 kMost = 4096;
    SharedByTeam found{.body = 0, .offset = kMost};
    for (const u32 number : omp_state().open_teams)
        if (const OmpTeam& of = team(number); of.data != 0 && a - of.data < found.offset)
            found = {of.body, a - of.data};
    return found;
}

}  // namespace memspy::races
