// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/openmp.h"

#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/call_tree.h"

namespace memspy::races {
namespace {

// Words that stand for what teams and tasks wait for.
constexpr Address kOmpWords = Address{1} << 63;

// Words of a team, and of a task.
enum TeamWord : u32 { kForked, kJoined, kTasksDone, kOrder, kCopied, kReduced, kMeeting, kTeamWords };
enum TaskWord : u32 { kCreated, kChildrenDone, kTaskWords };

struct Team {
    Address words = 0;
    Address body = 0, data = 0;
    u32 master = 0;  // serial
};

// An address of a depend clause, among the children of one task.
struct Dependence {
    u32 parent;
    Address at;
    Address words;  // who stored, who loaded, who took turns
};
enum DependWord : u32 { kOut, kIn, kTurns, kDependWords };
enum class DependKind : u8 { In, Out, Turns };

struct DependUse {
    u32 dependence;
    DependKind kind;
};

struct Task {
    Address words = 0;
    Address body = 0, key = 0, key_end = 0;
    u32 parent = 0, team = 0, group = 0;
    u32 users = 0;  // itself until it has ended, and children that live
    bool undeferred = false, final = false, loop = false, ended = false;
    rt::Vector<DependUse>* depends = nullptr;
    rt::Vector<u32>* children_depend = nullptr;  // indices of dependences among its children
};

// A task of libomp that was allocated last.
struct KmpTask {
    u64 bytes;
    bool final;
};

struct OmpState {
    OmpHost host;
    u64 words;
    rt::Vector<Team> teams;  // by number - 1
    rt::Vector<u32> open_teams;
    rt::Vector<Task*> tasks;  // by number - 1
    rt::Vector<u32> free_tasks;
    rt::Vector<u32> waiting;  // tasks that have not begun
    rt::Vector<Dependence> dependences;
    rt::Vector<u32> free_dependences;
    rt::HashMap<u32> task_of_thread;  // implicit tasks of threads outside of teams: by serial
    rt::HashMap<KmpTask> kmp_tasks;   // by body
    rt::Vector<u32> strands;          // of tasks that have ended, the one that ended first in front
    u32 strands_made;
};
rt::Global<OmpState> state;

order::ObservedOrder& order() { return *state->host.order; }
void release(const RacingThread& f, Address word) { order().release(f.strand, word, *state->host.now); }
void acquire(const RacingThread& f, Address word) { order().acquire(f.strand, word); }

Address new_words(u32 count) {
    const Address first = kOmpWords | state->words * 4;
    state->words += count;
    return first;
}
Address word_of(Address words, u32 number) { return words + Address{number} * 4; }

Team& team(u32 number) { return state->teams[number - 1]; }
Task& task(u32 number) { return *state->tasks[number - 1]; }

u32 new_team(Address body, Address data, u32 master) {
    state->teams.push_back({new_words(kTeamWords), body, data, master});
    const u32 made = static_cast<u32>(state->teams.size());
    state->open_teams.push_back(made);
    return made;
}

// Tasks

u32 new_task(u32 parent, u32 in_team, u32 group) {
    u32 number = 0;
    if (!state->free_tasks.empty()) {
        number = state->free_tasks.back();
        state->free_tasks.pop_back();
    } else {
        state->tasks.push_back(new (rt::allocate(sizeof(Task), "memspy.races")) Task);
        number = static_cast<u32>(state->tasks.size());
    }
    Task& made = task(number);
    made = Task{};
    made.words = new_words(kTaskWords);
    made.parent = parent;
    made.team = in_team;
    made.group = group;
    made.users = 1;
    if (parent != 0) ++task(parent).users;
    return number;
}

template <typename T>
void drop(T*& object) {
    if (object == nullptr) return;
    object->~T();
    rt::release(object);
    object = nullptr;
}

void leave_task(u32 number) {
    while (number != 0) {
        Task& left = task(number);
        if (--left.users != 0) return;
        order().forget(left.words, kTaskWords * 4);
        if (left.children_depend != nullptr)
            for (const u32 dependence : *left.children_depend) {
                order().forget(state->dependences[dependence].words, kDependWords * 4);
                state->dependences[dependence].parent = 0;
                state->free_dependences.push_back(dependence);
            }
        drop(left.children_depend);
        drop(left.depends);
        state->free_tasks.push_back(number);
        number = left.parent;
    }
}

// The task whose code the thread runs.
u32 present_task(const RacingThread& f) {
    for (usize i = f.omp.size(); i-- > 0;)
        if (f.omp[i].is_body) return f.omp[i].task;
    u32& own = state->task_of_thread[f.thread.serial];
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

// Groups are words, too.
u32 new_group() { return static_cast<u32>((new_words(1) & ~kOmpWords) / 4); }
Address group_word(u32 group) { return kOmpWords | Address{group} * 4; }

// Dependences

u32 dependence_at(u32 parent, Address at) {
    Task& of = task(parent);
    if (of.children_depend == nullptr)
        of.children_depend = new (rt::allocate(sizeof *of.children_depend, "memspy.races")) rt::Vector<u32>;
    for (const u32 known : *of.children_depend)
        if (state->dependences[known].at == at) return known;
    u32 number = 0;
    if (!state->free_dependences.empty()) {
        number = state->free_dependences.back();
        state->free_dependences.pop_back();
    } else {
        state->dependences.push_back({});
        number = static_cast<u32>(state->dependences.size()) - 1;
    }
    state->dependences[number] = {parent, at, new_words(kDependWords)};
    of.children_depend->push_back(number);
    return number;
}

// What a task or a wait needs of those before it.
void acquire_dependence(const RacingThread& f, const DependUse& use) {
    const Address words = state->dependences[use.dependence].words;
    acquire(f, word_of(words, kOut));
    if (use.kind != DependKind::In) acquire(f, word_of(words, kIn));
    if (use.kind != DependKind::Turns) acquire(f, word_of(words, kTurns));
    // Tasks that take turns are ordered as they ran.
    if (use.kind == DependKind::Turns) acquire(f, word_of(words, kTurns));
}
void release_dependence(const RacingThread& f, const DependUse& use) {
    const Address words = state->dependences[use.dependence].words;
    release(f, word_of(words, use.kind == DependKind::Out  ? kOut
                              : use.kind == DependKind::In ? kIn
                                                           : kTurns));
}

constexpr u64 kMostDepends = 1000;

// libgomp: a count, then the number of those that store; or, if the first is 0, counts of all kinds. Addresses follow.
template <typename F>
void for_each_gomp_dependence(Address list, F f) {
    u64 head[5] = {};
    if (list == 0 || !state->host.read(list, head, sizeof(u64) * 2)) return;
    u64 total = head[0], out = head[1], turns = 0, in = total - out;
    Address at = list + 2 * sizeof(u64);
    if (total == 0) {
        if (!state->host.read(list, head, sizeof head)) return;
        total = head[1];
        out = head[2];
        turns = head[3];
        in = head[4];
        at = list + 5 * sizeof(u64);
    }
    for (u64 i = 0; i < total && i < kMostDepends; ++i, at += sizeof(u64)) {
        Address address = 0;
        if (!state->host.read(at, &address, sizeof address)) return;
        if (i < out)
            f(address, DependKind::Out);
        else if (i < out + turns)
            f(address, DependKind::Turns);
        else if (i < out + turns + in)
            f(address, DependKind::In);
        else if (u64 object[2] = {}; state->host.read(address, object, sizeof object))
            f(object[0], object[1] == 1 ? DependKind::In : DependKind::Out);  // a depend object
    }
}

// libomp: address, length, flags.
template <typename F>
void for_each_kmp_dependence(u64 count, Address list, F f) {
    constexpr u64 kStores = 2, kTakesTurns = 4;
    for (u64 i = 0; i < count && i < kMostDepends; ++i) {
        u64 entry[3] = {};
        if (!state->host.read(list + i * sizeof entry, entry, sizeof entry)) return;
        f(entry[0], (entry[2] & kStores) != 0       ? DependKind::Out
                    : (entry[2] & kTakesTurns) != 0 ? DependKind::Turns
                                                    : DependKind::In);
    }
}

void add_dependence(u32 of, Address at, DependKind kind) {
    Task& by = task(of);
    if (by.depends == nullptr)
        by.depends = new (rt::allocate(sizeof *by.depends, "memspy.races")) rt::Vector<DependUse>;
    by.depends->push_back({dependence_at(by.parent, at), kind});
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
    state->waiting.push_back(made);
    return made;
}

void remove(rt::Vector<u32>& numbers, u32 number) {
    for (usize i = 0; i < numbers.size(); ++i)
        if (numbers[i] == number) {
            for (usize k = i + 1; k < numbers.size(); ++k) numbers[k - 1] = numbers[k];
            return numbers.resize(numbers.size() - 1);
        }
}
void stop_waiting(u32 number) { remove(state->waiting, number); }

// Strands of tasks

constexpr u32 kMostStrands = 48;

u32 take_strand() {
    if (state->strands_made < kMostStrands) {
        ++state->strands_made;
        return state->host.new_strand();
    }
    if (state->strands.empty()) return state->host.new_strand();  // so many tasks are interrupted by others
    const u32 first = state->strands[0];
    for (usize i = 1; i < state->strands.size(); ++i) state->strands[i - 1] = state->strands[i];
    state->strands.pop_back();
    return first;
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
    const Team& of = team(number);
    acquire(f, word_of(of.words, kJoined));
    acquire(f, word_of(of.words, kTasksDone));
    remove(state->open_teams, number);
    order().forget(of.words, kTeamWords * 4);
    // What is left of loops of tasks.
    for (usize i = state->waiting.size(); i-- > 0;)
        if (const u32 left = state->waiting[i]; task(left).team == number) {
            stop_waiting(left);
            leave_task(left);
        }
}

// Team 0 is none: its threads meet nobody.
void meet(RacingThread& f, OmpFrame& frame) {
    frame.team = present_team(f);
    if (frame.team != 0) frame.word = state->host.meet(f, word_of(team(frame.team).words, kMeeting));
}

bool enter_gomp_task(RacingThread& f, const OmpCall& call) {
    constexpr u64 kFinal = 2, kDepends = 8, kIf = 1024, kNoGroup = 2048;
    state->host.calls_body(call.arguments[0], OmpFunction::TaskBody);
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
    if (!loop && (flags & kDepends) != 0)
        for_each_gomp_dependence(call.further[1],
                                 [&](Address at, DependKind kind) { add_dependence(made, at, kind); });
    return false;
}

void allocate_kmp_task(const OmpCall& call) {
    constexpr u64 kFinal = 2;
    state->kmp_tasks[call.arguments[5]] = {call.arguments[3] + call.arguments[4],
                                           (call.arguments[2] & kFinal) != 0};
    state->host.calls_body(call.arguments[5], OmpFunction::KmpTaskBody);
}

// A task of libomp: where its code begins is the second word of it.
Address body_of_kmp_task(Address kmp_task) {
    Address body = 0;
    state->host.read(kmp_task + sizeof(Address), &body, sizeof body);
    return body;
}

void defer_kmp_task(RacingThread& f, const OmpCall& call) {
    const Address key = call.arguments[2];
    OmpFrame& frame = push(f, call, false);
    if (call.function == OmpFunction::DeferLoop && call.further[1] == 0) frame.group = new_group();
    const u32 made = create_task(f, body_of_kmp_task(key), key);
    f.omp.back().task = made;
    task(made).loop = call.function == OmpFunction::DeferLoop;
    if (call.function == OmpFunction::BeginTask) task(made).undeferred = true;
    if (state->kmp_tasks[task(made).body].final) task(made).final = task(made).undeferred = true;
    if (call.function == OmpFunction::DeferWithDepend)
        for_each_kmp_dependence(call.arguments[3], call.arguments[4],
                                [&](Address at, DependKind kind) { add_dependence(made, at, kind); });
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
        case OmpFunction::WaitFor:
            frame.task = new_task(parent, in, 0);
            for_each_gomp_dependence(call.arguments[0], [&](Address at, DependKind kind) {
                add_dependence(frame.task, at, kind);
            });
            break;
        case OmpFunction::WaitForSome:
            frame.task = new_task(parent, in, 0);
            for_each_kmp_dependence(call.arguments[2], call.arguments[3], [&](Address at, DependKind kind) {
                add_dependence(frame.task, at, kind);
            });
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
    order().forget(group_word(left.group), 4);
}

void enter_region(RacingThread& f, const OmpCall& call) {
    const bool gomp = call.function != OmpFunction::Fork;
    const Address body = call.arguments[gomp ? 0 : 2];
    state->host.calls_body(body, gomp ? OmpFunction::TeamBody : OmpFunction::ForkedBody);
    const u32 made = open_team(f, body, gomp ? call.arguments[1] : 0);
    if (call.function == OmpFunction::ParallelStart)
        open(f, call);
    else
        push(f, call, false);
    f.omp.back().team = made;
    f.times_dealt = 0;
}

// Bodies

bool opens_team(OmpFunction function) {
    return function == OmpFunction::Parallel || function == OmpFunction::ParallelStart ||
           function == OmpFunction::Fork;
}

// The team whose body a thread begins: the thread's own, or one that waits for threads.
u32 find_team(const RacingThread& f, Address body, Address data, bool by_data) {
    for (usize i = f.omp.size(); i-- > 0;)
        if (opens_team(f.omp[i].function) && team(f.omp[i].team).body == body) return f.omp[i].team;
    u32 found = 0;
    for (usize i = state->open_teams.size(); i-- > 0;) {
        const u32 number = state->open_teams[i];
        const Team& of = team(number);
        if (of.body != body || (by_data && of.data != data)) continue;
        if (of.master == f.parent) return number;
        if (found == 0) found = number;
    }
    return found;
}

void begin_team_body(RacingThread& f, const OmpCall& call) {
    const bool gomp = call.function == OmpFunction::TeamBody;
    const u32 of = find_team(f, call.code, call.arguments[0], gomp);
    if (of == 0) return;
    if (f.omp.empty()) f.is_omp_worker = true;
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

// A task that has not begun: of libgomp by the block that its data are in, of libomp by its address. Otherwise it is
// what the thread's present call has made, which runs at once.
u32 find_task(const RacingThread& f, Address body, Address key) {
    constexpr Address kBehind = 64;  // no data at all: an aligned address behind the task
    u32 loop = 0;
    for (usize i = state->waiting.size(); i-- > 0;) {
        const u32 number = state->waiting[i];
        const Task& waits = task(number);
        if (waits.body != body) continue;
        if (waits.key != 0 && (key == waits.key || (key > waits.key && key < waits.key_end + kBehind)))
            return number;
        if (waits.loop) loop = number;
    }
    for (usize i = f.omp.size(); i-- > 0 && !f.omp[i].is_body;)
        if (f.omp[i].task != 0 && task(f.omp[i].task).body == body) return f.omp[i].task;
    return loop;
}

// What one task did on its thread's stack is no affair of the next one there.
void forget_stack_below(RacingThread& f, Address stack_pointer) {
    constexpr usize kReturnAddress = 8;  // the run-time has pushed it, the task takes it
    if (f.lowest < stack_pointer)
        state->host.forget(f.lowest, stack_pointer + kReturnAddress - f.lowest);
    else
        state->host.forget(stack_pointer, kReturnAddress);
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
    f.strand = take_strand();
    order().begin(f.strand);
    acquire(f, word_of(task(found).words, kCreated));
    if (task(begun).depends != nullptr)
        for (const DependUse& use : *task(begun).depends) acquire_dependence(f, use);
}

void end_task_body(RacingThread& f, const OmpFrame& left) {
    Task& ended = task(left.task);
    if (ended.parent != 0) release(f, word_of(task(ended.parent).words, kChildrenDone));
    if (ended.team != 0) release(f, word_of(team(ended.team).words, kTasksDone));
    if (ended.group != 0) release(f, group_word(ended.group));
    if (ended.depends != nullptr)
        for (const DependUse& use : *ended.depends) release_dependence(f, use);
    forget_stack_below(f, left.stack_pointer);
    // libomp uses the memory of a task for the next one.
    if (left.function == OmpFunction::KmpTaskBody && left.word != 0)
        state->host.forget(left.word, state->kmp_tasks[left.body].bytes);
    const u32 by = f.strand;
    f.strand = left.strand;
    // Whoever made it waits for it.
    if (ended.undeferred) order().go_on_after_part(f.strand, by, order().part(by), *state->host.now);
    state->strands.push_back(by);
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
            state->host.leave_meeting(f, word_of(words, kMeeting), left.word);
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
            if (task(left.task).depends != nullptr)
                for (const DependUse& use : *task(left.task).depends) acquire_dependence(f, use);
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
                frame.path = around = at;
                break;
            }
    }
}

}  // namespace

void initialise_openmp(const OmpHost& host) { state->host = host; }

bool enter_omp(RacingThread& f, const OmpCall& call) {
    if (call.is_resolved)
        leave_omp(f, call.path);
    else
        leave_omp_below(f, call.stack_pointer);
    constexpr u32 kMostYields = 200, kMostDealt = 64;
    switch (call.function) {
        case OmpFunction::TeamBody:
        case OmpFunction::ForkedBody: begin_team_body(f, call); return ++f.times_begun <= kMostYields;
        case OmpFunction::TaskBody:
        case OmpFunction::KmpTaskBody: begin_task_body(f, call); return false;
        default: break;
    }
    if (f.is_in_run_time()) return false;  // the run-time's own calls
    switch (call.function) {
        case OmpFunction::ThreadNumber:
            if (!f.omp.empty()) f.omp.back().by_thread = true;
            return false;
        case OmpFunction::DealOut: return ++f.times_dealt <= kMostDealt;
        case OmpFunction::Parallel:
        case OmpFunction::ParallelStart:
        case OmpFunction::Fork: enter_region(f, call); return false;
        case OmpFunction::GroupStart: open(f, call); return false;
        case OmpFunction::Task:
        case OmpFunction::TaskLoop: return enter_gomp_task(f, call);
        case OmpFunction::AllocateTask: allocate_kmp_task(call); return false;
        case OmpFunction::DeferTask:
        case OmpFunction::DeferWithDepend:
        case OmpFunction::BeginTask:
        case OmpFunction::DeferLoop: defer_kmp_task(f, call); return false;
        default: enter_call(f, call); return false;
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

}  // namespace memspy::races
