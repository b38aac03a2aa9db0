// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of MPI's one-sided operations. Bytes to the target are sent, bytes from it received. Windows have
// groups, not communicators. An operation owns its buffers until its window is synchronised (`window`), or,
// if it has a request, until that completes.
#include "preload/mpi_wrap.h"

static void puts_to(Call* call, W buffer, W count, W type, W target) {
    set_sent(call, bytes_of(call, count, type), target, 0);
    if (!is_nobody(target)) gives(call, "origin_addr", buffer, count, type);
}
static void gets_from(Call* call, const char* parameter, W buffer, W count, W type, W target) {
    if (is_nobody(target)) return;
    call->facts.received = bytes_of(call, count, type);
    call->facts.source = peer_of(target);
    takes(call, parameter, buffer, count, type);
}
// With MPI_NO_OP the origin's buffer and type have no meaning.
static void gives_operand(const Call* call, const char* parameter, W buffer, W count, W type, W target,
                          W op) {
    if (!is_nobody(target) && handle(op) != library.no_op) gives(call, parameter, buffer, count, type);
}
// Where the target's window is used, for comparison with what other ranks do there.
static void aims_at(Call* call, W offset, W count, W type, W target) {
    if (!call->checks || is_nobody(target)) return;
    call->facts.target_offset = (long)offset;
    call->facts.target_bytes = bytes_of(call, count, type);
    tell_buffer("target", kMpiAtTarget, 0, count_of(call, count), type);
}
static void combines_at(Call* call, W offset, W count, W type, W target, W op) {
    set_op(call, op);
    aims_at(call, offset, count, type, target);
}
static void set_window(Call* call, W result, W win) {
    call->facts.failed = (int)result != 0;
    if (call->checks) call->facts.window = handle(win);
}

#define RMA_PARAMETERS W address, W count, W type, W target, W offset, W in_count, W in_type, W win
#define RMA_ARGUMENTS address, count, type, target, offset, in_count, in_type, win
#define ACCUMULATE_PARAMETERS                                                                                \
    W address, W count, W type, W target, W offset, W in_count, W in_type, W op, W win
#define ACCUMULATE_ARGUMENTS address, count, type, target, offset, in_count, in_type, op, win
WRAP_COUNTS(Put, 8W, (RMA_PARAMETERS), (RMA_ARGUMENTS), win,
            aims_at(&call, offset, in_count, in_type, target);
            puts_to(&call, address, count, type, target), set_window(&call, result, win))
WRAP_COUNTS(Get, 8W, (RMA_PARAMETERS), (RMA_ARGUMENTS), win,
            aims_at(&call, offset, in_count, in_type, target);
            gets_from(&call, "origin_addr", address, count, type, target), set_window(&call, result, win))
WRAP_COUNTS(Accumulate, 9W, (ACCUMULATE_PARAMETERS), (ACCUMULATE_ARGUMENTS), win,
            combines_at(&call, offset, in_count, in_type, target, op);
            puts_to(&call, address, count, type, target), set_window(&call, result, win))
WRAP_COUNTS(Rput, 9W, (RMA_PARAMETERS, W request), (RMA_ARGUMENTS, request), win,
            aims_at(&call, offset, in_count, in_type, target);
            puts_to(&call, address, count, type, target), set_request(&call, result, request))
WRAP_COUNTS(Rget, 9W, (RMA_PARAMETERS, W request), (RMA_ARGUMENTS, request), win,
            aims_at(&call, offset, in_count, in_type, target);
            gets_from(&call, "origin_addr", address, count, type, target),
            set_request(&call, result, request))
WRAP_COUNTS(Raccumulate, 10W, (ACCUMULATE_PARAMETERS, W request), (ACCUMULATE_ARGUMENTS, request), win,
            combines_at(&call, offset, in_count, in_type, target, op);
            puts_to(&call, address, count, type, target), set_request(&call, result, request))
#define FETCH_PARAMETERS                                                                                     \
    W address, W count, W type, W result_address, W result_count, W result_type, W target, W offset,         \
        W in_count, W in_type, W op, W win
#define FETCH_ARGUMENTS                                                                                      \
    address, count, type, result_address, result_count, result_type, target, offset, in_count, in_type, op,  \
        win
#define FETCHES                                                                                              \
    combines_at(&call, offset, in_count, in_type, target, op);                                               \
    gets_from(&call, "result_addr", result_address, result_count, result_type, target);                      \
    gives_operand(&call, "origin_addr", address, count, type, target, op)
WRAP_COUNTS(Get_accumulate, 12W, (FETCH_PARAMETERS), (FETCH_ARGUMENTS), win, FETCHES,
            set_window(&call, result, win))
WRAP_COUNTS(Rget_accumulate, 13W, (FETCH_PARAMETERS, W request), (FETCH_ARGUMENTS, request), win, FETCHES,
            set_request(&call, result, request))
WRAP(Fetch_and_op, 7W, (W address, W result_address, W type, W target, W offset, W op, W win),
     (address, result_address, type, target, offset, op, win), win,
     combines_at(&call, offset, 1, type, target, op);
     gets_from(&call, "result_addr", result_address, 1, type, target);
     gives_operand(&call, "origin_addr", address, 1, type, target, op), set_window(&call, result, win))
WRAP(Compare_and_swap, 7W, (W address, W expected, W result_address, W type, W target, W offset, W win),
     (address, expected, result_address, type, target, offset, win), win,
     aims_at(&call, offset, 1, type, target);
     gets_from(&call, "result_addr", result_address, 1, type, target);
     gives_operand(&call, "origin_addr", address, 1, type, target, 0);
     gives_operand(&call, "compare_addr", expected, 1, type, target, 0), set_window(&call, result, win))

#define OPENS(name, words, parameters, arguments)                                                            \
    WRAP(name, words, parameters, arguments, win, NOTHING, NOTHING)
#define CLOSES(name, words, parameters, arguments, rank)                                                     \
    WRAP(name, words, parameters, arguments, win, call.facts.awaits = (int)(rank),                           \
         synchronised(&call, result, win, (int)(rank)))
WRAP(Win_lock, WWWW, (W type, W rank, W assertions, W win), (type, rank, assertions, win), win,
     call.facts.awaits = peer_of(rank);
     call.facts.is_exclusive = (int)type == library.lock_exclusive, NOTHING)
OPENS(Win_lock_all, WW, (W assertions, W win), (assertions, win))
#define OPENS_TO(name)                                                                                       \
    WRAP(name, WWW, (W group, W assertions, W win), (group, assertions, win), win,                           \
         if (uses_object(kMpiGroup, group) == kMpiUsable && call.checks) tell_partners(win, group), NOTHING)
OPENS_TO(Win_start)
OPENS_TO(Win_post)
OPENS(Win_wait, W, (W win), (win))
OPENS(Win_sync, W, (W win), (win))
WRAP(Win_test, WW, (W win, W flag), (win, flag), win, NOTHING, set_in_vain(&call, result, flag))
CLOSES(Win_fence, WW, (W assertions, W win), (assertions, win), kMpiNobody)
CLOSES(Win_unlock, WW, (W rank, W win), (rank, win), rank)
CLOSES(Win_flush, WW, (W rank, W win), (rank, win), rank)
CLOSES(Win_flush_local, WW, (W rank, W win), (rank, win), rank)
CLOSES(Win_unlock_all, W, (W win), (win), kMpiNobody)
CLOSES(Win_flush_all, W, (W win), (win), kMpiNobody)
CLOSES(Win_flush_local_all, W, (W win), (win), kMpiNobody)
CLOSES(Win_complete, W, (W win), (win), kMpiNobody)

enum { kMostSharing = 64 };  // ranks, as the tool's tables have them
INLINE void window_made(W comm, W result, W win, W unit, W base, W bytes, const char* maker) {
    int self = -1;
    if ((int)result != 0 || library.comm_rank(comm, &self) != 0) return;
    const MpiWindowFacts facts = {handle_at((const void*)win, 0), (W)(int)unit, base, bytes, self};
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_WINDOW, &facts, 0, 0, 0, 0);
    // Now, since all ranks make their windows in the same order.
    describe(kMpi_Put, facts.handle);
    note_made(kMpiWindow, win, maker);
}
// All ranks' parts are in this rank's memory, wherever it asks for them.
static void shared_made(W comm, W result, W win, W unit, const char* maker) {
    int size = 0;
    window_made(comm, result, win, unit, 0, 0, maker);
    if ((int)result != 0 || library.comm_size(comm, &size) != 0 || size > kMostSharing) return;
    const W window = handle_at((const void*)win, 0);
    for (int rank = 0; rank < size; ++rank) {
        long bytes = 0;
        int unit_there = 0;
        W base = 0;
        if (library.win_shared(window, rank, &bytes, &unit_there, &base) == 0 && bytes > 0)
            VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_SHARED_PART, window, rank, base, bytes, 0);
    }
}
// With large counts the unit is one, too; no part has units of 2 GiB.
#define MAKES_WINDOWS(suffix, further)                                                                       \
    WRAP_AS(Win_create##suffix, kMpi_Win_create + further, NOTHING, 6W,                                       \
            (W base, W bytes, W unit, W info, W comm, W win), (base, bytes, unit, info, comm, win), comm,     \
            NOTHING, window_made(comm, result, win, unit, base, bytes, "MPI_Win_create" #suffix))             \
    WRAP_AS(Win_allocate##suffix, kMpi_Win_allocate + further, NOTHING, 6W,                                   \
            (W bytes, W unit, W info, W comm, W base, W win), (bytes, unit, info, comm, base, win), comm,     \
            NOTHING,                                                                                         \
            window_made(comm, result, win, unit, *(const W*)base, bytes, "MPI_Win_allocate" #suffix))         \
    WRAP_AS(Win_allocate_shared##suffix, kMpi_Win_allocate_shared + further, NOTHING, 6W,                     \
            (W bytes, W unit, W info, W comm, W base, W win), (bytes, unit, info, comm, base, win), comm,     \
            NOTHING, shared_made(comm, result, win, unit, "MPI_Win_allocate_shared" #suffix))
MAKES_WINDOWS(, 0)
MAKES_WINDOWS(_c, kMpiCalls)
WRAP(Win_create_dynamic, WWW, (W info, W comm, W win), (info, comm, win), comm, NOTHING,
     window_made(comm, result, win, 1, 0, 0, "MPI_Win_create_dynamic"))
WRAP_AS(Win_free, kMpi_Win_free, gone(object);
        note_freed(kMpiWindow, object), W, (W object), (object), 0, NOTHING, NOTHING)
