// A ring of messages, a sum, a broadcast in halves of the world, a put, and a persistent request: each rank's part
// can be told on paper. One block is lost on purpose, the program's own.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 10, kInts = 1000 };

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int* out = malloc(kInts * sizeof(int));
    int* in = malloc(kInts * sizeof(int));
    char* volatile lost = malloc(100);
    lost = NULL;
    for (int i = 0; i < kInts; ++i) out[i] = rank;

    for (int round = 0; round < kRounds; ++round) {
        MPI_Request requests[2];
        MPI_Irecv(in, kInts, MPI_INT, before, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, kInts, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    int sum = 0;
    MPI_Allreduce(&in[0], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    double values[8] = {0};
    MPI_Bcast(values, 8, MPI_DOUBLE, 0, half);
    MPI_Comm_free(&half);

    MPI_Request again;
    if (rank == 0)
        MPI_Send_init(out, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &again);
    else if (rank == 1)
        MPI_Recv_init(in, kInts, MPI_INT, 0, 8, MPI_COMM_WORLD, &again);
    for (int i = 0; i < 3 && rank < 2; ++i) {
        MPI_Start(&again);
        MPI_Wait(&again, MPI_STATUS_IGNORE);
    }
    if (rank < 2) MPI_Request_free(&again);

    MPI_Win window;
    long cell = 0;
    MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    const long mine = rank;
    MPI_Put(&mine, 1, MPI_LONG, next, 0, 1, MPI_LONG, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    if (rank == 0) printf("%d %ld\n", sum, cell);
    MPI_Finalize();
    free(in);
    free(out);
    return lost != NULL;
}
