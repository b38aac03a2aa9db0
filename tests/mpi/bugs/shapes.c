// SPDX-License-Identifier: GPL-2.0-or-later
//
// Types, counts and roots: derived types that do not match, buffers that are too short, non-blocking and persistent
// collective operations that ranks begin differently, and wildcards.
#include "bugs.h"

static int other(void) { return 1 - rank; }
static MPI_Datatype committed(MPI_Datatype type) {
    MPI_Type_commit(&type);
    return type;
}
static MPI_Datatype vector_of(int count, int length, int stride, MPI_Datatype of) {
    MPI_Datatype made;
    MPI_Type_vector(count, length, stride, of, &made);
    return committed(made);
}
static MPI_Datatype pair_of(MPI_Datatype first, MPI_Datatype second) {
    MPI_Datatype made;
    const int lengths[2] = {1, 1};
    const MPI_Aint offsets[2] = {0, 8};
    const MPI_Datatype types[2] = {first, second};
    MPI_Type_create_struct(2, lengths, offsets, types, &made);
    return committed(made);
}
static void pass(MPI_Datatype sent, int sent_count, MPI_Datatype received, int count) {
    if (rank == 0) MPI_Send(in, sent_count, sent, 1, 0, world);
    if (rank == 1) MPI_Recv(out, count, received, 0, 0, world, MPI_STATUS_IGNORE);
}

// --- types

BUG(columns_as_floats, "MpiTypes", 2) {
    MPI_Datatype mine = vector_of(4, 1, 3, wrong && rank ? MPI_FLOAT : MPI_INT);
    pass(mine, 2, mine, 2);
    MPI_Type_free(&mine);
}
BUG(members_swapped, "MpiTypes", 2) {
    MPI_Datatype mine = wrong && rank ? pair_of(MPI_DOUBLE, MPI_INT) : pair_of(MPI_INT, MPI_DOUBLE);
    pass(mine, 3, mine, 3);
    MPI_Type_free(&mine);
}
BUG(structure_as_bytes, "MpiTypes", 2) {
    MPI_Datatype mine = pair_of(MPI_INT, MPI_DOUBLE);
    pass(mine, 2, wrong ? MPI_BYTE : mine, wrong ? 24 : 2);
    MPI_Type_free(&mine);
}
BUG(blocks_in_scatter, "MpiTypes|MpiCollective", 2) {
    MPI_Datatype block = vector_of(2, 2, 4, wrong && rank ? MPI_LONG : MPI_INT);
    MPI_Scatter(in, 4, MPI_INT, out, 1, block, 0, world);
    MPI_Type_free(&block);
}
BUG(longs_in_alltoallw, "MpiTypes|MpiCollective", 2) {
    const int counts[2] = {1, 1}, offsets[2] = {0, 16};
    const MPI_Datatype given[2] = {MPI_LONG, MPI_LONG};
    MPI_Datatype taken[2] = {MPI_LONG, MPI_LONG};
    if (wrong && rank == 1) taken[0] = MPI_DOUBLE;
    MPI_Alltoallw(in, counts, offsets, given, out, counts, offsets, taken, world);
}
// Messages that meet in the order in which the receives were posted, not in that in which they end.
BUG(other_type_in_any_order, "MpiTypes", 2) {
    MPI_Request requests[3];
    for (int i = 0; i < 3; ++i) {
        const MPI_Datatype type = i == 1 ? MPI_FLOAT : MPI_INT;
        if (rank == 0) MPI_Isend(in, 4, type, 1, i / 2, world, &requests[i]);
        if (rank == 1) MPI_Irecv(out + 4 * i, 4, wrong && i == 2 ? MPI_FLOAT : type, 0, i / 2, world, &requests[i]);
    }
    for (int i = 2; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}
BUG(persistent_other_type, "MpiTypes", 2) {
    MPI_Request request;
    if (rank == 0) MPI_Send_init(in, 4, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Recv_init(out, 4, wrong ? MPI_FLOAT : MPI_INT, 0, 0, world, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
BUG(any_source_other_type, "MpiTypes", 3) {
    double got;
    if (rank == 1) MPI_Send(in, 1, MPI_DOUBLE, 0, 0, world);
    if (rank == 2) MPI_Send(in, 1, wrong ? MPI_LONG : MPI_DOUBLE, 0, 0, world);
    for (int i = 1; i < ranks && rank == 0; ++i)
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);
}
BUG(uncommitted_in_message, "MpiError", 2) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (!wrong) MPI_Type_commit(&pair);
    pass(pair, 1, pair, 1);
    MPI_Type_free(&pair);
}
BUG(put_of_other_type, "MpiError|MpiTypes|MpiTruncation", 2) {
    MPI_Win window;
    MPI_Win_create(out, sizeof out, 1, MPI_INFO_NULL, world, &window);
    MPI_Win_fence(0, window);
    MPI_Put(in, 2, MPI_INT, 1 - rank, 0, wrong ? 1 : 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

// --- buffers that are too short

BUG(receives_into_short_block, "MpiBuffer", 2) {
    int* const block = malloc((wrong ? 7 : 8) * sizeof *block);
    if (rank == 0) MPI_Send(in, 8, MPI_INT, 1, 0, world);
    if (rank == 1) MPI_Recv(block, 8, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    free(block);
}
BUG(gathers_into_short_block, "MpiBuffer", 3) {
    int* const block = malloc(4 * (wrong ? ranks - 1 : ranks) * sizeof *block);
    MPI_Gather(in, 4, MPI_INT, rank == 1 ? block : 0, 4, MPI_INT, 1, world);
    free(block);
}
BUG(displaced_too_far, "MpiBuffer", 2) {
    int* const block = malloc(8 * sizeof *block);
    const int counts[2] = {4, 4}, offsets[2] = {0, wrong ? 5 : 4};
    MPI_Allgatherv(in, 4, MPI_INT, block, counts, offsets, MPI_INT, world);
    free(block);
}
BUG(columns_too_far, "MpiBuffer", 2) {
    MPI_Datatype columns = vector_of(4, 2, 5, MPI_INT);
    int* const block = calloc(wrong ? 16 : 17, sizeof *block);
    if (rank == 0) MPI_Send(block, 1, columns, 1, 0, world);
    if (rank == 1) MPI_Recv(out, 1, columns, 0, 0, world, MPI_STATUS_IGNORE);
    MPI_Type_free(&columns);
    free(block);
}
BUG(put_from_short_block, "MpiBuffer", 2) {
    MPI_Win window;
    int* const block = calloc(4, sizeof *block);
    MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, world, &window);
    MPI_Win_fence(0, window);
    MPI_Put(block, wrong ? 5 : 4, MPI_INT, 1 - rank, 0, wrong ? 5 : 4, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    free(block);
}
BUG(sends_part_never_set, "MpiBuffer", 2) {
    int* const block = malloc(6 * sizeof *block);
    for (int i = 0; i < (wrong ? 5 : 6); ++i) block[i] = i;
    MPI_Allgather(block, 6, MPI_INT, out, 6, MPI_INT, world);
    free(block);
}
BUG(behind_window_of_heap, "MpiError|MpiRace", 2) {
    MPI_Win window;
    int* const block = calloc(4, sizeof *block);
    MPI_Win_create(block, 4 * sizeof *block, sizeof *block, MPI_INFO_NULL, world, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) MPI_Put(in, 2, MPI_INT, 1, wrong ? 3 : 2, 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    free(block);
}

// --- collective operations that are begun

BUG(other_root_Igatherv, "MpiCollective", 2) {
    const int counts[2] = {2, 2}, offsets[2] = {0, 2};
    MPI_Request request;
    MPI_Igatherv(in, 2, MPI_INT, out, counts, offsets, MPI_INT, wrong && rank, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(other_order_of_begun, "MpiCollective", 2) {
    MPI_Request requests[2];
    int sums[2];
    for (int i = 0; i < 2; ++i) {
        if ((i == 0) != (wrong && rank == 1)) MPI_Ibcast(out, 1, MPI_INT, 0, world, &requests[i]);
        else MPI_Ireduce(in, sums, 1, MPI_INT, MPI_SUM, 0, world, &requests[i]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
BUG(begun_by_some, "MpiDeadlock|MpiCollective", 3) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (!wrong || rank != 2) MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(counts_of_Ialltoallv, "MpiTypes|MpiCollective|MpiTruncation|MpiError", 2) {
    int give[2] = {3, 3};
    const int take[2] = {3, 3}, offsets[2] = {0, 3};
    MPI_Request request;
    if (wrong && rank == 0) give[1] = 4;
    MPI_Ialltoallv(in, give, offsets, MPI_INT, out, take, offsets, MPI_INT, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(used_before_Ibcast_ends, "MpiBufferInUse", 2) {
    MPI_Request request;
    MPI_Ibcast(out, 4, MPI_INT, 0, world, &request);
    if (wrong && rank == 1) MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, world);
    if (wrong && rank == 0) out[3] = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#if MPI_VERSION >= 4
static MPI_Request sum_request(int waits, int frees, int starts, int root) {
    MPI_Request request;
    MPI_Reduce_init(in, out, 2, MPI_INT, MPI_SUM, root, world, MPI_INFO_NULL, &request);
    for (int i = 0; i < starts; ++i) {
        MPI_Start(&request);
        if (waits || i + 1 < starts) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (frees) MPI_Request_free(&request);
    return request;
}
BUG(persistent_collective_never_waited, "MpiRequest", 2) { sum_request(!wrong, !wrong, 2, 0); }
BUG(persistent_collective_never_freed, "MpiLeak", 2) { sum_request(1, !wrong, 2, 0); }
BUG(persistent_collective_other_root, "MpiCollective", 2) { sum_request(1, 1, 2, wrong && rank); }
BUG(persistent_collective_started_by_some, "MpiDeadlock", 2) { sum_request(1, 1, wrong && rank == 1 ? 1 : 2, 0); }
BUG(partition_never_ready, "MpiDeadlock", 2) {
    MPI_Request request;
    if (rank == 0) MPI_Psend_init(in, 2, 2, MPI_INT, 1, 0, world, MPI_INFO_NULL, &request);
    if (rank == 1) MPI_Precv_init(out, 2, 2, MPI_INT, 0, 0, world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int part = 0; part < (wrong ? 1 : 2) && rank == 0; ++part) MPI_Pready(part, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}
#endif

// --- wildcards

BUG(posted_wildcard_takes_it, "MpiDeadlock", 2) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(out, 1, MPI_INT, wrong ? MPI_ANY_SOURCE : MPI_PROC_NULL, MPI_ANY_TAG, world, &request);
        MPI_Recv(out + 1, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(in, 1, MPI_INT, 0, 7, world);
    }
}
BUG(any_tag_takes_both, "MpiDeadlock", 2) {
    if (rank == 0) {
        MPI_Send(in, 1, MPI_INT, 1, 1, world);
        MPI_Send(in, 1, MPI_INT, 1, 2, world);
    } else {
        MPI_Recv(out, 1, MPI_INT, 0, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
        MPI_Recv(out, 1, MPI_INT, 0, wrong ? 1 : 2, world, MPI_STATUS_IGNORE);
    }
}
BUG(probe_with_wildcard, "MpiDeadlock|MpiLeak|MpiTruncation", 3) {
    MPI_Status status;
    if (rank == 2) MPI_Send(in, 3, MPI_INT, 0, 4, world);
    for (int i = 0; i < 1 && rank == 0; ++i) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
        MPI_Recv(out, 3, MPI_INT, wrong ? 1 : status.MPI_SOURCE, status.MPI_TAG, world, MPI_STATUS_IGNORE);
    }
}
BUG(farm_asks_too_often, "MpiDeadlock", 3) {
    const int results = wrong ? 5 : 4;
    for (int i = 0; i < 2 && rank != 0; ++i) MPI_Send(in, 1, MPI_INT, 0, i, world);
    for (int i = 0; i < results && rank == 0; ++i)
        MPI_Recv(out, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
}
