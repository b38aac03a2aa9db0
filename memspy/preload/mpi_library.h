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

typedef struct {
    int found; /* 1: it has all of these, -1: it has not */
    int is_ompi;
    W comm_world, byte_type, null_request, ignore_status, ignore_statuses, in_place;
    int no_process;
    int error_truncate, error_in_status, error_class_mask;
    int first_combiner; /* MPI_COMBINER_NAMED; the others follow in the same order */
    int order_c;
    unsigned long status_bytes;
    int source_in_status; /* byte offset of MPI_SOURCE */
    int (*type_size)(W, int*);
    int (*type_extent)(W, long*, long*);
    int (*type_envelope)(W, int*, int*, int*, int*);
    int (*type_contents)(W, int, int, int, int*, long*, void*);
    int (*type_free)(W*);
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

extern INTERNAL Library library;
INTERNAL void find_library(void);

/* A handle for comparison and storage: MPICH passes ints, and the upper halves of their registers are
 * undefined. */
static inline W handle(W argument) { return library.is_ompi ? argument : (W)(unsigned)argument; }
/* A handle in memory. */
static inline W handle_at(const void* at, long index) {
    return library.is_ompi ? ((const W*)at)[index] : (W)((const unsigned*)at)[index];
}

#endif
