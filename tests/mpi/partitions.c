// SPDX-License-Identifier: GPL-2.0-or-later
//
// Partitioned messages (MPI 4) with mistakes. `expect: RANK KIND` stands in the line of the call that is reported.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kParts = 4, kInts = 5 };

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = 1 - rank;
    int* numbers = malloc(kParts * kInts * sizeof(int));
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(numbers, kParts, kInts, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < 2 * kInts - 1; ++i) numbers[i] = i;  // after the start, and one is missing
        MPI_Pready(0, request);
        MPI_Pready(1, request);  // expect: 0 MpiBuffer
        numbers[0] = 7;  // expect: 0 MpiBufferInUse
        for (int i = kInts; i < kParts * kInts; ++i) numbers[i] = i;
        MPI_Pready_range(2, 3, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);

        MPI_Start(&request);
        for (int i = 0; i < kParts * kInts; ++i) numbers[i] = 2 * i;
        const int list[] = {3, 0, 2, 1};
        MPI_Pready_list(kParts, list, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);

        MPI_Psend_init(numbers, kParts, kInts, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);  // expect: 0 MpiRequest
        MPI_Start(&request);
        MPI_Pready(0, request);  // not all are ready
        MPI_Pready(0, request);  // twice, which is a second MpiRequest
    } else {
        MPI_Precv_init(numbers, 2, 2 * kInts, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        int arrived = 0;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Start(&request);
        if (numbers[3] == 12345) puts("too early");  // expect: 1 UninitCondition
        while (!arrived) MPI_Parrived(request, 0, &arrived);
        if (numbers[2 * kInts - 1] != 2 * (2 * kInts - 1)) puts("wrong");
        numbers[0] = 1;  // it belongs to the program again
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (numbers[kParts * kInts - 1] != 2 * (kParts * kInts - 1)) puts("wrong");
        MPI_Request_free(&request);
        MPI_Precv_init(numbers, 2, 2 * kInts, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);  // expect: 1 MpiLeak
    }
    MPI_Finalize();
    return 0;
}
