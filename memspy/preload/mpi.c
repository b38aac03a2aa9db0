// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of MPI's functions for messages and requests, and of those at the beginning and the end. One
// source serves both families of implementations (mpi_library.h).
//
// A library's own name for a function (PMPI_Send) and the public one have the same address. So Fortran's
// entry points, which call either, are seen as the C functions that they call.
#include "preload/mpi_letters.h"
#include "preload/mpi_wrap.h"

extern int sched_yield(void) __attribute__((weak));

// `by_program`: it frees the request. Else nobody follows it any more.
INLINE void forget(W request, int by_program) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_FORGET, request, by_program, 0, 0, 0);
}

static void gives_to(Call* call, W buffer, W count, W type, W to, W tag) {
    set_sent(call, bytes_of(call, count, type), to, tag);
    set_given(call, count, type);
    if (!is_nobody(to)) gives(call, "buf", buffer, count, type);
}
static void takes_from(Call* call, W buffer, W count, W type, W from, W tag) {
    set_awaited(call, from, tag);
    set_taken(call, count, type);
    if (!is_nobody(from)) takes(call, "buf", buffer, count, type);
}

// A message that was matched by a probe belongs to the probe's communicator.
INLINE void matched(W message, W comm, W from, const char* probe) {
    if (!is_nobody(from)) note_made(kMpiMessage, message, probe);
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_MATCHED, handle_at((const void*)message, 0), handle(comm),
                                    0, 0, 0);
}
static W matched_comm(W message) {
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_MATCHED_COMM, handle_at((const void*)message, 0),
                                           0, 0, 0, 0);
}

#define SENDS(name)                                                                                          \
    WRAP_COUNTS(name, 6W, (W buffer, W count, W type, W to, W tag, W comm),                                  \
                (buffer, count, type, to, tag, comm), comm, gives_to(&call, buffer, count, type, to, tag),   \
                NOTHING)
// A send that waits for its receive is another function of the same parameters.
#define UNBUFFERED(name)                                                                                     \
    if (call.unbuffered && library.name[call.large] != 0) original.nraddr = (W)library.name[call.large]
WRAP_COUNTS(Send, 6W, (W buffer, W count, W type, W to, W tag, W comm), (buffer, count, type, to, tag, comm),
            comm, gives_to(&call, buffer, count, type, to, tag);
            UNBUFFERED(ssend), NOTHING)
SENDS(Bsend)
SENDS(Ssend)
SENDS(Rsend)

#define BEGINS_SEND(name, is_persistent) BEGINS_SEND_AS(name, is_persistent, NOTHING)
#define BEGINS_SEND_AS(name, is_persistent, CHANGE)                                                          \
    WRAP_COUNTS(name, 7W, (W buffer, W count, W type, W to, W tag, W comm, W request),                       \
                (buffer, count, type, to, tag, comm, request), comm,                                         \
                gives_to(&call, buffer, count, type, to, tag);                                               \
                CHANGE, call.facts.persistent = is_persistent; set_request(&call, result, request))
BEGINS_SEND_AS(Isend, 0, UNBUFFERED(issend))
BEGINS_SEND(Ibsend, 0)
BEGINS_SEND(Issend, 0)
BEGINS_SEND(Irsend, 0)
BEGINS_SEND_AS(Send_init, 1, UNBUFFERED(ssend_init))
BEGINS_SEND(Bsend_init, 1)
BEGINS_SEND(Ssend_init, 1)
BEGINS_SEND(Rsend_init, 1)

#define BEGINS_RECEIVE(name, is_persistent)                                                                  \
    WRAP_COUNTS(name, 7W, (W buffer, W count, W type, W from, W tag, W comm, W request),                     \
                (buffer, count, type, from, tag, comm, request), comm,                                       \
                takes_from(&call, buffer, count, type, from, tag), call.facts.persistent = is_persistent;    \
                set_request(&call, result, request))
BEGINS_RECEIVE(Irecv, 0)
BEGINS_RECEIVE(Recv_init, 1)

// Partitioned messages of MPI 4: counts are those of a partition, and MPI_Count.
static void uses_partitions(Call* call, int use, W buffer, W partitions, W count, W type) {
    const long elements = (long)(int)partitions * (long)count;
    call->facts.partitions = (int)partitions;
    call->facts.sent = use == kMpiReads ? (W)(elements * size_of_type(type)) : 0;
    call->facts.received = use == kMpiWrites ? (W)(elements * size_of_type(type)) : 0;
    if (call->types)
        *(use == kMpiReads ? &call->facts.given : &call->facts.taken) = types_of((W)elements, type);
    if (call->checks) tell_partitions("buf", use, buffer, (int)partitions, (long)count, type);
}
#define PARTITIONED(name, BEFORE)                                                                            \
    WRAP(                                                                                                    \
        name, 9W, (W buffer, W partitions, W count, W type, W peer, W tag, W comm, W info, W request),       \
        (buffer, partitions, count, type, peer, tag, comm, info, request), comm,                             \
        if (!is_nobody(peer)) {                                                                              \
            BEFORE;                                                                                          \
            call.facts.tag = (int)tag;                                                                       \
        },                                                                                                   \
        call.facts.persistent = 1;                                                                           \
        set_request(&call, result, request))
PARTITIONED(Psend_init, call.facts.peer = peer_of(peer);
            uses_partitions(&call, kMpiReads, buffer, partitions, count, type))
PARTITIONED(Precv_init, call.facts.source = peer_of(peer);
            uses_partitions(&call, kMpiWrites, buffer, partitions, count, type))
INLINE void marks_ready(Call* call, W request, int low, int high) {
    call->facts.request = handle(request);
    call->facts.partitions += high - low + 1;
    if (call->checks) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_READY, handle(request), low, high, 0, 0);
}
#define MARKS_READY(name, words, parameters, arguments, BEFORE)                                              \
    WRAP(name, words, parameters, arguments, 0, BEFORE, call.facts.failed = (int)result != 0)
MARKS_READY(Pready, WW, (W partition, W request), (partition, request),
            marks_ready(&call, request, (int)partition, (int)partition))
MARKS_READY(Pready_range, WWW, (W low, W high, W request), (low, high, request),
            marks_ready(&call, request, (int)low, (int)high))
MARKS_READY(Pready_list, WWW, (W count, W list, W request), (count, list, request),
            for (int i = 0; i < (int)count; ++i)
                marks_ready(&call, request, ((const int*)list)[i], ((const int*)list)[i]))
WRAP(Parrived, WWW, (W request, W partition, W flag), (request, partition, flag), 0, NOTHING,
     set_in_vain(&call, result, flag);
     if (call.checks && (int)result == 0 && *(const int*)flag != 0)
         VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_PART_ARRIVED, handle(request), (int)partition, 0, 0,
                                         0))

WRAP_STATUS(Recv, 7W, (W buffer, W count, W type, W from, W tag, W comm, W status),
            (buffer, count, type, from, tag, comm, status), comm,
            takes_from(&call, buffer, count, type, from, tag), set_received(&call, status))
WRAP_STATUS(Mrecv, 5W, (W buffer, W count, W type, W message, W status),
            (buffer, count, type, message, status), matched_comm(message), note_freed(kMpiMessage, message);
            set_taken(&call, count, type);
            takes(&call, "buf", buffer, count, type), set_received(&call, status))
#define SENDRECV_PARAMETERS                                                                                  \
    W buffer, W count, W type, W to, W tag, W in, W in_count, W in_type, W from, W in_tag, W comm
#define SENDRECV_ARGUMENTS buffer, count, type, to, tag, in, in_count, in_type, from, in_tag, comm
#define SENDS_AND_TAKES                                                                                      \
    set_sent(&call, bytes_of(&call, count, type), to, tag);                                                  \
    set_awaited(&call, from, in_tag);                                                                        \
    set_given(&call, count, type);                                                                           \
    set_taken(&call, in_count, in_type);                                                                     \
    if (!is_nobody(to)) gives(&call, "sendbuf", buffer, count, type);                                        \
    if (!is_nobody(from)) takes(&call, "recvbuf", in, in_count, in_type)
#define REPLACE_PARAMETERS W buffer, W count, W type, W to, W tag, W from, W in_tag, W comm
#define REPLACE_ARGUMENTS buffer, count, type, to, tag, from, in_tag, comm
#define SENDS_AND_REPLACES                                                                                   \
    set_sent(&call, bytes_of(&call, count, type), to, tag);                                                  \
    set_awaited(&call, from, in_tag);                                                                        \
    set_given(&call, count, type);                                                                           \
    set_taken(&call, count, type);                                                                           \
    if (call.checks)                                                                                         \
    tell_buffer("buf", (is_nobody(to) ? 0 : kMpiReads) | (is_nobody(from) ? 0 : kMpiWrites), buffer,         \
                count_of(&call, count), type)
WRAP_STATUS(Sendrecv, 12W, (SENDRECV_PARAMETERS, W status), (SENDRECV_ARGUMENTS, status), comm,
            SENDS_AND_TAKES, set_received(&call, status))
WRAP_STATUS(Sendrecv_replace, 9W, (REPLACE_PARAMETERS, W status), (REPLACE_ARGUMENTS, status), comm,
            SENDS_AND_REPLACES, set_received(&call, status))
// Of MPI 4. Their status is that of the receive.
WRAP_COUNTS(Isendrecv, 12W, (SENDRECV_PARAMETERS, W request), (SENDRECV_ARGUMENTS, request), comm,
            SENDS_AND_TAKES, set_request(&call, result, request))
WRAP_COUNTS(Isendrecv_replace, 9W, (REPLACE_PARAMETERS, W request), (REPLACE_ARGUMENTS, request), comm,
            SENDS_AND_REPLACES, set_request(&call, result, request))
WRAP_COUNTS(Imrecv, 5W, (W buffer, W count, W type, W message, W request),
            (buffer, count, type, message, request), matched_comm(message), note_freed(kMpiMessage, message);
            set_taken(&call, count, type);
            takes(&call, "buf", buffer, count, type), set_request(&call, result, request))
WRAP(Iprobe, 5W, (W from, W tag, W comm, W flag, W status), (from, tag, comm, flag, status), comm,
     set_awaited(&call, from, tag), set_in_vain(&call, result, flag))
WRAP(Improbe, 6W, (W from, W tag, W comm, W flag, W message, W status),
     (from, tag, comm, flag, message, status), comm, set_awaited(&call, from, tag),
     set_in_vain(&call, result, flag);
     if ((int)result == 0 && *(const int*)flag != 0) matched(message, comm, from, "MPI_Improbe"))
WRAP(Probe, WWWW, (W from, W tag, W comm, W status), (from, tag, comm, status), comm,
     set_awaited(&call, from, tag), NOTHING)
WRAP(Mprobe, 5W, (W from, W tag, W comm, W message, W status), (from, tag, comm, message, status), comm,
     set_awaited(&call, from, tag), if ((int)result == 0) matched(message, comm, from, "MPI_Mprobe"))

// Requests are identified before the call, because it sets the handles of completed ones to null.

#define WAIT_HEAD(name)                                                                                      \
    OrigFn original;                                                                                         \
    W result;                                                                                                \
    Call call;                                                                                               \
    VALGRIND_GET_ORIG_FN(original);                                                                          \
    find_library();

W WRAPPER(Start)(W request);
W WRAPPER(Start)(W request) {
    WAIT_HEAD(Start)
    enter(&call, kMpi_Start, 0);
    if (call.counts) check(&call, handle_at((const void*)request, 0));
    CALL_FN_W_W(result, original, request);
    set_request(&call, result, request);
    leave(&call);
    return result;
}
W WRAPPER(Startall)(W count, W requests);
W WRAPPER(Startall)(W count, W requests) {
    WAIT_HEAD(Startall)
    enter(&call, kMpi_Startall, 0);
    for (int i = 0; call.counts && i < (int)count; ++i) check(&call, handle_at((const void*)requests, i));
    CALL_FN_W_WW(result, original, count, requests);
    leave(&call);
    // As if each had been started alone; the calls take no time.
    for (int i = 0; call.counts && i < (int)count; ++i) {
        Call one;
        enter(&one, kMpi_Start, 0);
        if (one.counts)
            set_request(&one, result, (W)requests + (W)i * (library.is_ompi ? sizeof(W) : sizeof(int)));
        leave(&one);
    }
    return result;
}

W WRAPPER(Wait)(W request, W status);
W WRAPPER(Wait)(W request, W status) {
    WAIT_HEAD(Wait)
    OWN_STATUS(status)
    enter(&call, kMpi_Wait, 0);
    const W before = call.counts ? handle_at((const void*)request, 0) : 0;
    MpiAwaited awaited = 0;
    await(call.counts, &before, &awaited);
    CALL_FN_W_WW(result, original, request, status);
    if (result == 0) complete(&awaited, (const char*)status);
    give_back(1, &awaited, result);
    leave(&call);
    return result;
}
W WRAPPER(Test)(W request, W flag, W status);
W WRAPPER(Test)(W request, W flag, W status) {
    WAIT_HEAD(Test)
    OWN_STATUS(status)
    enter(&call, kMpi_Test, 0);
    const W before = call.counts ? handle_at((const void*)request, 0) : 0;
    MpiAwaited awaited = 0;
    await(call.counts, &before, &awaited);
    CALL_FN_W_WWW(result, original, request, flag, status);
    set_in_vain(&call, result, flag);
    if (result == 0 && *(const int*)flag != 0) complete(&awaited, (const char*)status);
    give_back(1, &awaited, result);
    leave(&call);
    return result;
}

enum { kMostAtOnce = 4096 };  // requests of one call that are followed

// Handles before the call, their requests, and statuses of the wrapper's own if the program wants none.
#define MANY_HEAD(name, amount)                                                                              \
    WAIT_HEAD(name)                                                                                          \
    enter(&call, kMpi_##name, 0);                                                                            \
    const int many = call.counts && (int)(amount) > 0 && (int)(amount) <= kMostAtOnce ? (int)(amount) : 0;   \
    W before[many + 1];                                                                                      \
    MpiAwaited awaited[many + 1];                                                                            \
    char own[(unsigned long)(many + 1) * kMostStatus] __attribute__((aligned(8)));                           \
    for (int i = 0; i < many; ++i) {                                                                         \
        before[i] = handle_at((const void*)requests, i);                                                     \
        awaited[i] = 0;                                                                                      \
    }                                                                                                        \
    await(many, before, awaited);                                                                            \
    if (call.counts && (int)(amount) > kMostAtOnce)                                                          \
        for (int i = 0; i < (int)(amount); ++i) forget(handle_at((const void*)requests, i), 0);

// The call's statuses, for an error that it finds. All are set then.
static void keep_statuses(int many, W statuses) {
    const MpiStatuses all = {statuses, many};
    if (many > 0) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_KEEP_STATUSES, &all, 0, 0, 0, 0);
}

static inline __attribute__((always_inline)) void complete_all(int many, MpiAwaited* awaited, W statuses) {
    for (int i = 0; i < many; ++i)
        complete(&awaited[i], (const char*)statuses + (unsigned long)i * library.status_bytes);
}

W WRAPPER(Waitall)(W count, W requests, W statuses);
W WRAPPER(Waitall)(W count, W requests, W statuses) {
    MANY_HEAD(Waitall, count)
    if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;
    keep_statuses(many, statuses);
    CALL_FN_W_WWW(result, original, count, requests, statuses);
    if (result == 0) complete_all(many, awaited, statuses);
    give_back(many, awaited, result);
    leave(&call);
    return result;
}
W WRAPPER(Testall)(W count, W requests, W flag, W statuses);
W WRAPPER(Testall)(W count, W requests, W flag, W statuses) {
    MANY_HEAD(Testall, count)
    if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;
    keep_statuses(many, statuses);
    CALL_FN_W_WWWW(result, original, count, requests, flag, statuses);
    set_in_vain(&call, result, flag);
    if (result == 0 && *(const int*)flag != 0) complete_all(many, awaited, statuses);
    give_back(many, awaited, result);
    leave(&call);
    return result;
}
W WRAPPER(Waitany)(W count, W requests, W index, W status);
W WRAPPER(Waitany)(W count, W requests, W index, W status) {
    MANY_HEAD(Waitany, count)
    if (many > 0 && status == library.ignore_status) status = (W)own;
    CALL_FN_W_WWWW(result, original, count, requests, index, status);
    const int chosen = *(const int*)index;
    if (result == 0 && chosen >= 0 && chosen < many) complete(&awaited[chosen], (const char*)status);
    give_back(many, awaited, result);
    leave(&call);
    return result;
}
W WRAPPER(Testany)(W count, W requests, W index, W flag, W status);
W WRAPPER(Testany)(W count, W requests, W index, W flag, W status) {
    MANY_HEAD(Testany, count)
    if (many > 0 && status == library.ignore_status) status = (W)own;
    CALL_FN_W_5W(result, original, count, requests, index, flag, status);
    set_in_vain(&call, result, flag);
    const int chosen = *(const int*)index;
    if (result == 0 && *(const int*)flag != 0 && chosen >= 0 && chosen < many)
        complete(&awaited[chosen], (const char*)status);
    give_back(many, awaited, result);
    leave(&call);
    return result;
}
#define SOME(name)                                                                                           \
    W WRAPPER(name)(W count, W requests, W out_count, W indices, W statuses);                                \
    W WRAPPER(name)(W count, W requests, W out_count, W indices, W statuses) {                               \
        MANY_HEAD(name, count)                                                                               \
        if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;                              \
        CALL_FN_W_5W(result, original, count, requests, out_count, indices, statuses);                       \
        set_in_vain(&call, result, out_count);                                                               \
        const int done = result == 0 && many > 0 ? *(const int*)out_count : 0;                               \
        for (int i = 0; i < done; ++i)                                                                       \
            complete(&awaited[((const int*)indices)[i]],                                                     \
                     (const char*)statuses + (unsigned long)i * library.status_bytes);                       \
        give_back(many, awaited, result);                                                                    \
        leave(&call);                                                                                        \
        return result;                                                                                       \
    }
SOME(Waitsome)
SOME(Testsome)

// In these the library may complete requests, too.
// The request stays. Its buffers are the program's if it is complete.
W WRAPPER(Request_get_status)(W request, W flag, W status);
W WRAPPER(Request_get_status)(W request, W flag, W status) {
    WAIT_HEAD(Request_get_status)
    OWN_STATUS(status)
    enter(&call, kMpi_Request_get_status, 0);
    const W known = handle(request);
    MpiAwaited awaited = 0;
    await(call.counts, &known, &awaited);
    CALL_FN_W_WWW(result, original, request, flag, status);
    set_in_vain(&call, result, flag);
    if (call.checks && (int)result == 0 && *(const int*)flag != 0 && awaited != 0) {
        const int receives = (awaited & kMpiAwaitedReceives) != 0;
        const W bytes = receives ? read_status(awaited, (const char*)status).received : 0;
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_FOUND_COMPLETE, awaited, bytes, 0, 0, 0);
    }
    give_back(1, &awaited, result);
    leave(&call);
    return result;
}
WRAP(Cancel, W, (W request), (request), 0, NOTHING, NOTHING)

// The buffer of MPI_Bsend. Those of MPI 4.1 for one communicator or session, and a buffer without a size, which the
// library makes itself, have room for all.
INLINE void attach(W bytes) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_SEND_BUFFER, bytes, 0, 0, 0, 0);
}
static const W kRoomForAll = ~(W)0;
#define ATTACHES(name, words, parameters, arguments, bytes)                                                  \
    WRAP_PLAIN(name, words, parameters, arguments, NOTHING, if ((int)result == 0) attach(bytes))
ATTACHES(Buffer_attach, WW, (W buffer, W bytes), (buffer, bytes), (int)bytes > 0 ? (W)(int)bytes : kRoomForAll)
ATTACHES(Buffer_attach_c, WW, (W buffer, W bytes), (buffer, bytes), bytes > 0 ? bytes : kRoomForAll)
ATTACHES(Comm_attach_buffer, WWW, (W comm, W buffer, W bytes), (comm, buffer, bytes), kRoomForAll)
ATTACHES(Comm_attach_buffer_c, WWW, (W comm, W buffer, W bytes), (comm, buffer, bytes), kRoomForAll)
ATTACHES(Session_attach_buffer, WWW, (W session, W buffer, W bytes), (session, buffer, bytes), kRoomForAll)
ATTACHES(Session_attach_buffer_c, WWW, (W session, W buffer, W bytes), (session, buffer, bytes), kRoomForAll)
WRAP_COUNTS(Buffer_detach, WW, (W buffer, W bytes), (buffer, bytes), 0, NOTHING,
            if ((int)result == 0) attach(0))

W WRAPPER(Request_free)(W request);
W WRAPPER(Request_free)(W request) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    find_library();
    if (library.found == 1) forget(handle_at((const void*)request, 0), 1);
    CALL_FN_W_W(result, original, request);
    return result;
}

// --- the world

extern void _exit(int) __attribute__((weak));
// The tool has a thread go on here when all ranks are stuck.
static void end_stuck_program(void) { _exit(1); }

static void tell_rank(int rank, int size) {
    int level = kMpiThreadsMultiple;
    if (library.query_thread(&level) != 0) level = kMpiThreadsMultiple;
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_WORLD, rank, size, _exit == 0 ? 0 : (W)end_stuck_program,
                                    level, 0);
}
static void tell_world(void) {
    int rank = 0, size = 0;
    find_library();
    if (library.found != 1 || library.comm_rank(library.comm_world, &rank) != 0 ||
        library.comm_size(library.comm_world, &size) != 0)
        return;
    tell_rank(rank, size);
}
// A program of sessions has no MPI_COMM_WORLD, but a group of the same ranks.
static void tell_session(W session) {
    int rank = 0, size = 0;
    find_library();
    if (library.found != 1 || library.group_from_session == 0) return;
    if (library.session_world == 0 &&
        library.group_from_session(session, "mpi://WORLD", &library.session_world) != 0)
        library.session_world = 0;
    if (library.session_world == 0 || library.group_rank(library.session_world, &rank) != 0 ||
        library.group_size(library.session_world, &size) != 0)
        return;
    tell_rank(rank, size);
}

INLINE void starts(int session) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_STARTS, session, 0, 0, 0, 0);
}
WRAP_PLAIN(Init, WW, (W count, W words), (count, words), starts(0), if (result == 0) tell_world())
WRAP_PLAIN(Init_thread, WWWW, (W count, W words, W required, W provided), (count, words, required, provided),
           starts(0), if (result == 0) tell_world())
WRAP_PLAIN(Session_init, WWW, (W info, W handler, W session), (info, handler, session), starts(1),
           if ((int)result == 0) tell_session(handle_at((const void*)session, 0)))
// MPI_COMM_WORLD, by which the ranks would exchange the types of their messages, may not exist.
INLINE void session_ends(void) {
    const W ends = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_ENDS, 0, 0, 0, 0, 0);
    if (ends != 0) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_NO_LETTERS, 1, 0, 0, 0, 0);
}
WRAP_PLAIN(Session_finalize, W, (W session), (session), session_ends(), NOTHING)
// With --mpi-hang a rank that has come to its end asks for messages until the others have, too: in a system
// call of the library it would find out nothing.
static void await_others(void) {
    char status[kMostStatus * 2];
    while (library.found == 1 &&
           VALGRIND_DO_CLIENT_REQUEST_EXPR(1, MEMSPY_REQ_MPI_MAY_END, 0, 0, 0, 0, 0) == 0) {
        int flag = 0;
        if (library.iprobe(library.any_source, library.any_tag, library.comm_world, &flag, status) != 0)
            return;
        if (sched_yield != 0) sched_yield();
    }
}
W WRAPPER(Finalize)(void);
W WRAPPER(Finalize)(void) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    find_library();
    const W ends = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_ENDS, 0, 0, 0, 0, 0);
    // Behind the request: these questions are not the program's.
    look_for_messages(library.comm_world, "MPI_Finalize");
    if (ends != 0) {
        Letters letters = exchange_letters();
        if (letters.in == 0) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_NO_LETTERS, 0, 0, 0, 0, 0);
        for (int i = 0; letters.in != 0 && i < letters.ranks; ++i) {
            const MpiLetter letter = {i, (W)(letters.in + letters.received_at[i]), (W)letters.received[i]};
            VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_LETTER_FROM, &letter, 0, 0, 0, 0);
        }
        free_letters(&letters);
    }
    await_others();
    CALL_FN_W_v(result, original);
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_HAS_ENDED, 0, 0, 0, 0, 0);
    return result;
}
