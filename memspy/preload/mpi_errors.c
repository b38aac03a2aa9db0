// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors that the library of MPI finds, and the end by MPI_Abort.
#include "preload/mpi_wrap.h"

// MPICH's launcher kills all processes as soon as one aborts, before that one writes its profile at its end.
static inline void may_be_killed(int rarely) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MAY_BE_KILLED, rarely, 0, 0, 0, 0);
}
INLINE void aborts(void) {
    may_be_killed(0);
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_ERROR, 0, 0, 0, 0, 0);
}
WRAP_PLAIN(Abort, WW, (W comm, W code), (comm, code), aborts(), NOTHING)
// The library's own functions through which each error goes, whatever handler the program has. The default
// handler ends the program, so a report after the call would be too late.
#define INSIDE(name) I_WRAP_SONAME_FNNAME_ZU(libmpiZa, name)
static int is_truncation(int code) { return (code & library.error_class_mask) == library.error_truncate; }
// A wrong argument is the program's mistake, whatever its handler does; other errors (no such file) it may expect.
// The classes of wrong arguments come first, up to MPI_ERR_UNKNOWN and MPI_ERR_TRUNCATE.
static int is_misuse(int code) {
    const int error_class = code & library.error_class_mask;
    return (error_class > 0 && error_class < library.error_truncate - 1) ||
           error_class == library.error_request;
}
// A question of the wrappers' own to the library had an error: they go on without an answer, and the
// program's call finds the same one.
static int is_own_question(void) {
    find_library();
    return library.found == 1 &&
           VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_OWN_QUESTION, 0, 0, 0, 0, 0) != 0;
}
// What the library calls an error of that class, in the stack of the program's call. Its details have
// addresses.
static inline __attribute__((always_inline)) void tell_error(W code, W function, int ends_program) {
    enum { kMostText = 1024 };
    char text[kMostText] = "failed: ";
    int length = 0, end = 0;
    while (text[end] != '\0') ++end;
    if (library.error_string((int)code & library.error_class_mask, text + end, &length) != 0) return;
    for (int i = 0; text[i] != '\0'; ++i)
        if (text[i] == '\n') text[i] = ' ';
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_ERROR, text, function, ends_program, 0, 0);
}
static inline __attribute__((always_inline)) void note_error(W code, W function, int ends_program) {
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
    if (!is_truncated && (ends_program || is_misuse((int)code))) tell_error(code, function, ends_program);
    // MPICH's handler may be the program's own, which aborts. Open MPI's launcher kills a rank that takes longer
    // than a second to end.
    if (!library.is_ompi || ends_program) may_be_killed(!ends_program);
}
W INSIDE(ompi_errhandler_invoke)(W handler, W object, W kind, W code, W message);
W INSIDE(ompi_errhandler_invoke)(W handler, W object, W kind, W code, W message) {
    OrigFn original;
    W result;
    VALGRIND_GET_ORIG_FN(original);
    if (is_own_question()) return code;
    note_error(code, message,
               handler == 0 || handler == library.errors_fatal || handler == library.errors_abort);
    CALL_FN_W_5W(result, original, handler, object, kind, code, message);
    return result;
}
// Whether the handler that `ask` gives for a communicator or a window ends the program.
static int has_fatal_handler(int (*ask)(W, W*), W object) {
    W handler = 0;
    if (ask(object, &handler) != 0) return 0;
    return handle(handler) == library.errors_fatal || handle(handler) == library.errors_abort;
}
// MPICH's own structure of a communicator or a window begins with its handle; of errors without one the world's
// handler hears.
static W handle_in(W object) { return (W) * (const unsigned*)object; }
static int is_fatal_in(W comm) {
    return library.found == 1 &&
           has_fatal_handler(library.comm_errhandler, comm == 0 ? library.comm_world : handle_in(comm));
}
static int is_fatal_of(W window) {
    if (window == 0) return is_fatal_in(0);
    return library.found == 1 && has_fatal_handler(library.win_errhandler, handle_in(window));
}
// The one for a window may call the one for a communicator: the outermost tells.
static int returning = 0;
#define RETURNS_ERROR(name, is_fatal)                                                                        \
    W INSIDE(name)(W object, W function, W code);                                                            \
    W INSIDE(name)(W object, W function, W code) {                                                           \
        OrigFn original;                                                                                     \
        W result;                                                                                            \
        VALGRIND_GET_ORIG_FN(original);                                                                      \
        if (is_own_question()) return code;                                                                  \
        if (returning == 0) note_error(code, function, is_fatal(object));                                    \
        ++returning;                                                                                         \
        CALL_FN_W_WWW(result, original, object, function, code);                                             \
        --returning;                                                                                         \
        return result;                                                                                       \
    }
RETURNS_ERROR(MPIR_Err_return_comm, is_fatal_in)
RETURNS_ERROR(MPIR_Err_return_win, is_fatal_of)
