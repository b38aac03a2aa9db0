// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/omp_graph.h"

#include <new>

#include "rt/global.h"

namespace memspy::races {
namespace {

rt::Global<OmpState> state;

constexpr u32 kMostStrands = 48;

template <typename T>
void drop(T*& object) {
    if (object == nullptr) return;
    object->~T();
    rt::release(object);
    object = nullptr;
}

void remove(rt::Vector<u32>& numbers, u32 number) {
    for (usize i = 0; i < numbers.size(); ++i)
        if (numbers[i] == number) {
            for (usize k = i + 1; k < numbers.size(); ++k) numbers[k - 1] = numbers[k];
            return numbers.resize(numbers.size() - 1);
        }
}
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

// libgomp: a count, then the number of those that store; or, if the first is 0, counts of all kinds.
// Addresses follow.
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

}  // namespace

OmpState& omp_state() { return *state; }

Address new_words(u32 count) {
    const Address first = kOmpWords | state->words * 4;
    state->words += count;
    return first;
}
u32 new_team(Address body, Address data, u32 master) {
    state->teams.push_back({new_words(kTeamWords), body, data, master});
    const u32 made = static_cast<u32>(state->teams.size());
    state->open_teams.push_back(made);
    return made;
}

namespace {

bool opens_team(OmpFunction function) {
    return function == OmpFunction::Parallel || function == OmpFunction::ParallelStart ||
           function == OmpFunction::Fork;
}

}  // namespace

u32 find_team(const RacingThread& f, Address body, Address data, bool by_data) {
    for (usize i = f.omp.size(); i-- > 0;)
        if (opens_team(f.omp[i].function) && team(f.omp[i].team).body == body) return f.omp[i].team;
    u32 found = 0;
    for (usize i = omp_state().open_teams.size(); i-- > 0;) {
        const u32 number = omp_state().open_teams[i];
        const OmpTeam& of = team(number);
        if (of.body != body || (by_data && of.data != data)) continue;
        if (of.master == f.parent) return number;
        if (found == 0) found = number;
    }
    return found;
}

// Tasks

u32 find_task(const RacingThread& f, Address body, Address key) {
    constexpr Address kBehind = 64;  // no data at all: an aligned address behind the task
    u32 first = 0;
    for (usize i = omp_state().waiting.size(); i-- > 0;) {
        const u32 number = omp_state().waiting[i];
        const Task& waits = task(number);
        if (waits.body != body) continue;
        if (waits.key != 0 && (key == waits.key || (key > waits.key && key < waits.key_end + kBehind)))
            return number;
        if (waits.loop || waits.target) first = number;
    }
    for (usize i = f.omp.size(); i-- > 0 && !f.omp[i].is_body;)
        if (f.omp[i].task != 0 && task(f.omp[i].task).body == body) return f.omp[i].task;
    return first;
}

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

void leave_task(u32 number) {
    while (number != 0) {
        Task& left = task(number);
        if (--left.users != 0) return;
        omp_order().forget(left.words, kTaskWords * 4);
        if (left.children_depend != nullptr)
            for (const u32 dependence : *left.children_depend) {
                omp_order().forget(state->dependences[dependence].words, kDependWords * 4);
                state->dependences[dependence].parent = 0;
                state->free_dependences.push_back(dependence);
            }
        drop(left.children_depend);
        drop(left.depends);
        state->free_tasks.push_back(number);
        number = left.parent;
    }
}

u32 new_group() { return static_cast<u32>((new_words(1) & ~kOmpWords) / 4); }

void stop_waiting(u32 number) { remove(state->waiting, number); }

void release_task(const RacingThread& f, u32 number) {
    const Task& of = task(number);
    if (of.parent != 0) release(f, word_of(task(of.parent).words, kChildrenDone));
    if (of.team != 0) release(f, word_of(team(of.team).words, kTasksDone));
    if (of.group != 0) release(f, group_word(of.group));
    release_dependences(f, number);
}

void await_event(u32 number) {
    ++task(number).users;
    state->events.push_back(number);
}

// The event of libgomp is its task, at the begin of the block with the data; that of libomp lies before the task.
void tell_event(const RacingThread& f, Address event) {
    constexpr Address kBefore = 1024;
    for (usize i = 0; i < state->events.size(); ++i) {
        const u32 number = state->events[i];
        if (task(number).key - event >= kBefore) continue;
        release_task(f, number);
        remove(state->events, number);
        return leave_task(number);
    }
}

void end_team(u32 number) {
    remove(state->open_teams, number);
    omp_order().forget(team(number).words, kTeamWords * 4);
    // What is left of loops of tasks.
    for (usize i = state->waiting.size(); i-- > 0;)
        if (const u32 left = state->waiting[i]; task(left).team == number) {
            stop_waiting(left);
            leave_task(left);
        }
}

// Dependences

void add_gomp_dependences(u32 of, Address list) {
    for_each_gomp_dependence(list, [&](Address at, DependKind kind) { add_dependence(of, at, kind); });
}
void add_kmp_dependences(u32 of, u64 count, Address list) {
    for_each_kmp_dependence(count, list, [&](Address at, DependKind kind) { add_dependence(of, at, kind); });
}
void acquire_dependences(const RacingThread& f, u32 of) {
    if (task(of).depends == nullptr) return;
    for (const DependUse& use : *task(of).depends) acquire_dependence(f, use);
}
void release_dependences(const RacingThread& f, u32 of) {
    if (task(of).depends == nullptr) return;
    for (const DependUse& use : *task(of).depends) release_dependence(f, use);
}

// Strands of tasks

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

}  // namespace memspy::races
