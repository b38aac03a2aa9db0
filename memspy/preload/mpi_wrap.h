/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What all wrappers of MPI's functions are made of. A wrapper is a function with the parameters of the wrapped
 * one, all of them words; it tells the tool that the call begins, the pieces of its buffers, and what it did.
 *
 * A call is followed if it is the thread's outermost one (`counts`): functions that the library calls itself
 * are not. Requests to the tool that may be reported are inline here, because the wrapper must be the
 * innermost frame of reports.
 */
#ifndef MEMSPY_PRELOAD_MPI_WRAP_H
#define MEMSPY_PRELOAD_MPI_WRAP_H

#include "memspy.h"
#include "preload/call_13.h"
#include "preload/mpi_buffers.h"
#include "preload/mpi_library.h"
#include "requests/mpi.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct {
    int counts;
    int checks;     /* its buffers are checked */
    int types;      /* the types of its messages are wanted */
    int unbuffered; /* a send waits for its receive */
    int large;      /* its counts are MPI_Count: MPI_Send_c */
    MpiCallFacts facts;
} Call;

/* The tool learns the group of a communicator, window or file that it has not seen. */
INTERNAL void describe(unsigned call, W comm);
/* The call on `window` names these ranks, as MPI_Win_post does. */
INTERNAL void tell_partners(W window, W group);

static inline int names_file(unsigned call) { return call % kMpiCalls > kMpi_File_open; }

INLINE void enter(Call* call, unsigned number, W comm) {
    find_library();
    call->large = number >= kMpiCalls;
    call->counts = call->checks = call->types = call->unbuffered = 0;
    if (library.found != 1) return;
    const W known = comm == 0 ? 0 : names_file(number) ? file_handle(comm) : handle(comm);
    const W said = VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_ENTER, number, known, 0, 0, 0);
    call->counts = (said & kMpiCounts) != 0;
    call->checks = (said & kMpiChecks) != 0;
    call->types = (said & kMpiTypes) != 0;
    call->unbuffered = (said & kMpiUnbuffered) != 0;
    call->facts = (MpiCallFacts){
        .comm = known, .peer = kMpiNobody, .source = kMpiNobody, .awaits = kMpiNobody, .root = kMpiNobody};
    if ((said & kMpiUnknownComm) != 0 && !names_file(number)) describe(number, comm);
}
/* The pieces are told, and the call is about to be made. `started`: a persistent request whose pieces were
 * told before. */
INLINE void check(const Call* call, W started) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_CHECK, started, &call->facts, 0, 0, 0);
}
INLINE void leave(const Call* call) {
    if (library.found == 1) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_LEAVE, &call->facts, 0, 0, 0, 0);
}
/* The first `bytes` bytes of the buffers that the call writes have their values. */
static const W kAllBytes = ~(W)0;
INLINE void arrived(const Call* call, W bytes) {
    if (call->checks) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_ARRIVED, bytes, 0, 0, 0, 0);
}
/* One-sided operations of the window to `rank`, or to all, have used their buffers here. */
INLINE void synchronised(const Call* call, W result, W win, int rank) {
    if (call->checks && (int)result == 0)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_SYNCHRONISED, handle(win), rank, 0, 0, 0);
}

/* The upper half of a register with an int is undefined. */
static inline long count_of(const Call* call, W count) {
    return call->large ? (long)count : (long)(int)count;
}
static inline Numbers numbers_of(const Call* call, W array) {
    return (Numbers){(const void*)array, call->large};
}
static inline W bytes_of(const Call* call, W count, W type) {
    const long elements = count_of(call, count);
    return elements <= 0 ? 0 : (W)(elements * size_of_type(type));
}
static inline int size_of(W comm) {
    int size = 0;
    return library.comm_size(comm, &size) == 0 ? size : 0;
}
static inline int is_nobody(W rank) { return (int)rank == library.no_process; }
static inline int peer_of(W rank) { return (int)rank < 0 ? kMpiNobody : (int)rank; }

static inline void gives(const Call* call, const char* parameter, W buffer, W count, W type) {
    if (call->checks) tell_buffer(parameter, kMpiReads, buffer, count_of(call, count), type);
}
static inline void takes(const Call* call, const char* parameter, W buffer, W count, W type) {
    if (call->checks) tell_buffer(parameter, kMpiWrites, buffer, count_of(call, count), type);
}

static inline MpiTypes types_of(W count, W type) {
    const long size = size_of_type(type);  // 0 of a freed type, about which the library must not be asked
    return (MpiTypes){size == 0 ? (MpiSignature){0, 0} : signature_of_type(type), (W)size, (long)count};
}
static inline void set_given(Call* call, W count, W type) {
    if (call->types || call->checks) call->facts.given = types_of((W)count_of(call, count), type);
}
static inline void set_taken(Call* call, W count, W type) {
    if (call->types || call->checks) call->facts.taken = types_of((W)count_of(call, count), type);
}
// Of a collective operation: what all ranks must name alike, each in its own way.
static inline void set_agreed(Call* call, W count, W type) {
    if (!call->checks || call->types) return;  // with --mpi-types they are compared at the end
    call->facts.agrees = 1;
    call->facts.agreed = types_of((W)count_of(call, count), type);
}
static inline void set_op(Call* call, W op) {
    enum { kMpichPredefined = 0x58 };
    call->facts.op = kMpiOwnOperation;
    if (!library.is_ompi && handle(op) >> 24 == kMpichPredefined) call->facts.op = handle(op);
    for (int i = 0; library.is_ompi && i < kPredefinedOperations; ++i)
        if (op == library.operations[i]) call->facts.op = (W)i + 1;
    if (library.frees_operations)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_USE, kMpiOperation, handle(op), 0, 0, 0);
}
static inline void set_sent(Call* call, W bytes, W peer, W tag) {
    if (is_nobody(peer)) return;
    call->facts.sent = bytes;
    call->facts.peer = peer_of(peer);
    call->facts.tag = (int)tag;
}
// A message from `from`, or a look at one.
static inline void set_awaited(Call* call, W from, W tag) {
    if (is_nobody(from)) return;
    call->facts.awaits = (int)from == library.any_source ? kMpiAnyone : (int)from;
    call->facts.awaited_tag = (int)tag;
}
// `flag`: whether it had come, or how many had.
static inline void set_in_vain(Call* call, W result, W flag) {
    call->facts.in_vain = (int)result == 0 && *(const int*)flag == 0;
}
static inline void set_request(Call* call, W result, W request) {
    call->facts.failed = (int)result != 0;
    if (call->counts) call->facts.request = handle_at((const void*)request, 0);
}
INLINE void note_made(MpiObjectKind kind, W object, const char* maker) {
    /* Keys are int in both families. */
    const W made = kind == kMpiKey    ? (W) * (const unsigned*)object
                   : kind == kMpiFile ? file_handle(*(const W*)object)
                                      : handle_at((const void*)object, 0);
    const MpiObject made_object = {kind, made, maker};
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_OBJECT, &made_object, 0, 0, 0, 0);
}
INLINE void note_freed(MpiObjectKind kind, W object) {
    find_library();
    if (library.found == 1) note_made(kind, object, 0);
}
/* A communicator or window is about to be freed. */
INLINE void gone(W object) {
    find_library();
    if (library.found == 1)
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMM_GONE, handle_at((const void*)object, 0), 0, 0, 0,
                                        0);
}
INTERNAL MpiCompletion read_status(MpiAwaited request, const char* status);
INLINE void set_received(Call* call, W status) {
    const MpiCompletion done = read_status(0, (const char*)status);
    call->facts.received = done.received;
    call->facts.source = done.source;
    call->facts.received_tag = done.tag;
    arrived(call, done.received);
}

/* Before the call that waits, whose handles these are. A null request is not known. */
INLINE void await(int many, const W* requests, MpiAwaited* awaited) {
    if (many > 0) VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_AWAIT, requests, many, awaited, 0, 0);
}
/* The status of a send request has no information and need not be set. */
INLINE void complete(MpiAwaited* awaited, const char* status) {
    if (*awaited == 0) return;
    const MpiCompletion done = (*awaited & kMpiAwaitedReceives) != 0
                                   ? read_status(*awaited, status)
                                   : (MpiCompletion){*awaited, 0, kMpiNobody, 0};
    *awaited = 0;
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_COMPLETE, &done, 0, 0, 0, 0);
}
/* After the call: those that are not complete. If it failed, what became of each is not known. */
INLINE void give_back(int many, const MpiAwaited* awaited, W result) {
    for (int i = 0; i < many; ++i)
        if (awaited[i] != 0) {
            VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_GIVE_BACK, awaited, many, (int)result != 0, 0, 0);
            return;
        }
}

/* What has come by now, and was not received, never will be. */
INLINE void look_for_messages(W comm, const char* function) {
    enum { kMostStatus = 64, kLooks = 20 };
    char status[kMostStatus];
    for (int i = 0, found = 0; library.found == 1 && i < kLooks && !found; ++i) {
        if (library.iprobe(library.any_source, library.any_tag, comm, &found, status) != 0) return;
        const int* const source = (const int*)(status + library.source_in_status);
        if (found)
            VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_UNRECEIVED, source[0], source[1], function,
                                            handle(comm), 0);
    }
}
/* The call is given an object that the program may have freed. */
INLINE W uses_object(MpiObjectKind kind, W object) {
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(kMpiUsable, MEMSPY_REQ_MPI_USE, kind, handle(object), 0, 0, 0);
}

#define WRAPPER(name) I_WRAP_SONAME_FNNAME_ZU(libmpiZa, MPI_##name)

/* Code with `call`, `result` and the parameters that is executed first (LOCALS), before the call (BEFORE) and
 * after it (AFTER). WRAP_COUNTS wraps the function with large counts, too. */
#define WRAP_AS(name, number, LOCALS, words, parameters, arguments, comm_handle, BEFORE, AFTER)              \
    W WRAPPER(name) parameters;                                                                              \
    W WRAPPER(name) parameters {                                                                             \
        OrigFn original;                                                                                     \
        W result;                                                                                            \
        Call call;                                                                                           \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        LOCALS;                                                                                              \
        enter(&call, number, comm_handle);                                                                   \
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
    WRAP_AS(name, kMpi_##name, NOTHING, words, parameters, arguments, comm_handle, BEFORE, AFTER)
#define WRAP_COUNTS(name, words, parameters, arguments, comm_handle, BEFORE, AFTER)                          \
    WRAP_COUNTS_WITH(NOTHING, name, words, parameters, arguments, comm_handle, BEFORE, AFTER)
#define WRAP_COUNTS_WITH(LOCALS, name, words, parameters, arguments, comm_handle, BEFORE, AFTER)             \
    WRAP_AS(name, kMpi_##name, LOCALS, words, parameters, arguments, comm_handle, BEFORE, AFTER)             \
    WRAP_AS(name##_c, kMpi_##name + kMpiCalls, LOCALS, words, parameters, arguments, comm_handle, BEFORE,    \
            AFTER)
#define NOTHING (void)0

/* A wrapper of a function whose calls are not counted. */
#define WRAP_PLAIN(name, words, parameters, arguments, BEFORE, AFTER)                                        \
    W WRAPPER(name) parameters;                                                                              \
    W WRAPPER(name) parameters {                                                                             \
        OrigFn original;                                                                                     \
        W result;                                                                                            \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        BEFORE;                                                                                              \
        WRAP_CALL_##words(arguments);                                                                        \
        AFTER;                                                                                               \
        return result;                                                                                       \
    }

/* A status of the wrapper's own if the program wants none. */
enum { kMostStatus = 32 };
#define OWN_STATUS(status)                                                                                   \
    char own[kMostStatus] __attribute__((aligned(8)));                                                       \
    find_library();                                                                                          \
    if (library.found == 1 && status == library.ignore_status) status = (W)own;
#define WRAP_STATUS(name, words, parameters, arguments, comm_handle, BEFORE, AFTER)                          \
    WRAP_COUNTS_WITH(                                                                                        \
        OWN_STATUS(status), name, words, parameters, arguments, comm_handle, BEFORE,                         \
        if ((int)result == 0) { AFTER; })

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
#define WRAP_CALL_11W(arguments) WRAP_EXPAND(CALL_FN_W_11W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_12W(arguments) WRAP_EXPAND(CALL_FN_W_12W, result, original, WRAP_OPEN arguments)
#define WRAP_CALL_13W(arguments) WRAP_EXPAND(CALL_FN_W_13W, result, original, WRAP_OPEN arguments)

/* The number of words of a function with one parameter more. */
#define ONE_MORE(words) ONE_MORE_(words)
#define ONE_MORE_(words) ONE_MORE_##words
#define TWO_MORE(words) ONE_MORE(ONE_MORE(words))
#define ONE_MORE_5W 6W
#define ONE_MORE_6W 7W
#define ONE_MORE_7W 8W
#define ONE_MORE_8W 9W
#define ONE_MORE_9W 10W
#define ONE_MORE_10W 11W

#endif
