// Types of messages. `expect: RANK MpiTypes` stands in the line of a call that receives other types than were sent, or
// that gave the buffer; all other calls are right, though their types are made differently.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kInts = 12 };

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm pair;
    MPI_Comm_dup(MPI_COMM_WORLD, &pair);
    struct Both {
        int number;
        double value;
    }* both = calloc(4, sizeof *both);
    int* ints = calloc(kInts, sizeof *ints);
    float* floats = calloc(kInts, sizeof *floats);
    MPI_Datatype row, both_type, packed;
    MPI_Type_vector(2, 3, 6, MPI_INT, &row);
    MPI_Type_commit(&row);
    const int lengths[2] = {1, 1};
    const MPI_Aint offsets[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, offsets, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof *both, &both_type);
    MPI_Type_commit(&both_type);
    MPI_Type_free(&packed);
    MPI_Request requests[3];
    if (rank == 0) {
        MPI_Send(ints, 6, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(ints, 6, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Send(both, 2, both_type, 1, 3, MPI_COMM_WORLD);
        MPI_Send(both, 2, both_type, 1, 4, MPI_COMM_WORLD);
        for (int i = 0; i < 3; ++i) {
            MPI_Send(ints, i + 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            MPI_Send(floats, i + 1, MPI_FLOAT, 1, 5, MPI_COMM_WORLD);
        }
        char buffer[100];
        int at = 0;
        MPI_Pack(ints, 2, MPI_INT, buffer, sizeof buffer, &at, MPI_COMM_WORLD);
        MPI_Send(buffer, at, MPI_PACKED, 1, 6, MPI_COMM_WORLD);
        MPI_Send(floats, 3, MPI_FLOAT, 1, 7, pair);
        MPI_Send(ints, 3, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Send_init(ints, 3, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[0]);
        for (int i = 0; i < 2; ++i) {
            MPI_Start(&requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&requests[0]);
        MPI_Send(ints, 4, MPI_INT, 1, 9, MPI_COMM_WORLD);
        MPI_Send(ints, 4, MPI_UNSIGNED, 1, 10, MPI_COMM_WORLD);
        MPI_Send(ints, 4, MPI_INT32_T, 1, 10, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(ints, 1, row, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(floats, kInts, MPI_FLOAT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // expect: 1 MpiTypes
        MPI_Recv(both, 4, both_type, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(both, 4, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // expect: 1 MpiTypes
        // The first message comes to the first buffer, whichever is waited for.
        for (int i = 0; i < 2; ++i) {
            MPI_Irecv(ints, kInts, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(floats, kInts, MPI_FLOAT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
        MPI_Message message;
        MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(ints, kInts, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Recv(ints, kInts, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // expect: 1 MpiTypes
        MPI_Recv(ints, kInts, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(ints, 3, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(floats, 3, MPI_FLOAT, 0, 7, pair, MPI_STATUS_IGNORE);
        MPI_Recv_init(floats, 3, MPI_FLOAT, 0, 8, MPI_COMM_WORLD, &requests[0]);  // expect: 1 MpiTypes
        for (int i = 0; i < 2; ++i) {
            MPI_Start(&requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&requests[0]);
        MPI_Recv(ints, 16, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // expect: 1 MpiTypes
        MPI_Recv(ints, 4, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // expect: 1 MpiTypes
        MPI_Recv(ints, 4, MPI_INTEGER, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    // Collective operations: a mistake is reported by each rank that takes other types than it is given.
    const int lengths_of[2] = {2, 1}, places_of[2] = {0, 4};
    for (int i = 0; i < 3; ++i) {
        MPI_Bcast(rank == 0 ? (void*)ints : both, rank == 0 ? 6 : 1, rank == 0 ? MPI_INT : row, 0, pair);
        MPI_Allreduce(MPI_IN_PLACE, ints, 4, MPI_INT, MPI_SUM, pair);
        MPI_Gather(ints, 3, MPI_INT, rank == 1 ? ints + 4 : NULL, 3, rank == 1 ? MPI_INT : MPI_DATATYPE_NULL, 1, pair);
        MPI_Allgatherv(ints, lengths_of[rank], MPI_INT, ints + 4, lengths_of, places_of, MPI_INT, pair);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ints, lengths_of, places_of, MPI_INT, pair);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ints, 2, MPI_INT, pair);
    }
    if (rank == 0) {
        MPI_Bcast(ints, 6, MPI_INT, 0, pair);
        MPI_Allreduce(MPI_IN_PLACE, ints, 4, MPI_INT, MPI_SUM, pair);  // expect: 0 MpiTypes
        MPI_Gather(ints, 4, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 1, pair);
        MPI_Ialltoall(ints, 2, MPI_INT, ints + 4, 2, MPI_INT, pair, &requests[0]);  // expect: 0 MpiTypes
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Allgatherv(ints, 2, MPI_INT, ints + 4, lengths_of, places_of, MPI_INT, pair);
    } else if (rank == 1) {
        MPI_Bcast(floats, 6, MPI_FLOAT, 0, pair);  // expect: 1 MpiTypes
        MPI_Allreduce(MPI_IN_PLACE, floats, 4, MPI_FLOAT, MPI_SUM, pair);  // expect: 1 MpiTypes
        MPI_Gather(floats, 4, MPI_FLOAT, floats + 4, 4, MPI_FLOAT, 1, pair);  // expect: 1 MpiTypes
        MPI_Ialltoall(ints, 4, MPI_SHORT, floats, 4, MPI_SHORT, pair, &requests[0]);  // expect: 1 MpiTypes
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Allgatherv(ints, 1, MPI_INT, ints + 4, lengths_of, places_of, MPI_INT, pair);
    }
    // Among neighbours, in a line and in a graph, and between groups.
    const int other = 1 - rank, side = 2, periodic = 0, four = 4, none = 0;
    MPI_Comm line, graph, own, between;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &side, &periodic, 0, &line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, other, 11, &between);
    for (int i = 0; i < 3; ++i) {
        MPI_Neighbor_alltoall(ints, 2, MPI_INT, ints + 4, 2, MPI_INT, line);
        MPI_Neighbor_alltoallv(ints, &four, &none, rank == 0 ? MPI_INT : MPI_INT32_T, ints + 4, &four, &none, MPI_INT, graph);
        MPI_Ineighbor_allgather(ints, 6, MPI_INT, both, 1, row, graph, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Alltoall(ints, 2, MPI_INT, ints + 4, 2, MPI_INT, between);
    }
    if (rank == 0) {
        MPI_Neighbor_alltoall(ints, 2, MPI_INT, ints + 4, 2, MPI_INT, line);  // expect: 0 MpiTypes
        MPI_Neighbor_alltoallv(ints, &four, &none, MPI_INT, ints + 4, &four, &none, MPI_INT, graph);
        MPI_Ineighbor_allgather(ints, 4, MPI_INT, ints + 4, 4, MPI_INT, graph, &requests[0]);  // expect: 0 MpiTypes
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Alltoall(ints, 2, MPI_INT, ints + 4, 2, MPI_INT, between);
    } else if (rank == 1) {
        MPI_Neighbor_alltoall(floats, 2, MPI_FLOAT, floats + 4, 2, MPI_FLOAT, line);  // expect: 1 MpiTypes
        MPI_Neighbor_alltoallv(ints, &four, &none, MPI_INT, floats, &four, &none, MPI_FLOAT, graph);  // expect: 1 MpiTypes
        MPI_Ineighbor_allgather(floats, 4, MPI_FLOAT, ints, 4, MPI_INT, graph, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Alltoall(ints, 2, MPI_INT, floats, 2, MPI_FLOAT, between);  // expect: 1 MpiTypes
    }
    MPI_Comm_free(&between);
    MPI_Comm_free(&own);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&line);
    MPI_Type_free(&row);
    MPI_Type_free(&both_type);
    MPI_Comm_free(&pair);
    free(both);
    free(ints);
    free(floats);
    MPI_Finalize();
    return 0;
}
