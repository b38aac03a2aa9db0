// SPDX-License-Identifier: GPL-2.0-or-later
//
// Teams of threads and the graph of tasks, for openmp.h: what each waits for, as words that are released and
// acquired. No Valgrind here.
#pragma once

#include "analyses/races/omp_host.h"
#include "rt/hash_map.h"

namespace memspy::races {

// Words that stand for what teams and tasks wait for.
constexpr Address kOmpWords = Address{1} << 63;

// Words of a team, and of a task.
enum TeamWord : u32 { kForked, kJoined, kTasksDone, kOrder, kCopied, kReduced, kMeeting, kTeamWords };
enum TaskWord : u32 { kCreated, kChildrenDone, kTaskWords };

struct OmpTeam {
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
    bool undeferred = false, final = false, loop = false, target = false, ended = false;
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
    rt::Vector<OmpTeam> teams;  // by number - 1
    rt::Vector<u32> open_teams;
    rt::Vector<Task*> tasks;  // by number - 1
    rt::Vector<u32> free_tasks;
    rt::Vector<u32> waiting;  // tasks that have not begun
    rt::Vector<u32> events;   // tasks whose event has not been told
    Address kmp_event;        // the task of libomp that gets an event
    rt::Vector<Dependence> dependences;
    rt::Vector<u32> free_dependences;
    rt::HashMap<u32> task_of_thread;  // implicit tasks of threads outside of teams: by serial
    rt::HashMap<KmpTask> kmp_tasks;   // by body
    rt::Vector<u32> strands;          // of tasks that have ended, the one that ended first in front
    u32 strands_made;
};
OmpState& omp_state();

inline lines::ObservedOrder& omp_order() { return *omp_state().host.order; }
inline void release(const RacingThread& f, Address word) {
    omp_order().release(f.strand, word, *omp_state().host.now);
}
inline void acquire(const RacingThread& f, Address word) { omp_order().acquire(f.strand, word); }

Address new_words(u32 count);
constexpr Address word_of(Address words, u32 number) { return words + Address{number} * 4; }

// Valid until the next one is made.
inline OmpTeam& team(u32 number) { return omp_state().teams[number - 1]; }
inline Task& task(u32 number) { return *omp_state().tasks[number - 1]; }
u32 new_team(Address body, Address data, u32 master);
// The team whose body a thread begins: the thread's own, or one that waits for threads.
u32 find_team(const RacingThread& f, Address body, Address data, bool by_data);
u32 new_task(u32 parent, u32 in_team, u32 group);
// It has ended, or one of its children has: it goes when nobody needs it.
void leave_task(u32 number);
// A task that has not begun: of libgomp by the block that its data are in, of libomp by its address; of a target
// region, the first one of the body.
// Otherwise it is what the thread's present call has made, which runs at once.
u32 find_task(const RacingThread& f, Address body, Address key);
void stop_waiting(u32 task);  // it has begun
void await_event(u32 task);   // it is done when its event is told
void tell_event(const RacingThread& f, Address event);
// What it did is before those who wait for it.
void release_task(const RacingThread& f, u32 number);
void end_team(u32 number);

// Groups are words, too.
u32 new_group();
constexpr Address group_word(u32 group) { return kOmpWords | Address{group} * 4; }

// The clauses of libgomp's and of libomp's calls, as the task's.
void add_gomp_dependences(u32 of, Address list);
void add_kmp_dependences(u32 of, u64 count, Address list);
// What a task or a wait needs of those before it; and its end.
void acquire_dependences(const RacingThread& f, u32 of);
void release_dependences(const RacingThread& f, u32 of);

u32 take_strand();

}  // namespace memspy::races
