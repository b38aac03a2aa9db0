// Programs in which ranks wait for each other in different ways; argument: the way. Beside each the calls in which ranks
// 0, 1, ... wait, the ranks for which each does, and in brackets a message that it does not receive. Ways with "ends" come to
// their end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, number;
static const MPI_Comm world = MPI_COMM_WORLD;
#define NEXT ((rank + 1) % size)
#define BEFORE ((rank + size - 1) % size)

// expect receive 4: MPI_Recv 1, MPI_Recv 2, MPI_Recv 3, MPI_Recv 0
static void receive(void) { MPI_Recv(&number, 1, MPI_INT, NEXT, 3, world, MPI_STATUS_IGNORE); }
// expect long_sends 3: MPI_Send 1, MPI_Send 2, MPI_Send 0
static void long_sends(void) {
    const int count = 1 << 20;
    int* const many = calloc(count, sizeof *many);
    MPI_Send(many, count, MPI_INT, NEXT, 0, world);
    MPI_Recv(many, count, MPI_INT, BEFORE, 0, world, MPI_STATUS_IGNORE);
    free(many);
}
// expect barrier_of_some 3: MPI_Barrier 2, MPI_Barrier 2, MPI_Finalize 0 1
static void barrier_of_some(void) {
    if (rank != 2) MPI_Barrier(world);
}
// expect two_orders 2: MPI_Barrier 1, MPI_Barrier 0
static void two_orders(void) {
    MPI_Comm other;
    MPI_Comm_dup(world, &other);
    MPI_Barrier(rank == 0 ? world : other);
    MPI_Barrier(rank == 0 ? other : world);
    MPI_Comm_free(&other);
}
// expect any_source 3: MPI_Recv 1 2, MPI_Recv 0 2, MPI_Recv 0 1
static void any_source(void) {
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
}
// expect other_tag 2: MPI_Recv 1 (tag 6 from rank 1), MPI_Ssend 0
static void other_tag(void) {
    if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 5, world, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Ssend(&number, 1, MPI_INT, 0, 6, world);
}
// expect other_comm 2: MPI_Recv 1 (tag 5 of copy from rank 1), MPI_Finalize 0
static void other_comm(void) {
    MPI_Comm copy;
    MPI_Comm_dup(world, &copy);
    MPI_Comm_set_name(copy, "copy");
    if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 5, world, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&number, 1, MPI_INT, 0, 5, copy);
}
// expect lost 2: ends
static void lost(void) {
    MPI_Request request;
    if (rank == 1) MPI_Isend(&number, 1, MPI_INT, 0, 7, world, &request);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}
// The message of rank 2 comes first, and the receive of any rank takes it.
static void another_order(void) {
    for (double begin = MPI_Wtime(); rank == 1 && MPI_Wtime() - begin < 3;) {}
    if (rank != 0) MPI_Send(&number, 1, MPI_INT, 0, 5, world);
    if (rank != 0) return;
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 5, world, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 2, 5, world, MPI_STATUS_IGNORE);
}
static void any_order(void) {
    if (rank != 0) MPI_Send(&number, 1, MPI_INT, 0, 5, world);
    for (int i = 1; i < size && rank == 0; ++i)
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 5, world, MPI_STATUS_IGNORE);
}
// expect other_rank 3: MPI_Recv 1 (tag 5 from rank 2), MPI_Finalize 0, MPI_Finalize 0
static void other_rank(void) {
    MPI_Request request;
    int first = 0;
    if (rank == 0) MPI_Irecv(&first, 1, MPI_INT, 1, MPI_ANY_TAG, world, &request);  // takes that of rank 1
    if (rank != 0) MPI_Send(&number, 1, MPI_INT, 0, 5, world);
    if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 5, world, MPI_STATUS_IGNORE);
}
// expect probes 2: MPI_Iprobe 1, MPI_Iprobe 0
static void probes(void) {
    for (int found = 0; !found;) MPI_Iprobe(NEXT, 1, world, &found, MPI_STATUS_IGNORE);
}
// expect tests 3: MPI_Test 1, MPI_Test 2, MPI_Test 0
static void tests(void) {
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, NEXT, 0, world, &request);
    for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}
// expect wait_all 3: MPI_Waitall 1 2, MPI_Waitall 0 2, MPI_Waitall 0 1
static void wait_all(void) {
    MPI_Request requests[2];
    int two[2];
    MPI_Irecv(&two[0], 1, MPI_INT, NEXT, 0, world, &requests[0]);
    MPI_Irecv(&two[1], 1, MPI_INT, BEFORE, 0, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
// expect at_end 2: MPI_Recv 1, MPI_Finalize 0
static void at_end(void) {
    if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 0, world, MPI_STATUS_IGNORE);
}
// expect started 2: MPI_Wait 1, MPI_Wait 0
static void started(void) {
    MPI_Request request;
    MPI_Recv_init(&number, 1, MPI_INT, NEXT, 0, world, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// expect root_waits 3: MPI_Reduce 2, MPI_Finalize 0 2, MPI_Recv 0
static void root_waits(void) {
    int sum = 0;
    if (rank == 2)
        MPI_Recv(&number, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    else
        MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 0, world);
}
// expect short_sends 2: ends
// expect short_sends 2 --mpi-buffering=none: MPI_Send 1, MPI_Send 0
static void short_sends(void) {
    int in = 0;
    MPI_Send(&number, 1, MPI_INT, NEXT, 0, world);
    MPI_Recv(&in, 1, MPI_INT, BEFORE, 0, world, MPI_STATUS_IGNORE);
}
// expect short_requests 2 --mpi-buffering=none: MPI_Wait 1, MPI_Wait 0
static void short_requests(void) {
    int in = 0;
    MPI_Request request;
    MPI_Isend(&number, 1, MPI_INT, NEXT, 0, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_INT, BEFORE, 0, world, MPI_STATUS_IGNORE);
}
// expect one_computes 2: ends
static void one_computes(void) {
    double begin = MPI_Wtime();
    while (rank == 0 && MPI_Wtime() - begin < 5) number += 2;
    MPI_Barrier(world);
}
// expect one_asks 2: ends
static void one_asks(void) {
    int done = 0;
    double begin = MPI_Wtime();
    if (rank == 0) {
        while (MPI_Wtime() - begin < 5) number += 2;
        MPI_Send(&number, 1, MPI_INT, 1, 0, world);
    } else {
        MPI_Request request;
        MPI_Irecv(&number, 1, MPI_INT, 0, 0, world, &request);
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}
// expect exchange 2 --mpi-buffering=none: ends
static void exchange(void) {
    int in = 0;
    MPI_Sendrecv(&number, 1, MPI_INT, NEXT, 0, &in, 1, MPI_INT, BEFORE, 0, world, MPI_STATUS_IGNORE);
}

#define WAY(name)                                                                                            \
    { #name, name }
static const struct {
    const char* name;
    void (*go)(void);
} ways[] = {WAY(receive),   WAY(long_sends), WAY(barrier_of_some), WAY(two_orders),     WAY(any_source),
            WAY(other_tag), WAY(other_comm), WAY(other_rank), WAY(lost), WAY(another_order), WAY(any_order), WAY(probes),     WAY(tests),           WAY(wait_all),       WAY(at_end),
            WAY(started),   WAY(root_waits), WAY(short_sends),     WAY(short_requests), WAY(one_computes),
            WAY(one_asks),  WAY(exchange)};

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    printf("rank %d begins\n", rank);
    fflush(stdout);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i)
        if (strcmp(words[1], ways[i].name) == 0) ways[i].go();
    MPI_Finalize();
    return 0;
}
