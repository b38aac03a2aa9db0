// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mistakes with what MPI 4 has: persistent collective operations, functions of large counts, objects that only it makes.
// `expect: RANK KIND` stands in the line of the call that is reported.
#include <mpi.h>
#include <stdlib.h>

static void add(void* in, void* to, MPI_Count* count, MPI_Datatype* type) {
    (void)type;
    for (MPI_Count i = 0; i < *count; ++i) ((int*)to)[i] += ((int*)in)[i];
}
static void ignore(MPI_Session* session, int* error, ...) {
    (void)session;
    (void)error;
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int* sent = malloc(8 * sizeof(int));
    int* got = calloc(8, sizeof(int));
    MPI_Request request;
    MPI_Allreduce_init(sent, got, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 4; ++i) sent[i] = i;  // what was not set when the request was made
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sent[0] = got[0];  // it belongs to the program until the next start
    MPI_Start(&request);
    if (rank == 0) sent[1] = 9;  // expect: 0 MpiBufferInUse
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);

    MPI_Bcast_init(got, 4, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);  // expect: 1 MpiLeak
    MPI_Start(&request);
    if (rank == 1 && got[2] == 77) return 1;  // expect: 1 UninitCondition
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Request_free(&request);

    MPI_Bcast_c(sent, 5, MPI_INT, 0, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
    if (rank == 0) MPI_Send_c(sent + 5, 2, MPI_INT, 1, 3, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
    else MPI_Recv_c(got, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Op sum;
    MPI_Op_create_c(add, 1, &sum);  // expect: 0 MpiLeak // expect: 1 MpiLeak
    MPI_Errhandler handler;
    MPI_Session_create_errhandler(ignore, &handler);  // expect: 0 MpiLeak // expect: 1 MpiLeak
    int* part;
    MPI_Win window;
    MPI_Win_allocate_c(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < 16; ++i) part[i] = rank;
    MPI_Win_fence(0, window);
    MPI_Put_c(sent + 6, 2, MPI_INT, 1 - rank, 0, 2, MPI_INT, window);  // expect: 0 MpiBuffer // expect: 1 MpiBuffer
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Win_create_c(got, 32, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) MPI_Put_c(sent, 1, MPI_INT, 1, 7, 1, MPI_INT, window);
    if (rank == 1) got[7] = 5;  // expect: 1 MpiRace
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
