// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions of libgomp and libomp by name, and what a call of each means for the order of threads and tasks; and one
// of the C library whose arguments tell more than its name.
// No Valgrind here.
#pragma once

#include "rt/base.h"

namespace memspy::races {

enum class OmpFunction : u8 {
    None,
    // libgomp
    Parallel,       // (body, data): runs the body in a team until it returns
    ParallelStart,  // the same until ParallelEnd, which old compilers ask for
    ParallelEnd,
    Task,        // (body, data, copy, bytes, alignment, if, flags, depend)
    TaskLoop,    // (body, data, copy, bytes, alignment, flags)
    WaitFor,     // (depend)
    Target,      // what is below in the stack is the region's own
    TargetTask,  // the same: (device, body, count, data, sizes, kinds, flags, depend)
    TargetTeam,  // (least, most, threads, first): before each team, and behind the last one
    CopyStart,
    CopyEnd,
    // libomp: (place, thread, ...)
    Fork,             // (place, count, body)
    AllocateTask,     // (..., flags, bytes, shared bytes, body)
    DeferTask,        // (..., task)
    DeferWithDepend,  // (..., task, count, dependences)
    BeginTask,        // (..., task): the caller runs it now
    DeferLoop,        // (..., task, if, lower, upper, stride, no group)
    WaitForSome,      // (..., count, dependences)
    AllowEvent,       // (..., task): it is done when its event is told
    Reduce,
    ReduceEnd,
    CopyPrivate,
    // of both
    Barrier,
    OrderedStart,
    OrderedEnd,
    TaskWait,
    GroupStart,
    GroupEnd,
    TellEvent,     // (event)
    ThreadNumber,  // its caller knows which thread it is
    DealOut,       // iterations, sections, a lock: to whoever comes first
    // Of the C library: (semaphore, shared, count)
    MakeSemaphore,
    // Not functions of the libraries: what they call.
    TeamBody,     // (data)
    TaskBody,     // (data)
    ForkedBody,   // of libomp: (...)
    KmpTaskBody,  // of libomp: (thread, task)
};

// `name` as in the symbol table.
OmpFunction omp_function(const char* name);
// Whether the function orders threads by words of its own, one iteration of a loop after another.
bool is_doacross(const char* name);

}  // namespace memspy::races
