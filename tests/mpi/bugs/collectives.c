// SPDX-License-Identifier: GPL-2.0-or-later
//
// Collective operations: ordering, parameters that do not match or are invalid, requests, buffers. Each kind of mistake is
// tried with several operations.
#include "bugs.h"

typedef struct {
    MPI_Comm comm;
    int root, count;
    MPI_Op op;
    MPI_Datatype type;
} How;
static How usual(void) { return (How){MPI_COMM_WORLD, 0, 2, MPI_SUM, MPI_INT}; }

#define ARGUMENTS_Ibarrier(h) (h).comm
#define ARGUMENTS_Ibcast(h) ARGUMENTS_Bcast(h)
#define ARGUMENTS_Ireduce(h) ARGUMENTS_Reduce(h)
#define ARGUMENTS_Iallreduce(h) ARGUMENTS_Allreduce(h)
#define ARGUMENTS_Iscan(h) ARGUMENTS_Scan(h)
#define ARGUMENTS_Igather(h) ARGUMENTS_Gather(h)
#define ARGUMENTS_Iallgather(h) ARGUMENTS_Allgather(h)
#define ARGUMENTS_Ialltoall(h) ARGUMENTS_Alltoall(h)
#define ARGUMENTS_Barrier(h) (h).comm
#define ARGUMENTS_Bcast(h) (rank == (h).root ? in : out), (h).count, (h).type, (h).root, (h).comm
#define ARGUMENTS_Reduce(h) in, out, (h).count, (h).type, (h).op, (h).root, (h).comm
#define ARGUMENTS_Allreduce(h) in, out, (h).count, (h).type, (h).op, (h).comm
#define ARGUMENTS_Scan(h) ARGUMENTS_Allreduce(h)
#define ARGUMENTS_Exscan(h) ARGUMENTS_Allreduce(h)
#define ARGUMENTS_Reduce_scatter_block(h) ARGUMENTS_Allreduce(h)
#define ARGUMENTS_Gather(h) in, (h).count, (h).type, out, (h).count, (h).type, (h).root, (h).comm
#define ARGUMENTS_Scatter(h) ARGUMENTS_Gather(h)
#define ARGUMENTS_Allgather(h) in, (h).count, (h).type, out, (h).count, (h).type, (h).comm
#define ARGUMENTS_Alltoall(h) ARGUMENTS_Allgather(h)
static const int counts[3] = {2, 2, 2}, offsets[3] = {0, 2, 4};
#define ARGUMENTS_Gatherv(h) in, (h).count, (h).type, out, counts, offsets, (h).type, (h).root, (h).comm
#define ARGUMENTS_Scatterv(h) in, counts, offsets, (h).type, out, (h).count, (h).type, (h).root, (h).comm
#define ARGUMENTS_Allgatherv(h) in, (h).count, (h).type, out, counts, offsets, (h).type, (h).comm
#define ARGUMENTS_Alltoallv(h) in, counts, offsets, (h).type, out, counts, offsets, (h).type, (h).comm
#define EXPAND(F, ...) F(__VA_ARGS__)
#define DO(name, h) EXPAND(MPI_##name, ARGUMENTS_##name(h))
#define BEGIN(name, h, request) EXPAND(MPI_##name, ARGUMENTS_##name(h), request)

// --- ordering

#define MISSING(name)                                                                                        \
    BUG(missing_##name, "MpiDeadlock", 2) {                                                                  \
        if (!wrong || rank == 0) DO(name, usual());                                                          \
        DO(Barrier, usual());                                                                                \
        DO(name, usual());                                                                                   \
    }
#define SWAPPED(name, other)                                                                                 \
    BUG(swapped_##name##_##other, "MpiCollective", 3) {                                                      \
        if (wrong && rank == 1) DO(other, usual());                                                          \
        DO(name, usual());                                                                                   \
        if (!wrong || rank != 1) DO(other, usual());                                                         \
    }
MISSING(Allreduce)
MISSING(Alltoall)
MISSING(Allgather)
BUG(missing_at_end, "MpiDeadlock", 2) {
    if (!wrong || rank == 0) MPI_Barrier(world);
}
SWAPPED(Barrier, Bcast)
SWAPPED(Reduce, Bcast)
SWAPPED(Allreduce, Gather)
SWAPPED(Scan, Allreduce)
SWAPPED(Allgather, Alltoall)
SWAPPED(Gatherv, Scatterv)
SWAPPED(Exscan, Reduce_scatter_block)
BUG(blocking_with_nonblocking, "MpiCollective", 2) {
    MPI_Request request;
    if (wrong && rank == 1) {
        MPI_Barrier(world);
        return;
    }
    MPI_Ibarrier(world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(swapped_nonblocking, "MpiCollective", 2) {
    MPI_Request requests[2];
    const int first = wrong && rank == 1;
    int sums[2];
    if (first) MPI_Ibarrier(world, &requests[1]);
    MPI_Iallreduce(in, sums, 1, MPI_INT, MPI_SUM, world, &requests[0]);
    if (!first) MPI_Ibarrier(world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
BUG(swapped_communicators, "MpiDeadlock", 2) {
    MPI_Comm other;
    MPI_Comm_dup(world, &other);
    const int turned = wrong && rank == 1;
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, turned ? other : world);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, turned ? world : other);
    MPI_Comm_free(&other);
}
BUG(one_in_other_communicator, "MpiDeadlock", 2) {
    MPI_Comm other;
    MPI_Comm_dup(world, &other);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, wrong && rank ? other : world);
    MPI_Comm_free(&other);
}
BUG(collective_crosses_message, "MpiDeadlock", 2) {
    if (rank == 0) {
        if (wrong) MPI_Barrier(world);
        MPI_Send(in, 1, MPI_INT, 1, 0, world);
        if (!wrong) MPI_Barrier(world);
    } else {
        MPI_Recv(out, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
        MPI_Barrier(world);
    }
}
BUG(branch_on_rank, "MpiCollective|MpiDeadlock", 3) {
    for (int i = 0; i < (wrong ? 1 + rank % 2 : 2); ++i) MPI_Bcast(out, 1, MPI_INT, 0, world);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, world);
}

// --- parameters that do not match

#define OTHER(what, name, change)                                                                            \
    BUG(other_##what##_##name, "MpiCollective", 2) {                                                         \
        How how = usual();                                                                                   \
        if (wrong && rank == 1) how.change;                                                                  \
        DO(name, how);                                                                                       \
    }
#define OTHER_BEGUN(what, name, change)                                                                      \
    BUG(other_##what##_##name, "MpiCollective", 2) {                                                        \
        How how = usual();                                                                                   \
        MPI_Request request;                                                                                 \
        if (wrong && rank == 1) how.change;                                                                  \
        BEGIN(name, how, &request);                                                                          \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                               \
    }
#define OTHER_ROOT(name) OTHER(root, name, root = 1)
#define OTHER_OP(name) OTHER(op, name, op = MPI_MAX)
#define OTHER_TYPE(name) OTHER(type, name, type = MPI_FLOAT)
OTHER_ROOT(Bcast)
OTHER_ROOT(Reduce)
OTHER_ROOT(Gather)
OTHER_ROOT(Scatter)
OTHER_ROOT(Gatherv)
OTHER_OP(Reduce)
OTHER_OP(Allreduce)
OTHER_OP(Scan)
OTHER_OP(Exscan)
OTHER_OP(Reduce_scatter_block)
OTHER_TYPE(Bcast)
OTHER_TYPE(Reduce)
OTHER_TYPE(Allreduce)
OTHER_TYPE(Gather)
OTHER_TYPE(Scatter)
OTHER_TYPE(Allgather)
OTHER_TYPE(Alltoall)
OTHER_TYPE(Gatherv)
OTHER_TYPE(Alltoallv)
OTHER(size, Bcast, count = 1)
OTHER(size, Gather, count = 1)
OTHER(size, Allreduce, count = 1)
OTHER_BEGUN(root, Ibcast, root = 1)
OTHER_BEGUN(root, Ireduce, root = 1)
OTHER_BEGUN(op, Iallreduce, op = MPI_PROD)
OTHER_BEGUN(type, Iallgather, type = MPI_FLOAT)
BUG(other_count_of_allgatherv, "MpiCollective|MpiTypes|MpiTruncation", 2) {
    int mine[2] = {2, 2};
    if (wrong && rank == 1) mine[0] = 1;
    MPI_Allgatherv(in, 2, MPI_INT, out, mine, offsets, MPI_INT, world);
}
static void add(void* from, void* to, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)to)[i] += ((int*)from)[i];
}
BUG(own_op_with_predefined, "MpiCollective", 2) {
    MPI_Op own;
    MPI_Op_create(add, 1, &own);
    MPI_Allreduce(in, out, 1, MPI_INT, wrong && rank ? MPI_SUM : own, world);
    MPI_Op_free(&own);
}

// --- invalid parameters

#define INVALID(what, name, change)                                                                          \
    BUG(invalid_##what##_##name, "MpiError", 2) {                                                            \
        How how = usual();                                                                                   \
        if (wrong) how.change;                                                                               \
        DO(name, how);                                                                                       \
    }
INVALID(communicator, Barrier, comm = MPI_COMM_NULL)
INVALID(communicator, Alltoall, comm = MPI_COMM_NULL)
INVALID(root, Bcast, root = -7)
INVALID(root, Reduce, root = ranks)
INVALID(root, Scatter, root = ranks + 3)
INVALID(op, Allreduce, op = MPI_OP_NULL)
INVALID(op, Reduce, op = MPI_OP_NULL)
INVALID(type, Bcast, type = MPI_DATATYPE_NULL)
INVALID(type, Gather, type = MPI_DATATYPE_NULL)
INVALID(count, Allreduce, count = -1)
BUG(invalid_op_for_type, "MpiError", 2) {
    double from = 1, to;
    MPI_Allreduce(&from, &to, 1, MPI_DOUBLE, wrong ? MPI_BAND : MPI_SUM, world);
}
BUG(freed_communicator, "MpiError", 2) {
    MPI_Comm other, again;
    MPI_Comm_dup(world, &other);
    again = other;
    if (wrong) MPI_Comm_free(&again);
    MPI_Barrier(wrong ? again : other);
    if (!wrong) MPI_Comm_free(&other);
}
BUG(uncommitted_type, "MpiError", 2) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    if (!wrong) MPI_Type_commit(&pair);
    MPI_Bcast(out, 1, pair, 0, world);
    MPI_Type_free(&pair);
}

// --- requests and buffers

#define NEVER_WAITED(name)                                                                                   \
    BUG(never_waited_##name, "MpiRequest", 2) {                                                             \
        MPI_Request request;                                                                                 \
        BEGIN(name, usual(), &request);                                                                      \
        if (!wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);                                                   \
        MPI_Barrier(world);                                                                                  \
    }
#define CHANGED_EARLY(name, buffer)                                                                          \
    BUG(changed_early_##name, "MpiBufferInUse", 2) {                                                        \
        MPI_Request request;                                                                                 \
        BEGIN(name, usual(), &request);                                                                      \
        if (wrong) buffer[0] = 4;                                                                            \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                               \
        buffer[0] = 5;                                                                                       \
    }
NEVER_WAITED(Ibarrier)
NEVER_WAITED(Ibcast)
NEVER_WAITED(Iallreduce)
NEVER_WAITED(Igather)
CHANGED_EARLY(Iallreduce, in)
CHANGED_EARLY(Ialltoall, in)
CHANGED_EARLY(Iallgather, out)
CHANGED_EARLY(Iscan, out)
static volatile int seen;
BUG(read_early_Iallreduce, "MpiBufferInUse|UninitCondition", 2) {
    MPI_Request request;
    int sum[2];
    MPI_Iallreduce(in, sum, 2, MPI_INT, MPI_SUM, world, &request);
    if (wrong && sum[0] == 3) seen = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum[0] == 3) seen = 2;
}
// A library may have stored a part of the result when the call that begins ends.
#define READ_EARLY(name)                                                                                     \
    BUG(read_early_##name, "MpiBufferInUse|UninitCondition", 2) {                                            \
        MPI_Request request;                                                                                 \
        BEGIN(name, usual(), &request);                                                                      \
        if (wrong && out[0] == 3) seen = 1;                                                                  \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                               \
        if (out[0] == 3) seen = 2;                                                                           \
    }
READ_EARLY(Ibcast)
READ_EARLY(Ireduce)
READ_EARLY(Iscan)
READ_EARLY(Igather)
READ_EARLY(Iallgather)
READ_EARLY(Ialltoall)
BUG(read_early_on_heap, "MpiBufferInUse|UninitCondition", 2) {
    MPI_Request request;
    int* const sums = malloc(40 * sizeof *sums);
    MPI_Iallreduce(in, sums, 40, MPI_INT, MPI_SUM, world, &request);
    if (wrong && sums[20] == 3) seen = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sums[20] == 3) seen = 2;
    free(sums);
}
// A request that is complete, though nobody has waited for it, has given its buffer back.
BUG(read_when_told_complete, "MpiBufferInUse|UninitCondition", 2) {
    MPI_Request request;
    int is_complete = 0;
    MPI_Iallreduce(in, out, 4, MPI_INT, MPI_SUM, world, &request);
    while (!wrong && !is_complete) MPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE);
    if (out[2] == 3) seen = 1;
    out[2] = 4;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(same_buffer_Allreduce, "MpiOverlap|MpiError", 2) {
    MPI_Allreduce(wrong ? out : in, out, 2, MPI_INT, MPI_SUM, world);
}
BUG(same_buffer_Gather, "MpiOverlap|MpiError", 2) {
    MPI_Gather(wrong ? out + 1 : in, 2, MPI_INT, out, 2, MPI_INT, 0, world);
}
