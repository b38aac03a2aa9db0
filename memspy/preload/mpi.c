// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of MPI's functions, which report for each call: the bytes sent and received, the partner, the
// begin and the end. One source serves both families of implementations, whose handles and constants differ:
// `Abi` has the parts that this file needs. MPI's headers are not needed to build it.
//
// A library's own name for a function (PMPI_Send) and the public one have the same address. So Fortran's
// entry points, which call either, are seen as the C functions that they call. Functions that an
// implementation calls inside a call are not counted: the tool finds the outermost call (kMpiCounts).
//
// The wrappers' own questions to the library (sizes of types, ranks of groups) are local calls, which do not
// communicate.
#include "analyses/mpi/requests.h"

#include "memspy.h"

typedef unsigned long W;

// --- the library

typedef struct {
    int found;
    int is_ompi;
    W comm_world, byte_type, null_request, ignore_status, ignore_statuses;
    int no_process;
    unsigned long status_bytes;
    int source_in_status;  // byte offset of MPI_SOURCE
    int (*type_size)(W, int*);
    int (*get_count)(const void*, W, int*);
    int (*comm_size)(W, int*);
    int (*group_size)(W, int*);
    int (*comm_rank)(W, int*);
    int (*comm_group)(W, W*);
    int (*comm_remote_group)(W, W*);
    int (*comm_test_inter)(W, int*);
    int (*comm_name)(W, char*, int*);
    int (*group_free)(W*);
    int (*translate)(W, int, const int*, W, int*);
    int (*win_group)(W, W*);
} Library;

static Library library;

enum { kLoadNoMore = 4, kLoadLazily = 1, kMostName = 256, kMostStatus = 32 };

extern void* dlsym(void*, const char*) __attribute__((weak));
extern void* dlopen(const char*, int) __attribute__((weak));

// Programs linked with MPI have its symbols in the global scope. Interpreters load the library privately, so
// it is looked up by its usual names.
static void* find_symbol(const char* name) {
    static const char* const kNames[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12", "libmpi.so"};
    void* found = dlsym(0, name);
    for (unsigned i = 0; found == 0 && i < sizeof kNames / sizeof *kNames; ++i) {
        void* handle = dlopen(kNames[i], kLoadLazily | kLoadNoMore);
        if (handle != 0) found = dlsym(handle, name);
    }
    return found;
}

static void find_library(void) {
    if (library.found != 0 || dlsym == 0 || dlopen == 0) return;
    library.found = 1;
    void* world = find_symbol("ompi_mpi_comm_world");
    library.is_ompi = world != 0;
    if (library.is_ompi) {
        library.comm_world = (W)world;
        library.byte_type = (W)find_symbol("ompi_mpi_byte");
        library.null_request = (W)find_symbol("ompi_request_null");
        library.ignore_status = library.ignore_statuses = 0;
        library.no_process = -2;
        library.status_bytes = 24;
        library.source_in_status = 0;
    } else {
        library.comm_world = 0x44000000;
        library.byte_type = 0x4c00010d;
        library.null_request = 0x2c000000;
        library.ignore_status = library.ignore_statuses = 1;
        library.no_process = -1;
        library.status_bytes = 20;
        library.source_in_status = 8;
    }
#define FIND(member, name) *(void**)&library.member = find_symbol(name)
    FIND(type_size, "PMPI_Type_size");
    FIND(get_count, "PMPI_Get_count");
    FIND(comm_size, "PMPI_Comm_size");
    FIND(group_size, "PMPI_Group_size");
    FIND(comm_rank, "PMPI_Comm_rank");
    FIND(comm_group, "PMPI_Comm_group");
    FIND(comm_remote_group, "PMPI_Comm_remote_group");
    FIND(comm_test_inter, "PMPI_Comm_test_inter");
    FIND(comm_name, "PMPI_Comm_get_name");
    FIND(group_free, "PMPI_Group_free");
    FIND(translate, "PMPI_Group_translate_ranks");
    FIND(win_group, "PMPI_Win_get_group");
#undef FIND
    if (library.type_size == 0 || library.get_count == 0 || library.comm_size == 0 ||
        library.comm_rank == 0 || library.comm_group == 0 || library.group_size == 0 ||
        library.comm_remote_group == 0 || library.comm_test_inter == 0 || library.comm_name == 0 ||
        library.group_free == 0 || library.translate == 0 || library.win_group == 0)
        library.found = -1;
}

// A handle for comparison and storage: MPICH passes ints, and the upper halves of their registers are
// undefined.
static W handle(W argument) { return library.is_ompi ? argument : (W)(unsigned)argument; }
// A handle in memory.
static W handle_at(const void* at, long index) {
    return library.is_ompi ? ((const W*)at)[index] : (W)((const unsigned*)at)[index];
}

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
    call->counts = 0;
    if (library.found != 1) return;
    const W known = comm == 0 ? 0 : handle(comm);
    const W said = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_ENTER, number, known, 0, 0, 0);
    call->counts = (said & kMpiCounts) != 0;
    call->facts = (MpiCallFacts){known, 0, 0, 0, kMpiNobody, kMpiNobody, 0, 0, 0};
    if ((said & kMpiUnknownComm) != 0) describe(number, comm);
}

static inline __attribute__((always_inline)) void leave(const Call* call) {
    if (library.found == 1) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_LEAVE, &call->facts, 0, 0, 0, 0);
}

static void set_sent(Call* call, W bytes, W peer, W tag) {
    if ((int)peer == library.no_process) return;
    call->facts.sent = bytes;
    call->facts.peer = peer_of(peer);
    call->facts.tag = (int)tag;
}
static void set_request(Call* call, W request) {
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
}
// The status of a send request has no information and need not be set.
static void complete_if_real(W request, const char* status) {
    if (request == 0 || request == library.null_request) return;
    const W receives = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_RECEIVES, request, 0, 0, 0, 0);
    const MpiCompletion done =
        receives != 0 ? read_status(request, status) : (MpiCompletion){request, 0, kMpiNobody, 0};
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMPLETE, &done, 0, 0, 0, 0);
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

#define SENDS(name)                                                                                          \
    WRAP(name, 6W, (W buffer, W count, W type, W to, W tag, W comm), (buffer, count, type, to, tag, comm),   \
         comm, set_sent(&call, bytes_of(count, type), to, tag), NOTHING)
SENDS(Send)
SENDS(Bsend)
SENDS(Ssend)
SENDS(Rsend)

#define BEGINS_SEND(name, is_persistent)                                                                     \
    WRAP(name, 7W, (W buffer, W count, W type, W to, W tag, W comm, W request),                              \
         (buffer, count, type, to, tag, comm, request), comm,                                                \
         set_sent(&call, bytes_of(count, type), to, tag), call.facts.persistent = is_persistent;             \
         set_request(&call, request))
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
         (buffer, count, type, from, tag, comm, request), comm, NOTHING,                                     \
         call.facts.persistent = is_persistent;                                                              \
         set_request(&call, request))
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
            (buffer, count, type, from, tag, comm, status), comm, NOTHING, set_received(&call, status))
WRAP_STATUS(Mrecv, 5W, (W buffer, W count, W type, W message, W status),
            (buffer, count, type, message, status), 0, NOTHING, set_received(&call, status))
WRAP_STATUS(Sendrecv, 12W,
            (W buffer, W count, W type, W to, W tag, W in, W in_count, W in_type, W from, W in_tag, W comm,
             W status),
            (buffer, count, type, to, tag, in, in_count, in_type, from, in_tag, comm, status), comm,
            set_sent(&call, bytes_of(count, type), to, tag), set_received(&call, status))
WRAP_STATUS(Sendrecv_replace, 9W,
            (W buffer, W count, W type, W to, W tag, W from, W in_tag, W comm, W status),
            (buffer, count, type, to, tag, from, in_tag, comm, status), comm,
            set_sent(&call, bytes_of(count, type), to, tag), set_received(&call, status))
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
    CALL_FN_W_W(result, original, request);
    set_request(&call, request);
    leave(&call);
    return result;
}
W WRAPPER(Startall)(W count, W requests);
W WRAPPER(Startall)(W count, W requests) {
    WAIT_HEAD(Startall)
    enter(&call, kMpi_Startall, 0);
    CALL_FN_W_WW(result, original, count, requests);
    leave(&call);
    // As if each had been started alone; the calls take no time.
    for (int i = 0; call.counts && i < (int)count; ++i) {
        Call one;
        enter(&one, kMpi_Start, 0);
        if (one.counts) one.facts.request = handle_at((const void*)requests, i);
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
    for (int i = 0; i < many; ++i) before[i] = handle_at((const void*)requests, i);

static void complete_all(int many, const W* requests, W statuses) {
    for (int i = 0; i < many; ++i)
        complete_if_real(requests[i], (const char*)statuses + (unsigned long)i * library.status_bytes);
}

W WRAPPER(Waitall)(W count, W requests, W statuses);
W WRAPPER(Waitall)(W count, W requests, W statuses) {
    MANY_HEAD(Waitall, count)
    if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;
    CALL_FN_W_WWW(result, original, count, requests, statuses);
    if (result == 0) complete_all(many, before, statuses);
    leave(&call);
    return result;
}
W WRAPPER(Testall)(W count, W requests, W flag, W statuses);
W WRAPPER(Testall)(W count, W requests, W flag, W statuses) {
    MANY_HEAD(Testall, count)
    if (many > 0 && statuses == library.ignore_statuses) statuses = (W)own;
    CALL_FN_W_WWWW(result, original, count, requests, flag, statuses);
    if (result == 0 && *(const int*)flag != 0) complete_all(many, before, statuses);
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
    WRAP(i_name, i_words, i_parameters, i_arguments, comm, BEFORE, set_request(&call, request))

#define BCAST_BYTES                                                                                          \
    const W bytes = bytes_of(count, type);                                                                   \
    SET_BOTH(is_root(comm, root) ? bytes : 0, is_root(comm, root) ? 0 : bytes)
COLLECTIVE(Bcast, Ibcast, 5W, 6W, (W buffer, W count, W type, W root, W comm),
           (W buffer, W count, W type, W root, W comm, W request), (buffer, count, type, root, comm),
           (buffer, count, type, root, comm, request), BCAST_BYTES)

static W bytes_for_each(W count, W type, W comm) {
    int size = 0;
    return library.comm_size(comm, &size) == 0 ? bytes_of(count, type) * (W)size : 0;
}

#define ROOTED_PARAMETERS W out, W count, W type, W in, W in_count, W in_type, W root, W comm
#define ROOTED_ARGUMENTS out, count, type, in, in_count, in_type, root, comm
COLLECTIVE(Scatter, Iscatter, 8W, 9W, (ROOTED_PARAMETERS), (ROOTED_PARAMETERS, W request), (ROOTED_ARGUMENTS),
           (ROOTED_ARGUMENTS, request),
           SET_BOTH(is_root(comm, root) ? bytes_for_each(count, type, comm) : 0, bytes_of(in_count, in_type)))
COLLECTIVE(Gather, Igather, 8W, 9W, (ROOTED_PARAMETERS), (ROOTED_PARAMETERS, W request), (ROOTED_ARGUMENTS),
           (ROOTED_ARGUMENTS, request),
           SET_BOTH(bytes_of(count, type), is_root(comm, root) ? bytes_for_each(in_count, in_type, comm) : 0))

#define V_PARAMETERS W out, W counts, W offsets, W type, W in, W in_count, W in_type, W root, W comm
#define V_ARGUMENTS out, counts, offsets, type, in, in_count, in_type, root, comm
COLLECTIVE(Scatterv, Iscatterv, 9W, 10W, (V_PARAMETERS), (V_PARAMETERS, W request), (V_ARGUMENTS),
           (V_ARGUMENTS, request),
           SET_BOTH(is_root(comm, root) ? bytes_of_all((const int*)counts, comm, type) : 0,
                    bytes_of(in_count, in_type)))
#define GATHERV_PARAMETERS W out, W count, W type, W in, W counts, W offsets, W in_type, W root, W comm
#define GATHERV_ARGUMENTS out, count, type, in, counts, offsets, in_type, root, comm
COLLECTIVE(Gatherv, Igatherv, 9W, 10W, (GATHERV_PARAMETERS), (GATHERV_PARAMETERS, W request),
           (GATHERV_ARGUMENTS), (GATHERV_ARGUMENTS, request),
           SET_BOTH(bytes_of(count, type),
                    is_root(comm, root) ? bytes_of_all((const int*)counts, comm, in_type) : 0))

COLLECTIVE(Reduce, Ireduce, 7W, 8W, (W out, W in, W count, W type, W op, W root, W comm),
           (W out, W in, W count, W type, W op, W root, W comm, W request),
           (out, in, count, type, op, root, comm), (out, in, count, type, op, root, comm, request),
           const W bytes = bytes_of(count, type);
           SET_BOTH(bytes, is_root(comm, root) ? bytes : 0))
COLLECTIVE(Allreduce, Iallreduce, 6W, 7W, (W out, W in, W count, W type, W op, W comm),
           (W out, W in, W count, W type, W op, W comm, W request), (out, in, count, type, op, comm),
           (out, in, count, type, op, comm, request), const W bytes = bytes_of(count, type);
           SET_BOTH(bytes, bytes))

#define ALL_PARAMETERS W out, W count, W type, W in, W in_count, W in_type, W comm
#define ALL_ARGUMENTS out, count, type, in, in_count, in_type, comm
COLLECTIVE(Alltoall, Ialltoall, 7W, 8W, (ALL_PARAMETERS), (ALL_PARAMETERS, W request), (ALL_ARGUMENTS),
           (ALL_ARGUMENTS, request),
           SET_BOTH(bytes_for_each(count, type, comm), bytes_for_each(in_count, in_type, comm)))
COLLECTIVE(Allgather, Iallgather, 7W, 8W, (ALL_PARAMETERS), (ALL_PARAMETERS, W request), (ALL_ARGUMENTS),
           (ALL_ARGUMENTS, request), SET_BOTH(bytes_of(count, type), bytes_for_each(in_count, in_type, comm)))
#define ALLTOALLV_PARAMETERS                                                                                 \
    W out, W counts, W offsets, W type, W in, W in_counts, W in_offsets, W in_type, W comm
#define ALLTOALLV_ARGUMENTS out, counts, offsets, type, in, in_counts, in_offsets, in_type, comm
COLLECTIVE(Alltoallv, Ialltoallv, 9W, 10W, (ALLTOALLV_PARAMETERS), (ALLTOALLV_PARAMETERS, W request),
           (ALLTOALLV_ARGUMENTS), (ALLTOALLV_ARGUMENTS, request),
           SET_BOTH(bytes_of_all((const int*)counts, comm, type),
                    bytes_of_all((const int*)in_counts, comm, in_type)))
#define ALLGATHERV_PARAMETERS W out, W count, W type, W in, W counts, W offsets, W in_type, W comm
#define ALLGATHERV_ARGUMENTS out, count, type, in, counts, offsets, in_type, comm
COLLECTIVE(Allgatherv, Iallgatherv, 8W, 9W, (ALLGATHERV_PARAMETERS), (ALLGATHERV_PARAMETERS, W request),
           (ALLGATHERV_ARGUMENTS), (ALLGATHERV_ARGUMENTS, request),
           SET_BOTH(bytes_of(count, type), bytes_of_all((const int*)counts, comm, in_type)))
COLLECTIVE(Barrier, Ibarrier, W, WW, (W comm), (W comm, W request), (comm), (comm, request), NOTHING)

WRAP(Reduce_scatter, 6W, (W out, W in, W counts, W type, W op, W comm), (out, in, counts, type, op, comm),
     comm, call.facts.sent = bytes_of_all((const int*)counts, comm, type), NOTHING)
WRAP(Reduce_scatter_block, 6W, (W out, W in, W count, W type, W op, W comm), (out, in, count, type, op, comm),
     comm, SET_BOTH(bytes_for_each(count, type, comm), bytes_of(count, type)), NOTHING)
WRAP(Scan, 6W, (W out, W in, W count, W type, W op, W comm), (out, in, count, type, op, comm), comm,
     SET_BOTH(bytes_of(count, type), bytes_of(count, type)), NOTHING)
WRAP(Exscan, 6W, (W out, W in, W count, W type, W op, W comm), (out, in, count, type, op, comm), comm,
     SET_BOTH(bytes_of(count, type), bytes_of(count, type)), NOTHING)

// One-sided operations: bytes to the target are sent, bytes from it received. Windows have groups, not
// communicators.

#define RMA_PARAMETERS W address, W count, W type, W target, W offset, W in_count, W in_type, W win
#define RMA_ARGUMENTS address, count, type, target, offset, in_count, in_type, win
WRAP(Put, 8W, (RMA_PARAMETERS), (RMA_ARGUMENTS), win, set_sent(&call, bytes_of(count, type), target, 0),
     NOTHING)
WRAP(Get, 8W, (RMA_PARAMETERS), (RMA_ARGUMENTS), win, call.facts.received = bytes_of(count, type);
     call.facts.source = peer_of(target), NOTHING)
WRAP(Rput, 9W, (RMA_PARAMETERS, W request), (RMA_ARGUMENTS, request), win,
     set_sent(&call, bytes_of(count, type), target, 0), NOTHING)
WRAP(Rget, 9W, (RMA_PARAMETERS, W request), (RMA_ARGUMENTS, request), win,
     call.facts.received = bytes_of(count, type);
     call.facts.source = peer_of(target), NOTHING)
WRAP(Accumulate, 9W, (W address, W count, W type, W target, W offset, W in_count, W in_type, W op, W win),
     (address, count, type, target, offset, in_count, in_type, op, win), win,
     set_sent(&call, bytes_of(count, type), target, 0), NOTHING)
WRAP(Win_fence, WW, (W assertions, W win), (assertions, win), win, NOTHING, NOTHING)
WRAP(Win_lock, WWWW, (W type, W rank, W assertions, W win), (type, rank, assertions, win), win, NOTHING,
     NOTHING)
WRAP(Win_unlock, WW, (W rank, W win), (rank, win), win, NOTHING, NOTHING)
WRAP(Win_flush, WW, (W rank, W win), (rank, win), win, NOTHING, NOTHING)

// Files: written bytes are sent, bytes read (by the status) received.

#define READS(name)                                                                                          \
    WRAP_STATUS(name, 5W, (W file, W buffer, W count, W type, W status),                                     \
                (file, buffer, count, type, status), 0, NOTHING, set_received(&call, status);                \
                call.facts.source = kMpiNobody)
#define READS_AT(name)                                                                                       \
    WRAP_STATUS(name, 6W, (W file, W offset, W buffer, W count, W type, W status),                           \
                (file, offset, buffer, count, type, status), 0, NOTHING, set_received(&call, status);        \
                call.facts.source = kMpiNobody)
#define WRITES(name)                                                                                         \
    WRAP(name, 5W, (W file, W buffer, W count, W type, W status), (file, buffer, count, type, status), 0,    \
         call.facts.sent = bytes_of(count, type), NOTHING)
#define WRITES_AT(name)                                                                                      \
    WRAP(name, 6W, (W file, W offset, W buffer, W count, W type, W status),                                  \
         (file, offset, buffer, count, type, status), 0, call.facts.sent = bytes_of(count, type), NOTHING)
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
