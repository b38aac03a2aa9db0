// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of MPI's functions, which report for each call: the bytes sent and received, the partner, the
// begin and the end; and tell the pieces of its buffers. One source serves both families of implementations
// (mpi_library.h).
//
// A library's own name for a function (PMPI_Send) and the public one have the same address. So Fortran's
// entry points, which call either, are seen as the C functions that they call. Functions that an
// implementation calls inside a call are not counted: the tool finds the outermost call (kMpiCounts).
//
// The wrappers' own questions to the library (sizes of types, ranks of groups) are local calls, which do not
// communicate.
#include "analyses/mpi/requests.h"

#include "memspy.h"
#include "preload/mpi_buffers.h"
#include "preload/mpi_library.h"

enum { kMostName = 256, kMostStatus = 32 };

static W bytes_of(W count, W type) {
    int size = 0;
    if ((int)count <= 0 || library.type_size(type, &size) != 0 || size < 0) return 0;
    return (W)(int)count * (W)size;
}
static W bytes_of_all(const int* counts, W comm, W type) {
    int size = 0;
    W sum = 0;
    if (counts == 0 || library.comm_size(comm, &size) != 0) return 0;
    for (int i = 0; i < size; ++i) sum += bytes_of((W)counts[i], type);
    return sum;
}
static int is_root(W comm, W root) {
    int rank = -1;
    return library.comm_rank(comm, &rank) == 0 && rank == (int)root;
}
static int peer_of(W rank) { return (int)rank < 0 ? kMpiNobody : (int)rank; }

// --- events

typedef struct {
    unsigned number;
    int counts;
    int checks;  // its buffers are checked
    MpiCallFacts facts;
} Call;

enum { kMostRanks = 4096 };  // of a group that is described rank by rank: a thread's stack may be small

// The group whose ranks the calls on a communicator or window name; for an intercommunicator that is the
// remote group. MPICH's groups are ints, so only the lower half of a W is written.
static void describe(unsigned call, W comm) {
    char name[kMostName] = "";
    int length = 0, inter = 0, size = 0;
    W group = 0, world = 0;
    if (call >= kMpi_Put && call <= kMpi_Win_flush) {
        if (library.win_group(comm, &group) != 0) return;
    } else {
        library.comm_name(comm, name, &length);
        library.comm_test_inter(comm, &inter);
        if ((inter != 0 ? library.comm_remote_group : library.comm_group)(comm, &group) != 0) return;
    }
    if (library.comm_group(library.comm_world, &world) == 0 && library.group_size(group, &size) == 0 &&
        size > 0) {
        const int listed = size <= kMostRanks ? size : 1;
        int ranks[listed], world_ranks[listed];
        for (int i = 0; i < listed; ++i) ranks[i] = i;
        MpiCommFacts facts = {handle(comm), name, 0, size};
        if (listed == size && library.translate(group, size, ranks, world, world_ranks) == 0)
            facts.world_ranks = world_ranks;
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMM, &facts, 0, 0, 0, 0);
    }
    if (world != 0) library.group_free(&world);
    library.group_free(&group);
}

// Inline, like leave(): the wrapper must be the innermost frame.
static inline __attribute__((always_inline)) void enter(Call* call, unsigned number, W comm) {
    find_library();
    call->number = number;
    call->counts = call->checks = 0;
    if (library.found != 1) return;
    const W known = comm == 0 ? 0 : handle(comm);
    const W said = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_ENTER, number, known, 0, 0, 0);
    call->counts = (said & kMpiCounts) != 0;
    call->checks = (said & kMpiChecks) != 0;
    call->facts = (MpiCallFacts){known, 0, 0, 0, kMpiNobody, kMpiNobody, 0, 0, 0, 0};
    if ((said & kMpiUnknownComm) != 0) describe(number, comm);
}

// The pieces are told, and the call is about to be made. `started`: a persistent request whose pieces were
// told before.
static inline __attribute__((always_inline)) void check(const Call* call, W started) {
    if (call->checks) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_CHECK, started, 0, 0, 0, 0);
}
static void gives(const Call* call, const char* parameter, W buffer, W count, W type) {
    if (call->checks) tell_buffer(parameter, kMpiReads, buffer, (int)count, type);
}
static void takes(const Call* call, const char* parameter, W buffer, W count, W type) {
    if (call->checks) tell_buffer(parameter, kMpiWrites, buffer, (int)count, type);
}
static int is_nobody(W rank) { return (int)rank == library.no_process; }

static inline __attribute__((always_inline)) void leave(const Call* call) {
    if (library.found == 1) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_LEAVE, &call->facts, 0, 0, 0, 0);
}

static void set_sent(Call* call, W bytes, W peer, W tag) {
    if ((int)peer == library.no_process) return;
    call->facts.sent = bytes;
    call->facts.peer = peer_of(peer);
    call->facts.tag = (int)tag;
}
static void set_request(Call* call, W result, W request) {
    call->facts.failed = (int)result != 0;
    if (call->counts) call->facts.request = handle_at((const void*)request, 0);
}

// In both families MPI_TAG follows MPI_SOURCE.
static MpiCompletion read_status(W request, const char* status) {
    MpiCompletion done = {request, 0, kMpiNobody, 0};
    int count = 0;
    const int* source = (const int*)(status + library.source_in_status);
    if (library.get_count(status, library.byte_type, &count) != 0 || count < 0) return done;
    done.received = (W)count;
    done.source = peer_of((W)source[0]);
    done.tag = source[1];
    return done;
}
static void set_received(Call* call, W status) {
    const MpiCompletion done = read_status(0, (const char*)status);
    call->facts.received = done.received;
    call->facts.source = done.source;
    call->facts.received_tag = done.tag;
    if (call->checks) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_ARRIVED, done.received, 0, 0, 0, 0);
}
static void forget(W request) { VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_FORGET, request, 0, 0, 0, 0); }
// The status of a send request has no information and need not be set.
static inline __attribute__((always_inline)) void complete_if_real(W request, const char* status) {
    if (request == 0 || request == library.null_request) return;
    const W receives = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_RECEIVES, request, 0, 0, 0, 0);
    const MpiCompletion done =
        receives != 0 ? read_status(request, status) : (MpiCompletion){request, 0, kMpiNobody, 0};
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMPLETE, &done, 0, 0, 0, 0);
}

// An error: what became of each request is not known.
static void forget_all(int many, const W* requests) {
    for (int i = 0; i < many; ++i) forget(requests[i]);
}

// --- the wrappers

#define WRAPPER(name) I_WRAP_SONAME_FNNAME_ZU(libmpiZa, MPI_##name)

// Code with `call`, `result` and the parameters that is executed first (LOCALS), before the call (BEFORE) and
// after it (AFTER).
#define WRAP_WITH(LOCALS, name, words, parameters, arguments, comm_handle, BEFORE, AFTER)                    \
    W WRAPPER(name) parameters;                                                                              \
    W WRAPPER(name) parameters {                                                                             \
        OrigFn original;                                                                                     \
        W result;                                                                                            \
        Call call;                                                                                           \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        LOCALS;                                                                                              \
        enter(&call, kMpi_##name, comm_handle);                                                              \
        if (call.counts) {                                                                                   \
            BEFORE;                                                                                          \
            check(&call, 0);                                                                                 \
        }                                                                                                    \
        WRAP_CALL_##words(arguments);                                                                        \
        if (call.counts) {                                                                                   \
            AFTER;                                                                                           \
        }                                                                                                    \
        leave(&call);                                                                                        \
        return result;                                                                                       \
    }
#define WRAP(name, words, parameters, arguments, comm_handle, BEFORE, AFTER)                                 \
    WRAP_WITH(NOTHING, name, words, parameters, arguments, comm_handle, BEFORE, AFTER)
#define WRAP_OPEN(...) __VA_ARGS__
#define WRAP_EXPAND(macro, ...) macro(__VA_ARGS__)
#define WRAP_CALL_W(arguments) WRAP_EXPAND(CALL_FN_W_W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_WW(arguments) WRAP_EXPAND(CALL_FN_W_WW, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_WWW(arguments) WRAP_EXPAND(CALL_FN_W_WWW, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_WWWW(arguments) WRAP_EXPAND(CALL_FN_W_WWWW, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_5W(arguments) WRAP_EXPAND(CALL_FN_W_5W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_6W(arguments) WRAP_EXPAND(CALL_FN_W_6W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_7W(arguments) WRAP_EXPAND(CALL_FN_W_7W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_8W(arguments) WRAP_EXPAND(CALL_FN_W_8W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_9W(arguments) WRAP_EXPAND(CALL_FN_W_9W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_10W(arguments) WRAP_EXPAND(CALL_FN_W_10W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_12W(arguments) WRAP_EXPAND(CALL_FN_W_12W, result, original, WRAP_OPEN arguments)

#define NOTHING (void)0

static void gives_to(Call* call, W buffer, W count, W type, W to, W tag) {
    set_sent(call, bytes_of(count, type), to, tag);
    if (!is_nobody(to)) gives(call, "buf", buffer, count, type);
}
static void takes_from(Call* call, W buffer, W count, W type, W from) {
    if (!is_nobody(from)) takes(call, "buf", buffer, count, type);
}

#define SENDS(name)                                                                                          \
    WRAP(name, 6W, (W buffer, W count, W type, W to, W tag, W comm), (buffer, count, type, to, tag, comm),   \
         comm, gives_to(&call, buffer, count, type, to, tag), NOTHING)
SENDS(Send)
SENDS(Bsend)
SENDS(Ssend)
SENDS(Rsend)

#define BEGINS_SEND(name, is_persistent)                                                                     \
    WRAP(name, 7W, (W buffer, W count, W type, W to, W tag, W comm, W request),                              \
         (buffer, count, type, to, tag, comm, request), comm,                                                \
         gives_to(&call, buffer, count, type, to, tag), call.facts.persistent = is_persistent;               \
         set_request(&call, result, request))
BEGINS_SEND(Isend, 0)
BEGINS_SEND(Ibsend, 0)
BEGINS_SEND(Issend, 0)
BEGINS_SEND(Irsend, 0)
BEGINS_SEND(Send_init, 1)
BEGINS_SEND(Bsend_init, 1)
BEGINS_SEND(Ssend_init, 1)
BEGINS_SEND(Rsend_init, 1)

#define BEGINS_RECEIVE(name, is_persistent)                                                                  \
    WRAP(name, 7W, (W buffer, W count, W type, W from, W tag, W comm, W request),                            \
         (buffer, count, type, from, tag, comm, request), comm,                                              \
         takes_from(&call, buffer, count, type, from),                                                       \
         call.facts.persistent = is_persistent;                                                              \
         set_request(&call, result, request))
BEGINS_RECEIVE(Irecv, 0)
BEGINS_RECEIVE(Recv_init, 1)

// A status of the wrapper's own if the program wants none.
#define OWN_STATUS(status)                                                                                   \
    char own[kMostStatus] __attribute__((aligned(8)));                                                       \
    find_library();                                                                                          \
    if (library.found == 1 && status == library.ignore_status) status = (W)own;

#define WRAP_STATUS(name, words, parameters, arguments, comm_handle, BEFORE, AFTER)                          \
    WRAP_WITH(OWN_STATUS(status), name, words, parameters, arguments, comm_handle, BEFORE, if (result == 0) { AFTER; })

WRAP_STATUS(Recv, 7W, (W buffer, W count, W type, W from, W tag, W comm, W status),
            (buffer, count, type, from, tag, comm, status), comm,
            takes_from(&call, buffer, count, type, from), set_received(&call, status))
WRAP_STATUS(Mrecv, 5W, (W buffer, W count, W type, W message, W status),
            (buffer, count, type, message, status), 0, takes(&call, "buf", buffer, count, type),
            set_received(&call, status))
WRAP_STATUS(Sendrecv, 12W,
            (W buffer, W count, W type, W to, W tag, W in, W in_count, W in_type, W from, W in_tag, W comm,
             W status),
            (buffer, count, type, to, tag, in, in_count, in_type, from, in_tag, comm, status), comm,
            set_sent(&call, bytes_of(count, type), to, tag);
            if (!is_nobody(to)) gives(&call, "sendbuf", buffer, count, type);
            if (!is_nobody(from)) takes(&call, "recvbuf", in, in_count, in_type), set_received(&call, status))
WRAP_STATUS(Sendrecv_replace, 9W,
            (W buffer, W count, W type, W to, W tag, W from, W in_tag, W comm, W status),
            (buffer, count, type, to, tag, from, in_tag, comm, status), comm,
            set_sent(&call, bytes_of(count, type), to, tag);
            if (call.checks) tell_buffer("buf",
                                         (is_nobody(to) ? 0 : kMpiReads) | (is_nobody(from) ? 0 : kMpiWrites),
                                         buffer, (int)count, type),
            set_received(&call, status))
WRAP(Imrecv, 5W, (W buffer, W count, W type, W message, W request), (buffer, count, type, message, request), 0,
     takes(&call, "buf", buffer, count, type), set_request(&call, result, request))
WRAP(Iprobe, 5W, (W from, W tag, W comm, W flag, W status), (from, tag, comm, flag, status), comm, NOTHING,
     NOTHING)
WRAP(Improbe, 6W, (W from, W tag, W comm, W flag, W message, W status),
     (from, tag, comm, flag, message, status), comm, NOTHING, NOTHING)
WRAP(Probe, WWWW, (W from, W tag, W comm, W status), (from, tag, comm, status), comm, NOTHING, NOTHING)
WRAP(Mprobe, 5W, (W from, W tag, W comm, W message, W status), (from, tag, comm, message, status), comm,
     NOTHING, NOTHING)

// Requests are identified by their handles from before the call, because the call sets completed ones to
// null.

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
        if (one.counts) set_request(&one, result, (W)requests + (W)i * (library.is_ompi ? sizeof(W) : sizeof(int)));
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
    CALL_FN_W_WW(result, original, request, status);
    if (call.counts && result == 0) complete_if_real(before, (const char*)status);
    if (call.counts && (int)result != 0) forget(before);
    leave(&call);
    return result;
}
W WRAPPER(Test)(W request, W flag, W status);
W WRAPPER(Test)(W request, W flag, W status) {
    WAIT_HEAD(Test)
    OWN_STATUS(status)
    enter(&call, kMpi_Test, 0);
    const W before = call.counts ? handle_at((const void*)request, 0) : 0;
    CALL_FN_W_WWW(result, original, request, flag, status);
    if (call.counts && result == 0 && *(const int*)flag != 0) complete_if_real(before, (const char*)status);
    if (call.counts && (int)result != 0) forget(before);
    leave(&call);
    return result;
}

enum { kMostAtOnce = 4096 };  // requests of one call that are followed

// Copies of the handles before the call, and statuses of the wrapper's own if the program wants none.
#define MANY_HEAD(name, amount)                                                                              \
    WAIT_HEAD(name)                                                                                          \
    enter(&call, kMpi_##name, 0);                                                                            \
    const int many = call.counts && (int)(amount) > 0 && (int)(amount) <= kMostAtOnce ? (int)(amount) : 0;   \
    W before[many + 1];                                                                                      \
    char own[(unsigned long)(many + 1) * kMostStatus] __attribute__((aligned(8)));                           \
    for (int i = 0; i < many; ++i) before[i] = handle_at((const void*)requests, i);                          \
    if (call.counts && (int)(amount) > kMostAtOnce)                                                          \
        for (int i = 0; i < (int)(amount); ++i) forget(handle_at((const void*)requests, i));

// The call's statuses, for an error that it finds. All are set then.
static void keep_statuses(int many, W statuses) {
    const MpiStatuses all = {statuses, many};
    if (many > 0) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_KEEP_STATUSES, &all, 0, 0, 0, 0);
}

static inline __attribute__((always_inline)) void complete_all(int many, const W* requests, W statuses) {
    for (int i = 0; i < many; ++i)
        complete_if_real(requests[i], (const char*)statuses + (unsigned long)i * library.status_bytes);
}

W WRAPPER(Waitall)(W count, W requests, W statuses);
W WRAPPER(Waitall)(W count, W requests, W statuses) {
    MANY_HEAD(Waitall, count)
    if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;
    keep_statuses(many, statuses);
    CALL_FN_W_WWW(result, original, count, requests, statuses);
    if (result == 0) complete_all(many, before, statuses);
    if ((int)result != 0) forget_all(many, before);
    leave(&call);
    return result;
}
W WRAPPER(Testall)(W count, W requests, W flag, W statuses);
W WRAPPER(Testall)(W count, W requests, W flag, W statuses) {
    MANY_HEAD(Testall, count)
    if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;
    keep_statuses(many, statuses);
    CALL_FN_W_WWWW(result, original, count, requests, flag, statuses);
    if (result == 0 && *(const int*)flag != 0) complete_all(many, before, statuses);
    if ((int)result != 0) forget_all(many, before);
    leave(&call);
    return result;
}
W WRAPPER(Waitany)(W count, W requests, W index, W status);
W WRAPPER(Waitany)(W count, W requests, W index, W status) {
    MANY_HEAD(Waitany, count)
    if (many > 0 && status == library.ignore_status) status = (W)own;
    CALL_FN_W_WWWW(result, original, count, requests, index, status);
    const int chosen = *(const int*)index;
    if (result == 0 && chosen >= 0 && chosen < many) complete_if_real(before[chosen], (const char*)status);
    if ((int)result != 0) forget_all(many, before);
    leave(&call);
    return result;
}
W WRAPPER(Testany)(W count, W requests, W index, W flag, W status);
W WRAPPER(Testany)(W count, W requests, W index, W flag, W status) {
    MANY_HEAD(Testany, count)
    if (many > 0 && status == library.ignore_status) status = (W)own;
    CALL_FN_W_5W(result, original, count, requests, index, flag, status);
    const int chosen = *(const int*)index;
    if (result == 0 && *(const int*)flag != 0 && chosen >= 0 && chosen < many)
        complete_if_real(before[chosen], (const char*)status);
    if ((int)result != 0) forget_all(many, before);
    leave(&call);
    return result;
}
#define SOME(name)                                                                                           \
    W WRAPPER(name)(W count, W requests, W out_count, W indices, W statuses);                                \
    W WRAPPER(name)(W count, W requests, W out_count, W indices, W statuses) {                               \
        MANY_HEAD(name, count)                                                                               \
        if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;                              \
        CALL_FN_W_5W(result, original, count, requests, out_count, indices, statuses);                       \
        const int done = result == 0 && many > 0 ? *(const int*)out_count : 0;                               \
        for (int i = 0; i < done; ++i)                                                                       \
            complete_if_real(before[((const int*)indices)[i]],                                               \
                             (const char*)statuses + (unsigned long)i * library.status_bytes);               \
        if ((int)result != 0) forget_all(many, before);                                                      \
        leave(&call);                                                                                        \
        return result;                                                                                       \
    }
SOME(Waitsome)
SOME(Testsome)

// Collective operations. `sent` is a rank's contribution: its send buffer; for a broadcast the root's buffer,
// each element once, however many ranks get it. `received` is the size of its receive buffer.

#define SET_BOTH(given, taken)                                                                               \
    call.facts.sent = (given);                                                                               \
    call.facts.received = (taken)

// The blocking form and the non-blocking form.
#define COLLECTIVE(name, i_name, words, i_words, parameters, i_parameters, arguments, i_arguments, BEFORE)   \
    WRAP(name, words, parameters, arguments, comm, BEFORE, NOTHING)                                          \
    WRAP(i_name, i_words, i_parameters, i_arguments, comm, BEFORE, set_request(&call, result, request))

static W bytes_for_each(W count, W type, W comm) {
    int size = 0;
    return library.comm_size(comm, &size) == 0 ? bytes_of(count, type) * (W)size : 0;
}
static int size_of(W comm) {
    int size = 0;
    return library.comm_size(comm, &size) == 0 ? size : 0;
}

// Buffers of collective operations. Between groups (intercommunicators) the roles differ, and nothing is
// checked.
static int checks_within(const Call* call, W comm) {
    int inter = 0;
    return call->checks && library.comm_test_inter(comm, &inter) == 0 && inter == 0;
}
static void gives_within(const Call* call, W comm, W buffer, W count, W type) {
    if (checks_within(call, comm)) gives(call, "sendbuf", buffer, count, type);
}
static void takes_within(const Call* call, W comm, W buffer, W count, W type) {
    if (checks_within(call, comm)) takes(call, "recvbuf", buffer, count, type);
}
static void gives_each(const Call* call, W comm, W buffer, W count, W type) {
    if (checks_within(call, comm))
        tell_blocks("sendbuf", kMpiReads, buffer, (int)count, size_of(comm), type);
}
static void takes_each(const Call* call, W comm, W buffer, W count, W type) {
    if (checks_within(call, comm))
        tell_blocks("recvbuf", kMpiWrites, buffer, (int)count, size_of(comm), type);
}
static void gives_all(const Call* call, W comm, W buffer, W counts, W offsets, W type) {
    if (checks_within(call, comm) && buffer != library.in_place)
        tell_buffers("sendbuf", kMpiReads, buffer, (const int*)counts, (const int*)offsets, size_of(comm), type);
}
static void takes_all(const Call* call, W comm, W buffer, W counts, W offsets, W type) {
    if (checks_within(call, comm))
        tell_buffers("recvbuf", kMpiWrites, buffer, (const int*)counts, (const int*)offsets, size_of(comm), type);
}
// A reduction in place takes its input from the receive buffer.
static void reduces(const Call* call, W comm, W out, W in, W count, W type, int at_root) {
    if (!checks_within(call, comm)) return;
    if (out != library.in_place) gives(call, "sendbuf", out, count, type);
    if (at_root)
        tell_buffer("recvbuf", kMpiWrites | (out == library.in_place ? kMpiReads : 0), in, (int)count, type);
}

#define BCAST_BYTES                                                                                          \
    const W bytes = bytes_of(count, type);                                                                   \
    const int at_root = is_root(comm, root);                                                                 \
    SET_BOTH(at_root ? bytes : 0, at_root ? 0 : bytes);                                                      \
    if (checks_within(&call, comm))                                                                          \
        tell_buffer("buffer", at_root ? kMpiReads : kMpiWrites, buffer, (int)count, type)
COLLECTIVE(Bcast, Ibcast, 5W, 6W, (W buffer, W count, W type, W root, W comm),
           (W buffer, W count, W type, W root, W comm, W request), (buffer, count, type, root, comm),
           (buffer, count, type, root, comm, request), BCAST_BYTES)

#define ROOTED_PARAMETERS W out, W count, W type, W in, W in_count, W in_type, W root, W comm
#define ROOTED_ARGUMENTS out, count, type, in, in_count, in_type, root, comm
COLLECTIVE(Scatter, Iscatter, 8W, 9W, (ROOTED_PARAMETERS), (ROOTED_PARAMETERS, W request), (ROOTED_ARGUMENTS),
           (ROOTED_ARGUMENTS, request), const int at_root = is_root(comm, root);
           SET_BOTH(at_root ? bytes_for_each(count, type, comm) : 0, bytes_of(in_count, in_type));
           if (at_root) gives_each(&call, comm, out, count, type);
           takes_within(&call, comm, in, in_count, in_type))
COLLECTIVE(Gather, Igather, 8W, 9W, (ROOTED_PARAMETERS), (ROOTED_PARAMETERS, W request), (ROOTED_ARGUMENTS),
           (ROOTED_ARGUMENTS, request), const int at_root = is_root(comm, root);
           SET_BOTH(bytes_of(count, type), at_root ? bytes_for_each(in_count, in_type, comm) : 0);
           gives_within(&call, comm, out, count, type);
           if (at_root && out != library.in_place) takes_each(&call, comm, in, in_count, in_type))

#define V_PARAMETERS W out, W counts, W offsets, W type, W in, W in_count, W in_type, W root, W comm
#define V_ARGUMENTS out, counts, offsets, type, in, in_count, in_type, root, comm
COLLECTIVE(Scatterv, Iscatterv, 9W, 10W, (V_PARAMETERS), (V_PARAMETERS, W request), (V_ARGUMENTS),
           (V_ARGUMENTS, request), const int at_root = is_root(comm, root);
           SET_BOTH(at_root ? bytes_of_all((const int*)counts, comm, type) : 0, bytes_of(in_count, in_type));
           if (at_root && in != library.in_place) gives_all(&call, comm, out, counts, offsets, type);
           takes_within(&call, comm, in, in_count, in_type))
#define GATHERV_PARAMETERS W out, W count, W type, W in, W counts, W offsets, W in_type, W root, W comm
#define GATHERV_ARGUMENTS out, count, type, in, counts, offsets, in_type, root, comm
COLLECTIVE(Gatherv, Igatherv, 9W, 10W, (GATHERV_PARAMETERS), (GATHERV_PARAMETERS, W request),
           (GATHERV_ARGUMENTS), (GATHERV_ARGUMENTS, request), const int at_root = is_root(comm, root);
           SET_BOTH(bytes_of(count, type), at_root ? bytes_of_all((const int*)counts, comm, in_type) : 0);
           gives_within(&call, comm, out, count, type);
           if (at_root && out != library.in_place) takes_all(&call, comm, in, counts, offsets, in_type))

COLLECTIVE(Reduce, Ireduce, 7W, 8W, (W out, W in, W count, W type, W op, W root, W comm),
           (W out, W in, W count, W type, W op, W root, W comm, W request),
           (out, in, count, type, op, root, comm), (out, in, count, type, op, root, comm, request),
           const W bytes = bytes_of(count, type);
           const int at_root = is_root(comm, root); SET_BOTH(bytes, at_root ? bytes : 0);
           reduces(&call, comm, out, in, count, type, at_root))
#define REDUCES_TO_ALL(name, i_name, gets_result)                                                            \
    COLLECTIVE(name, i_name, 6W, 7W, (W out, W in, W count, W type, W op, W comm),                           \
               (W out, W in, W count, W type, W op, W comm, W request), (out, in, count, type, op, comm),    \
               (out, in, count, type, op, comm, request), const W bytes = bytes_of(count, type);             \
               SET_BOTH(bytes, bytes); reduces(&call, comm, out, in, count, type, gets_result))
REDUCES_TO_ALL(Allreduce, Iallreduce, 1)
REDUCES_TO_ALL(Scan, Iscan, 1)
REDUCES_TO_ALL(Exscan, Iexscan, !is_root(comm, 0))

#define ALL_PARAMETERS W out, W count, W type, W in, W in_count, W in_type, W comm
#define ALL_ARGUMENTS out, count, type, in, in_count, in_type, comm
COLLECTIVE(Alltoall, Ialltoall, 7W, 8W, (ALL_PARAMETERS), (ALL_PARAMETERS, W request), (ALL_ARGUMENTS),
           (ALL_ARGUMENTS, request),
           SET_BOTH(bytes_for_each(count, type, comm), bytes_for_each(in_count, in_type, comm));
           gives_each(&call, comm, out, count, type);
           takes_each(&call, comm, in, in_count, in_type))
COLLECTIVE(Allgather, Iallgather, 7W, 8W, (ALL_PARAMETERS), (ALL_PARAMETERS, W request), (ALL_ARGUMENTS),
           (ALL_ARGUMENTS, request), SET_BOTH(bytes_of(count, type), bytes_for_each(in_count, in_type, comm));
           gives_within(&call, comm, out, count, type);
           if (out != library.in_place) takes_each(&call, comm, in, in_count, in_type))
#define ALLTOALLV_PARAMETERS                                                                                 \
    W out, W counts, W offsets, W type, W in, W in_counts, W in_offsets, W in_type, W comm
#define ALLTOALLV_ARGUMENTS out, counts, offsets, type, in, in_counts, in_offsets, in_type, comm
COLLECTIVE(Alltoallv, Ialltoallv, 9W, 10W, (ALLTOALLV_PARAMETERS), (ALLTOALLV_PARAMETERS, W request),
           (ALLTOALLV_ARGUMENTS), (ALLTOALLV_ARGUMENTS, request),
           SET_BOTH(out == library.in_place ? 0 : bytes_of_all((const int*)counts, comm, type),
                    bytes_of_all((const int*)in_counts, comm, in_type));
           gives_all(&call, comm, out, counts, offsets, type);
           takes_all(&call, comm, in, in_counts, in_offsets, in_type))
#define ALLGATHERV_PARAMETERS W out, W count, W type, W in, W counts, W offsets, W in_type, W comm
#define ALLGATHERV_ARGUMENTS out, count, type, in, counts, offsets, in_type, comm
COLLECTIVE(Allgatherv, Iallgatherv, 8W, 9W, (ALLGATHERV_PARAMETERS), (ALLGATHERV_PARAMETERS, W request),
           (ALLGATHERV_ARGUMENTS), (ALLGATHERV_ARGUMENTS, request),
           SET_BOTH(bytes_of(count, type), bytes_of_all((const int*)counts, comm, in_type));
           gives_within(&call, comm, out, count, type);
           if (out != library.in_place) takes_all(&call, comm, in, counts, offsets, in_type))
COLLECTIVE(Barrier, Ibarrier, W, WW, (W comm), (W comm, W request), (comm), (comm, request), NOTHING)

COLLECTIVE(Reduce_scatter, Ireduce_scatter, 6W, 7W, (W out, W in, W counts, W type, W op, W comm),
           (W out, W in, W counts, W type, W op, W comm, W request), (out, in, counts, type, op, comm),
           (out, in, counts, type, op, comm, request),
           call.facts.sent = bytes_of_all((const int*)counts, comm, type))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, 6W, 7W, (W out, W in, W count, W type, W op, W comm),
           (W out, W in, W count, W type, W op, W comm, W request), (out, in, count, type, op, comm),
           (out, in, count, type, op, comm, request),
           SET_BOTH(bytes_for_each(count, type, comm), bytes_of(count, type)))

// One-sided operations: bytes to the target are sent, bytes from it received. Windows have groups, not
// communicators.

static void puts_to(Call* call, W buffer, W count, W type, W target) {
    set_sent(call, bytes_of(count, type), target, 0);
    if (!is_nobody(target)) gives(call, "origin_addr", buffer, count, type);
}
static void gets_from(Call* call, W buffer, W count, W type, W target) {
    if (is_nobody(target)) return;
    call->facts.received = bytes_of(count, type);
    call->facts.source = peer_of(target);
    takes(call, "origin_addr", buffer, count, type);
}

#define RMA_PARAMETERS W address, W count, W type, W target, W offset, W in_count, W in_type, W win
#define RMA_ARGUMENTS address, count, type, target, offset, in_count, in_type, win
WRAP(Put, 8W, (RMA_PARAMETERS), (RMA_ARGUMENTS), win, puts_to(&call, address, count, type, target), NOTHING)
WRAP(Get, 8W, (RMA_PARAMETERS), (RMA_ARGUMENTS), win, gets_from(&call, address, count, type, target), NOTHING)
WRAP(Rput, 9W, (RMA_PARAMETERS, W request), (RMA_ARGUMENTS, request), win,
     puts_to(&call, address, count, type, target), NOTHING)
WRAP(Rget, 9W, (RMA_PARAMETERS, W request), (RMA_ARGUMENTS, request), win,
     gets_from(&call, address, count, type, target), NOTHING)
WRAP(Accumulate, 9W, (W address, W count, W type, W target, W offset, W in_count, W in_type, W op, W win),
     (address, count, type, target, offset, in_count, in_type, op, win), win,
     puts_to(&call, address, count, type, target), NOTHING)
WRAP(Raccumulate, 10W,
     (W address, W count, W type, W target, W offset, W in_count, W in_type, W op, W win, W request),
     (address, count, type, target, offset, in_count, in_type, op, win, request), win,
     puts_to(&call, address, count, type, target), NOTHING)
// With MPI_NO_OP the origin's buffer and type have no meaning, so only the result counts.
WRAP(Get_accumulate, 12W,
     (W address, W count, W type, W result_address, W result_count, W result_type, W target, W offset,
      W in_count, W in_type, W op, W win),
     (address, count, type, result_address, result_count, result_type, target, offset, in_count, in_type, op,
      win),
     win, if (!is_nobody(target)) call.facts.received = bytes_of(result_count, result_type);
     call.facts.source = peer_of(target), NOTHING)
WRAP(Fetch_and_op, 7W, (W address, W result_address, W type, W target, W offset, W op, W win),
     (address, result_address, type, target, offset, op, win), win,
     if (!is_nobody(target)) call.facts.received = bytes_of(1, type);
     call.facts.source = peer_of(target), NOTHING)
WRAP(Compare_and_swap, 7W, (W address, W expected, W result_address, W type, W target, W offset, W win),
     (address, expected, result_address, type, target, offset, win), win,
     if (!is_nobody(target)) call.facts.received = bytes_of(1, type);
     call.facts.source = peer_of(target), NOTHING)
WRAP(Win_fence, WW, (W assertions, W win), (assertions, win), win, NOTHING, NOTHING)
WRAP(Win_lock, WWWW, (W type, W rank, W assertions, W win), (type, rank, assertions, win), win, NOTHING,
     NOTHING)
#define SYNCHRONISES_RANK(name) WRAP(name, WW, (W rank, W win), (rank, win), win, NOTHING, NOTHING)
#define SYNCHRONISES_ALL(name) WRAP(name, W, (W win), (win), win, NOTHING, NOTHING)
#define SYNCHRONISES_GROUP(name)                                                                             \
    WRAP(name, WWW, (W group, W assertions, W win), (group, assertions, win), win, NOTHING, NOTHING)
SYNCHRONISES_RANK(Win_unlock)
SYNCHRONISES_RANK(Win_flush)
SYNCHRONISES_RANK(Win_flush_local)
WRAP(Win_lock_all, WW, (W assertions, W win), (assertions, win), win, NOTHING, NOTHING)
SYNCHRONISES_ALL(Win_unlock_all)
SYNCHRONISES_ALL(Win_flush_all)
SYNCHRONISES_ALL(Win_flush_local_all)
SYNCHRONISES_ALL(Win_complete)
SYNCHRONISES_ALL(Win_wait)
SYNCHRONISES_GROUP(Win_start)
SYNCHRONISES_GROUP(Win_post)

// Files: written bytes are sent, bytes read (by the status) received.

#define READS(name)                                                                                          \
    WRAP_STATUS(name, 5W, (W file, W buffer, W count, W type, W status),                                     \
                (file, buffer, count, type, status), 0, takes(&call, "buf", buffer, count, type),            \
                set_received(&call, status);                                                                 \
                call.facts.source = kMpiNobody)
#define READS_AT(name)                                                                                       \
    WRAP_STATUS(name, 6W, (W file, W offset, W buffer, W count, W type, W status),                           \
                (file, offset, buffer, count, type, status), 0, takes(&call, "buf", buffer, count, type),    \
                set_received(&call, status);                                                                 \
                call.facts.source = kMpiNobody)
#define WRITES(name)                                                                                         \
    WRAP(name, 5W, (W file, W buffer, W count, W type, W status), (file, buffer, count, type, status), 0,    \
         call.facts.sent = bytes_of(count, type); gives(&call, "buf", buffer, count, type), NOTHING)
#define WRITES_AT(name)                                                                                      \
    WRAP(name, 6W, (W file, W offset, W buffer, W count, W type, W status),                                  \
         (file, offset, buffer, count, type, status), 0, call.facts.sent = bytes_of(count, type);            \
         gives(&call, "buf", buffer, count, type), NOTHING)
READS(File_read_shared)
READS(File_read_ordered)
WRITES(File_write_shared)
WRITES(File_write_ordered)
READS(File_read)
READS(File_read_all)
READS_AT(File_read_at)
READS_AT(File_read_at_all)
WRITES(File_write)
WRITES(File_write_all)
WRITES_AT(File_write_at)
WRITES_AT(File_write_at_all)

// --- the world

static void tell_world(void) {
    int rank = 0, size = 0;
    find_library();
    if (library.found != 1 || library.comm_rank(library.comm_world, &rank) != 0 ||
        library.comm_size(library.comm_world, &size) != 0)
        return;
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_WORLD, rank, size, 0, 0, 0);
}

W WRAPPER(Init)(W count, W words);
W WRAPPER(Init)(W count, W words) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_STARTS, 0, 0, 0, 0, 0);
    CALL_FN_W_WW(result, original, count, words);
    if (result == 0) tell_world();
    return result;
}
W WRAPPER(Init_thread)(W count, W words, W required, W provided);
W WRAPPER(Init_thread)(W count, W words, W required, W provided) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_STARTS, 0, 0, 0, 0, 0);
    CALL_FN_W_WWWW(result, original, count, words, required, provided);
    if (result == 0) tell_world();
    return result;
}
W WRAPPER(Finalize)(void);
W WRAPPER(Finalize)(void) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_ENDS, 0, 0, 0, 0, 0);
    CALL_FN_W_v(result, original);
    return result;
}
// The library's own functions through which each error goes, whatever handler the program has. The default
// handler ends the program, so a report after the call would be too late.
#define INSIDE(name) I_WRAP_SONAME_FNNAME_ZU(libmpiZa, name)
static int is_truncation(int code) { return (code & library.error_class_mask) == library.error_truncate; }
static inline __attribute__((always_inline)) void note_error(W code) {
    find_library();
    if (library.found != 1) return;
    int is_truncated = is_truncation((int)code);
    // A call for several requests says that the errors are in their statuses.
    MpiStatuses all = {0, 0};
    if (((int)code & library.error_class_mask) == library.error_in_status)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_STATUSES, &all, 0, 0, 0, 0);
    for (int i = 0; i < all.count; ++i)
        is_truncated |= is_truncation(*(const int*)(all.statuses + (W)i * library.status_bytes +
                                                    (W)library.source_in_status + 2 * sizeof(int)));
    if (is_truncated) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_TRUNCATED, 0, 0, 0, 0, 0);
}
W INSIDE(ompi_errhandler_invoke)(W handler, W object, W kind, W code, W message);
W INSIDE(ompi_errhandler_invoke)(W handler, W object, W kind, W code, W message) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    note_error(code);
    CALL_FN_W_5W(result, original, handler, object, kind, code, message);
    return result;
}
W INSIDE(MPIR_Err_return_comm)(W comm, W function, W code);
W INSIDE(MPIR_Err_return_comm)(W comm, W function, W code) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    note_error(code);
    CALL_FN_W_WWW(result, original, comm, function, code);
    return result;
}
W WRAPPER(Request_free)(W request);
W WRAPPER(Request_free)(W request) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    find_library();
    if (library.found == 1) forget(handle_at((const void*)request, 0));
    CALL_FN_W_W(result, original, request);
    return result;
}
// The handle may be reused for another communicator.
W WRAPPER(Comm_free)(W comm);
W WRAPPER(Comm_free)(W comm) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    find_library();
    if (library.found == 1)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMM_GONE, handle_at((const void*)comm, 0), 0, 0, 0,
                                        0);
    CALL_FN_W_W(result, original, comm);
    return result;
}
