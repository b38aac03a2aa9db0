/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The MPI library that the program has loaded: which family it is of, and those of its functions that the
 * wrappers call themselves. Handles and constants differ between the families; all are passed as words here.
 * MPI's headers are not needed to build it.
 */
#ifndef MEMSPY_PRELOAD_MPI_LIBRARY_H
#define MEMSPY_PRELOAD_MPI_LIBRARY_H

#define INTERNAL __attribute__((visibility("hidden")))

typedef unsigned long W;

enum { kPredefinedOperations = 14 };

typedef struct {
    int found; /* 1: it has all of these, -1: it has not */
    int is_ompi;
    W comm_world, comm_self, null_comm, byte_type, null_request, ignore_status, ignore_statuses, in_place,
        no_op;
    W operations[kPredefinedOperations];       /* Open MPI's, in one order in all ranks */
    int no_process, root, any_source, any_tag; /* MPI_PROC_NULL, MPI_ROOT, MPI_ANY_SOURCE, MPI_ANY_TAG */
    int error_truncate, error_in_status, error_request, error_class_mask;
    int first_combiner; /* MPI_COMBINER_NAMED; the others follow in the same order */
    int order_c;
    int lock_exclusive;
    int cyclic, not_distributed, default_block; /* MPI_DISTRIBUTE_CYCLIC, _NONE, _DFLT_DARG */
    int cart, graph, dist_graph;                /* what topology() gives */
    unsigned long status_bytes;
    int source_in_status; /* byte offset of MPI_SOURCE */
    int (*type_size)(W, long*);
    int (*type_extent)(W, long*, long*);
    int (*type_envelope)(W, int*, int*, int*, int*);
    /* MPI 4, or null. To ask the one above of a type that was made with large counts is an error. */
    int (*type_envelope_large)(W, long*, long*, long*, long*, int*);
    int (*type_contents)(W, int, int, int, int*, long*, void*);
    int (*type_free)(W*);
    int (*type_name)(W, char*, int*);
    int (*get_count)(const void*, W, long*); /* of elements of the language */
    int (*query_thread)(int*);
    int (*comm_size)(W, int*);
    int (*group_size)(W, int*);
    int (*group_rank)(W, int*);
    /* MPI 4, or null. */
    int (*group_from_session)(W, const char*, W*);
    W session_world; /* the group of all ranks in a program of sessions; 0: none */
    int (*comm_rank)(W, int*);
    int (*comm_group)(W, W*);
    int (*comm_remote_group)(W, W*);
    int (*comm_test_inter)(W, int*);
    int (*comm_remote_size)(W, int*);
    int (*comm_name)(W, char*, int*);
    int (*group_free)(W*);
    int (*translate)(W, int, const int*, W, int*);
    int (*win_group)(W, W*);
    int (*file_group)(W, W*);
    int (*win_shared)(W, int, long*, int*, W*);
    int (*topology)(W, int*);
    int (*cart_dimensions)(W, int*);
    int (*cart_shift)(W, int, int, int*, int*);
    int (*graph_degree)(W, int, int*);
    int (*ialltoall)(const void*, int, W, void*, int, W, W, W*);
    int (*ialltoallv)(const void*, const int*, const int*, W, void*, const int*, const int*, W, W, W*);
    int (*test)(W*, int*, void*);
    int (*error_string)(int, char*, int*);
    int (*comm_errhandler)(W, W*);
    int (*win_errhandler)(W, W*);
    W errors_fatal, errors_abort; /* MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT */
    int (*iprobe)(int, int, W, int*, void*);
    int frees_types, frees_operations;          /* the program has freed some */
    void *ssend[2], *issend[2], *ssend_init[2]; /* with int, and with large counts, or null */
    int (*dist_graph_degrees)(W, int*, int*, int*);
    int (*graph_neighbours)(W, int, int, int*);
    int (*dist_graph_neighbours)(W, int, int*, int*, int, int*, int*);
} Library;

extern INTERNAL Library library;
INTERNAL void find_library(void);

/* A handle for comparison and storage: MPICH passes ints, and the upper halves of their registers are
 * undefined. */
static inline W handle(W argument) { return library.is_ompi ? argument : (W)(unsigned)argument; }
/* A handle in memory. */
static inline W handle_at(const void* at, long index) {
    return library.is_ompi ? ((const W*)at)[index] : (W)((const unsigned*)at)[index];
}

/* A file's is a pointer in both families: with a bit that communicators' do not have. */
static inline W file_handle(W file) { return file | (W)1 << 62; }

/* The program has freed that type. The library must not be asked about it. */
INTERNAL int is_freed_type(W type);

/* Bytes of an element's values; 0 if the library does not know. */
static inline long size_of_type(W type) {
    long size = 0;
    if (library.frees_types && is_freed_type(type)) return 0;
    return library.type_size(type, &size) == 0 && size > 0 ? size : 0;
}

/* An array of int, or of MPI_Count or MPI_Aint. */
typedef struct {
    const void* at;
    int is_wide;
} Numbers;
static inline long number_at(Numbers numbers, long index) {
    return numbers.is_wide ? ((const long*)numbers.at)[index] : (long)((const int*)numbers.at)[index];
}

#endif
