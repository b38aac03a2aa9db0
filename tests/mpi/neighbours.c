// SPDX-License-Identifier: GPL-2.0-or-later
//
// Collective operations among neighbours only, whose bytes from rank to rank are known: a line of ranks with borders, and a
// graph with a rank that gives to itself.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 3 };

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, size, periodic = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm line, graph;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    int out[8], in[8] = {0}, sum = 0;
    for (int i = 0; i < 8; ++i) out[i] = rank + i;
    // Four bytes to each neighbour, then eight.
    MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, line);
    for (int i = 0; i < 2; ++i) sum += in[i];
    MPI_Request request;
    MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i) sum += in[i];

    // To itself 4 bytes, to the next one 12.
    const int targets[] = {rank, (rank + 1) % size}, sources[] = {rank, (rank + size - 1) % size};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    const int counts[] = {1, 3}, offsets[] = {0, 1};
    MPI_Neighbor_alltoallv(out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, graph);
    for (int i = 0; i < 4; ++i) sum += in[i];
#if MPI_VERSION >= 4
    // Each start counts, and making the request does not.
    MPI_Neighbor_alltoallv_init(out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, graph, MPI_INFO_NULL, &request);
    for (int round = 0; round < kRounds; ++round) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < 4; ++i) sum += in[i];
    }
    MPI_Request_free(&request);
#endif
    printf("%d\n", sum > 0);
    MPI_Comm_free(&line);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
