// SPDX-License-Identifier: GPL-2.0-or-later
//
// Programs that are correct in a way that looks wrong, and the mistake that is near: in place, types with holes,
// neighbours, matched probes, messages that no buffer holds, handles that are freed early and used up later.
#include <unistd.h>

#include "bugs.h"

#define IGNORED MPI_STATUS_IGNORE
static int other(void) { return 1 - rank; }

// --- in place

BUG(in_place_allgather, "MpiOverlap|MpiError", 2) {
    out[rank] = 5 + rank;
    MPI_Allgather(wrong ? &out[rank] : MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, world);
}
BUG(in_place_gather_at_root, "MpiError|MpiBuffer|MpiOverlap", 2) {
    out[rank] = rank;
    const int here = rank == 0 || wrong;
    MPI_Gather(here ? MPI_IN_PLACE : &out[rank], 1, MPI_INT, out, 1, MPI_INT, 0, world);
}
BUG(in_place_alltoall_of_heap, "MpiBuffer", 2) {
    int* const block = malloc(2 * sizeof *block);
    block[0] = rank;
    if (!wrong) block[1] = rank;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, block, 1, MPI_INT, world);
    free(block);
}
BUG(sendrecv_replaces, "MpiTruncation|MpiTypes|MpiError", 2) {
    int value[2] = {rank, rank};
    MPI_Sendrecv_replace(value, wrong && rank ? 1 : 2, MPI_INT, other(), 1, other(), 1, world, IGNORED);
}

// --- types

// Halves of one array, neither of which has the bytes of the other.
BUG(interleaved_halves, "MpiOverlap|MpiBufferInUse", 2) {
    MPI_Datatype odd;
    MPI_Request requests[2];
    MPI_Type_vector(8, 1, 2, MPI_INT, &odd);
    MPI_Type_commit(&odd);
    MPI_Irecv(out + 1, 1, odd, other(), 0, world, &requests[0]);
    for (int i = 0; i < 16; i += wrong ? 1 : 2) out[i] = i;
    MPI_Isend(out, 1, odd, other(), 0, world, &requests[1]);
    MPI_Type_free(&odd);  // it lives until both are complete
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
BUG(subarray_of_edge, "MpiBuffer", 2) {
    const int sizes[2] = {4, 6}, part[2] = {4, 2}, from[2] = {0, 4};
    MPI_Datatype edge;
    int* const grid = malloc((wrong ? 23 : 24) * sizeof *grid);
    for (int i = 0; i < 23 + !wrong; ++i) grid[i] = i;
    MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &edge);
    MPI_Type_commit(&edge);
    MPI_Sendrecv(grid, 1, edge, other(), 0, out, 8, MPI_INT, other(), 0, world, IGNORED);
    MPI_Type_free(&edge);
    free(grid);
}
// The structure's padding is not sent, and was never set.
BUG(members_with_padding, "MpiBuffer", 2) {
    struct Pair {
        char letter;
        double number;
    }* const pair = malloc(2 * sizeof *pair);
    const int lengths[2] = {1, 1};
    const MPI_Aint offsets[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};
    MPI_Datatype made, resized;
    MPI_Type_create_struct(2, lengths, offsets, types, &made);
    MPI_Type_create_resized(made, 0, sizeof *pair, &resized);
    MPI_Type_commit(&resized);
    for (int i = 0; i < 2; ++i) pair[i].letter = 'a';
    for (int i = 0; i < 2 - wrong; ++i) pair[i].number = i;
    MPI_Sendrecv(pair, 2, resized, other(), 0, out, 2, resized, other(), 0, world, IGNORED);
    MPI_Type_free(&made);
    MPI_Type_free(&resized);
    free(pair);
}
BUG(vector_meets_numbers, "MpiTypes|MpiTruncation", 2) {
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 5, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) MPI_Send(in, 1, column, 1, 0, world);
    if (rank == 1) MPI_Recv(out, 4, wrong ? MPI_FLOAT : MPI_INT, 0, 0, world, IGNORED);
    MPI_Type_free(&column);
}

// --- requests and probes

BUG(freed_after_wait_of_all, "MpiRequest|MpiLeak", 2) {
    MPI_Request requests[2];
    int flag = 0;
    MPI_Send_init(in, 3, MPI_INT, other(), 0, world, &requests[0]);
    MPI_Recv_init(out, 3, MPI_INT, other(), 0, world, &requests[1]);
    for (int i = 0; i < 3; ++i) {
        MPI_Startall(2, requests);
        for (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        in[0] = i;
    }
    for (int i = 0; i < 2 - wrong; ++i) MPI_Request_free(&requests[i]);
}
BUG(matched_by_other_size, "MpiTruncation|MpiLeak", 2) {
    MPI_Message message;
    MPI_Status status;
    int count = 0;
    if (rank == 0) MPI_Send(in, 12, MPI_INT, 1, 4, world);
    if (rank == 1) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Mrecv(out, wrong ? count - 1 : count, MPI_INT, &message, IGNORED);
    }
}
BUG(cancelled_receive, "MpiRequest", 2) {
    MPI_Request request;
    MPI_Irecv(out, 4, MPI_INT, other(), 9, world, &request);
    MPI_Cancel(&request);
    if (!wrong) MPI_Wait(&request, IGNORED);
}
BUG(waits_for_null_handles, "MpiRequest", 2) {
    MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(out, 1, MPI_INT, other(), 0, world, &requests[3]);
    MPI_Isend(in, 1, MPI_INT, other(), 0, world, &requests[1]);
    MPI_Waitall(wrong ? 3 : 4, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(world);
}
BUG(both_send_before_receiving, "MpiDeadlock", 2) {
    MPI_Request request;
    if (wrong) {
        MPI_Ssend(in, 1, MPI_INT, other(), 0, world);
        MPI_Recv(out, 1, MPI_INT, other(), 0, world, IGNORED);
        return;
    }
    MPI_Issend(in, 1, MPI_INT, other(), 0, world, &request);
    MPI_Recv(out, 1, MPI_INT, other(), 0, world, IGNORED);
    MPI_Wait(&request, IGNORED);
}

// --- communicators

BUG(neighbours_in_a_row, "MpiBuffer|MpiError", 3) {
    const int size[1] = {3}, open[1] = {0};
    MPI_Comm row;
    int* const ends = malloc((wrong ? 1 : 2) * sizeof *ends);
    MPI_Cart_create(world, 1, size, open, 0, &row);
    MPI_Neighbor_allgather(in, 1, MPI_INT, ends, 1, MPI_INT, row);
    MPI_Comm_free(&row);
    free(ends);
}
// Each rank gives as many as its number, and takes as many as its neighbours give.
BUG(counts_of_neighbours, "MpiCollective", 3) {
    const int before = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks, near[2] = {before, next};
    const int give[2] = {rank + 1, rank + 1}, at[2] = {0, 4};
    const int take[2] = {before + 1, wrong && rank == 1 ? 4 : next + 1};
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(world, 2, near, MPI_UNWEIGHTED, 2, near, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_alltoallv(in, give, at, MPI_INT, out, take, at, MPI_INT, ring);
    MPI_Comm_free(&ring);
}
BUG(undefined_colour, "MpiError", 3) {
    MPI_Comm some;
    MPI_Comm_split(world, rank == 2 ? MPI_UNDEFINED : 0, 0, &some);
    if (some != MPI_COMM_NULL || wrong) MPI_Barrier(some);
    if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
}
BUG(root_of_other_group, "MpiDeadlock|MpiError|MpiCollective", 3) {
    MPI_Comm half, both;
    MPI_Comm_split(world, rank > 0, rank, &half);
    MPI_Intercomm_create(half, 0, world, rank > 0 ? 0 : 1, 7, &both);
    const int root = rank > 0 ? 0 : wrong ? MPI_PROC_NULL : MPI_ROOT;
    MPI_Bcast(out, 4, MPI_INT, root, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}
// Between {0, 1} and {2, 3}. The root is rank 0, the first of its group.
static void between(void (*go)(MPI_Comm, int)) {
    MPI_Comm half, both;
    MPI_Comm_split(world, rank > 1, rank, &half);
    MPI_Intercomm_create(half, 0, world, rank > 1 ? 0 : 2, 7, &both);
    go(both, rank > 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL);
    MPI_Barrier(both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}
#define BETWEEN(name, wrong_root, call)                                                                      \
    static void do_##name(MPI_Comm both, int root) {                                                         \
        if (wrong) root = wrong_root;                                                                        \
        call;                                                                                                \
    }                                                                                                        \
    BUG(name, "MpiCollective", 4) { between(do_##name); }
BETWEEN(another_root_between, rank == 3 ? 1 : root, MPI_Bcast(out, 4, MPI_INT, root, both))
BETWEEN(two_roots_between, rank == 1 ? MPI_ROOT : root,
        MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, both))
BETWEEN(root_in_both_groups, rank == 1 ? 0 : root, MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, root, both))
BETWEEN(root_that_is_beside, rank == 0 ? MPI_PROC_NULL : root,
        MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, both))
// Ranks 1, 0, 2 and 3 come one after the other.
BETWEEN(root_that_is_beside_second, rank == 0 ? MPI_PROC_NULL : root,
        (usleep(rank == 1 ? 0 : (rank + 1) * 100000u),
         MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, both)))
BETWEEN(no_root_between, MPI_PROC_NULL, MPI_Bcast(out, 4, MPI_INT, root, both))
static int nothing(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)value, (void)state;
    return MPI_Comm_free_keyval(&key);
}
// Frees the key, too, when MPI ends.
BUG(key_of_the_end, "MpiLeak", 2) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, nothing, &key, 0);
    if (!wrong) MPI_Comm_set_attr(MPI_COMM_SELF, key, 0);
}
BUG(freed_before_it_is_used_up, "MpiLeak", 2) {
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_dup(world, &copy);
    MPI_Ibarrier(copy, &request);
    if (!wrong) MPI_Comm_free(&copy);  // goes when the barrier is complete
    MPI_Wait(&request, IGNORED);
}
// The program hears of its mistake, and does not look.
BUG(uncommitted_type_with_own_handler, "MpiError", 2) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (!wrong) MPI_Type_commit(&pair);
    MPI_Sendrecv(in, 1, pair, 1 - rank, 5, out, 1, pair, 1 - rank, 5, world, IGNORED);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    MPI_Type_free(&pair);
}
// MPICH never tells that a request to nobody has ended.
BUG(started_to_nobody, "MpiRequest|MpiLeak", 2) {
    MPI_Request requests[2];
    MPI_Send_init(in, 1, MPI_INT, MPI_PROC_NULL, 6, world, &requests[0]);
    MPI_Recv_init(out, 1, MPI_INT, rank == 0 ? 1 : MPI_PROC_NULL, 6, world, &requests[1]);
    for (int i = 0; i < 2; ++i) {
        MPI_Startall(2, requests);
        if (rank == 1) MPI_Send(in, 1, MPI_INT, 0, 6, world);
        int done;
        for (int each = 0; each < 2; ++each) MPI_Waitany(2, requests, &done, IGNORED);
    }
    for (int i = 0; i < (wrong ? 1 : 2); ++i) MPI_Request_free(&requests[i]);
}
// Rank 0 waits for rank 1, not for itself, whose part it wants.
BUG(locked_crosswise, "MpiDeadlock", 2) {
    MPI_Win windows[2];
    int *parts[2], value;
    for (int i = 0; i < 2; ++i) MPI_Win_allocate(4, 4, MPI_INFO_NULL, world, &parts[i], &windows[i]);
    const int first = wrong ? rank : 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[first]);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[first]);
    MPI_Win_flush(0, windows[first]);
    if (wrong) MPI_Barrier(world);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[1 - first]);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[1 - first]);
    MPI_Win_unlock(0, windows[1 - first]);
    MPI_Win_unlock(0, windows[first]);
    for (int i = 2; i-- > 0;) MPI_Win_free(&windows[i]);
}
