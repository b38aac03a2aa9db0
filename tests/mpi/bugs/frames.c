// SPDX-License-Identifier: GPL-2.0-or-later
//
// Windows and buffers that are local variables, as in most small programs, in each kind of epoch.
#include "bugs.h"

typedef enum { Fence, Lock, LockAll } Epoch;
static MPI_Win window;
static const int self = 1;
static void open_epoch(Epoch epoch, int target) {
    if (epoch == Fence) MPI_Win_fence(0, window);
    if (epoch == Lock) MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
    if (epoch == LockAll) MPI_Win_lock_all(0, window);
}
static void close_epoch(Epoch epoch, int target) {
    if (epoch == Fence) MPI_Win_fence(0, window);
    if (epoch == Lock) MPI_Win_unlock(target, window);
    if (epoch == LockAll) MPI_Win_unlock_all(window);
}
// BEGIN and END are in a frame with `part`, a window of 100 numbers, and `mine` and `yours`.
#define IN_FRAME(name, expected, n, epoch, DO)                                                               \
    BUG(name, expected, n) {                                                                                 \
        int part[100] = {0}, mine = 12345, yours = 54321, seen = 0;                                          \
        const int target = 1 - rank;                                                                         \
        MPI_Win_create(part, sizeof part, sizeof *part, MPI_INFO_NULL, world, &window);                      \
        open_epoch(epoch, target);                                                                           \
        DO;                                                                                                  \
        close_epoch(epoch, target);                                                                          \
        MPI_Barrier(world);                                                                                  \
        seen = mine + yours + part[20];                                                                      \
        if (seen == 1) puts("one");                                                                          \
        MPI_Win_free(&window);                                                                               \
    }
#define FOR_EPOCHS(name, expected, DO)                                                                       \
    IN_FRAME(name##_fence, expected, 2, Fence, DO)                                                           \
    IN_FRAME(name##_lock, expected, 2, Lock, DO)                                                             \
    IN_FRAME(name##_lock_all, expected, 2, LockAll, DO)
static void put(const int* from, int to, int at) { MPI_Put(from, 1, MPI_INT, to, at, 1, MPI_INT, window); }
static void get(int* here, int from, int at) { MPI_Get(here, 1, MPI_INT, from, at, 1, MPI_INT, window); }

// --- the origin's variable

FOR_EPOCHS(local_put_store, "MpiRace|MpiBufferInUse", if (rank == 0) put(&mine, 1, 0); if (wrong && rank == 0) mine = 8)
FOR_EPOCHS(local_get_store, "MpiRace|MpiBufferInUse", if (rank == 0) get(&mine, 1, 0); if (wrong && rank == 0) mine = 8)
FOR_EPOCHS(local_get_load, "MpiRace|MpiBufferInUse|UninitCondition",
           if (rank == 0) get(&mine, 1, 0);
           if (wrong && rank == 0) seen = mine)
FOR_EPOCHS(local_get_put, "MpiRace|MpiBufferInUse",
           if (rank == 0) get(&mine, 1, 0);
           if (rank == 0) put(wrong ? &mine : &yours, 1, 1))

// --- the target's part

FOR_EPOCHS(part_put_store, "MpiRace", if (rank == 0) put(&mine, 1, 20); if (rank == self) part[wrong ? 20 : 40] = 7)
FOR_EPOCHS(part_put_load, "MpiRace", if (rank == 0) put(&mine, 1, 20); if (rank == self) seen = part[wrong ? 20 : 40])
FOR_EPOCHS(part_get_store, "MpiRace", if (rank == 0) get(&mine, 1, 20); if (rank == self) part[wrong ? 20 : 40] = 7)

// --- both ranks use both parts

FOR_EPOCHS(part_sent_on, "MpiRace",
           if (rank == 0) get(&mine, 1, 20);
           if (rank == 1 && wrong) get(&part[20], 0, 60))

// --- the program stores into its part beside a message

BUG(part_beside_message, "MpiRace", 3) {
    int part[4] = {3}, mine = 1, here;
    MPI_Win_create(part, sizeof part, sizeof *part, MPI_INFO_NULL, world, &window);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        put(&mine, 1, 0);
        MPI_Win_unlock(1, window);
        if (!wrong) MPI_Send(&mine, 1, MPI_INT, 1, 0, world);
    } else if (rank == 2 && wrong) {
        MPI_Send(&mine, 1, MPI_INT, 1, 0, world);
    } else if (rank == 1) {
        MPI_Recv(&here, 1, MPI_INT, wrong ? 2 : 0, 0, world, MPI_STATUS_IGNORE);
        part[0] = here;
    }
    MPI_Barrier(world);
    MPI_Win_free(&window);
}

// --- buffers of requests

BUG(local_Isend_store, "MpiBufferInUse", 2) {
    int value = rank;
    MPI_Request request;
    if (rank == 0) MPI_Isend(&value, 1, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Irecv(&value, 1, MPI_INT, 0, 0, world, &request);
    if (wrong && rank == 0) value = 4;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value = 5;
}
BUG(local_Irecv_add, "MpiBufferInUse|UninitCondition", 2) {
    int value = rank;
    MPI_Request request;
    if (rank == 0) MPI_Isend(&value, 1, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Irecv(&value, 1, MPI_INT, 0, 0, world, &request);
    if (wrong && rank == 1) value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value++;
}
BUG(local_Iallreduce_add, "MpiBufferInUse", 2) {
    int value = rank, sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world, &request);
    if (wrong) sum++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum++;
}
BUG(local_Ibcast_add, "MpiBufferInUse", 2) {
    int values[10] = {rank};
    MPI_Request request;
    MPI_Ibcast(values, 10, MPI_INT, 0, world, &request);
    if (wrong) values[0]++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    values[0]++;
}
// Other variables of the frame are the program's, however near they are.
BUG(neighbour_of_buffer, "MpiBufferInUse", 2) {
    int around[5] = {1, 2, 3, 4, 5};
    MPI_Request request;
    if (rank == 0) MPI_Issend(&around[2], 1, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Irecv(&around[2], 1, MPI_INT, 0, 0, world, &request);
    for (int i = 0; i < 5; ++i)
        if (i != 2 || (wrong && rank == 0)) around[i] += i;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (around[2] + around[1] == 9) puts("nine");
}
