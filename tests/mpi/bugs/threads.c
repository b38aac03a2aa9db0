// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads that call MPI although the library has not granted it, and a call before MPI_Init.
#include <mpi.h>
#define OWN_BEGIN
static void begin(int* count, char*** words);
#include <pthread.h>

#include "bugs.h"

static void begin(int* count, char*** words) {
    const char* const name = (*words)[1];
    int granted, size;
    if (wrong && strcmp(name, "asks_before_begin") == 0) MPI_Comm_size(world, &size);
    MPI_Init_thread(count, words, wrong && strcmp(name, "sends_in_thread") == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED,
                    &granted);
}

static void* send_one(void* nothing) {
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, world);
    return nothing;
}
BUG(asks_before_begin, "MpiError", 2) { MPI_Barrier(world); }
BUG(sends_in_thread, "MpiError", 2) {
    pthread_t thread;
    pthread_create(&thread, 0, send_one, 0);
    pthread_join(thread, 0);
    MPI_Recv(out, 1, MPI_INT, 1 - rank, 0, world, MPI_STATUS_IGNORE);
}
// One thread waits in MPI for the other one.
static void* receive_one(void* nothing) {
    MPI_Recv(out, 1, MPI_INT, 1 - rank, 1, world, MPI_STATUS_IGNORE);
    return nothing;
}
BUG(waits_beside_thread, "MpiError", 2) {
    pthread_t thread;
    if (!wrong && rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 1, world);
    pthread_create(&thread, 0, receive_one, 0);
    if (!wrong) pthread_join(thread, 0);
    if (wrong || rank == 0) MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, world);
    if (wrong) pthread_join(thread, 0);
}
