// Mistakes in two ranks. `expect: RANK KIND` stands in the line of the call that is reported; for a request that is
// never completed, of the call that began it.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kInts = 100, kSide = 8 };

static __attribute__((noinline)) void use(volatile int* word) { *word = 2; }  // expect: 0 MpiBufferInUse

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank;
    const int zero = open("/dev/zero", O_RDONLY);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = 1 - rank;
    int* numbers = malloc(kInts * sizeof(int));
    int* room = malloc(kInts * sizeof(int));
    double* grid = malloc(kSide * kSide * sizeof(double));
    MPI_Datatype column;
    MPI_Type_vector(kSide, 1, kSide, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Request request, second;
    for (int i = 0; i < kInts - 1; ++i) numbers[i] = i;  // the last one is missing
    for (int i = 0; i < kSide - 1; ++i) grid[i * kSide] = i;

    if (rank == 0) {
        MPI_Send(numbers, kInts, MPI_INT, other, 1, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
        MPI_Send(grid, 1, column, other, 2, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
        numbers[kInts - 1] = 0;
        MPI_Send(numbers, kInts + 1, MPI_INT, other, 3, MPI_COMM_WORLD);  // expect: 0 MpiBuffer

        MPI_Issend(numbers, kInts, MPI_INT, other, 4, MPI_COMM_WORLD, &request);
        if (numbers[50] == 12345) puts("wrong");  // to read it is correct
        numbers[50] = -1;  // expect: 0 MpiBufferInUse
        MPI_Wait(&request, MPI_STATUS_IGNORE);

        MPI_Irecv(room, kInts, MPI_INT, other, 5, MPI_COMM_WORLD, &request);
        MPI_Isend(&room[10], 0, MPI_INT, other, 6, MPI_COMM_WORLD, &second);
        MPI_Wait(&second, MPI_STATUS_IGNORE);
        MPI_Irecv(&room[99], 1, MPI_INT, other, 7, MPI_COMM_WORLD, &second);  // expect: 0 MpiBufferInUse
        MPI_Send(numbers, 0, MPI_INT, other, 8, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&second, MPI_STATUS_IGNORE);

        int* block = calloc(kInts, sizeof(int));
        MPI_Issend(block, kInts, MPI_INT, other, 9, MPI_COMM_WORLD, &request);
        free(block);
        MPI_Wait(&request, MPI_STATUS_IGNORE);  // expect: 0 MpiBufferInUse

        MPI_Iallreduce(&numbers[0], &room[0], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
        numbers[0] = 7;  // expect: 0 MpiBufferInUse
        MPI_Wait(&request, MPI_STATUS_IGNORE);

        for (int i = 0; i < 2; ++i)
            MPI_Irecv(&room[i], 1, MPI_INT, other, 100, MPI_COMM_WORLD, &request);  // expect: 0 MpiRequest
    } else {
        MPI_Recv(room, kInts, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(grid, 1, column, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int* more = malloc((kInts + 1) * sizeof(int));
        MPI_Recv(more, kInts + 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(more);
        MPI_Recv(room, kInts, MPI_INT, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(room, 0, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(room, 0, MPI_INT, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(numbers, 3, MPI_INT, other, 5, MPI_COMM_WORLD);
        MPI_Send(numbers, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
        MPI_Recv(room, kInts, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int* part = malloc(kInts * sizeof(int));
        MPI_Sendrecv(numbers, 3, MPI_INT, rank, 10, part, kInts, MPI_INT, rank, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (part[2] != 2) puts("wrong");
        if (part[3] == 12345) puts("not received");  // expect: 1 UninitCondition
        free(part);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Send(numbers, 10, MPI_INT, other, 11, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Recv(room, 5, MPI_INT, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // expect: 1 MpiTruncation
    }
    if (rank == 0) MPI_Send(numbers, 10, MPI_INT, other, 12, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(room, 5, MPI_INT, other, 12, MPI_COMM_WORLD, &request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);  // expect: 1 MpiTruncation
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        for (int i = 0; i < kInts; ++i) room[i] = i;
        MPI_Irecv(room, kInts, MPI_INT, other, 14, MPI_COMM_WORLD, &request);
        if (room[7] == 12345) puts("too early");  // expect: 1 UninitCondition
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Send(numbers, 10, MPI_INT, other, 14, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (room[7] == 12345 || room[50] == 12345) puts("wrong");  // what did not arrive is as it was
    }
    int *cells, *some = malloc(kInts * sizeof(int)), *one = malloc(sizeof(int)), old = 0;
    MPI_Win window;
    MPI_Win_allocate(kInts * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    for (int i = 0; i < kInts; ++i) cells[i] = i;
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(numbers, 10, MPI_INT, other, 0, 10, MPI_INT, window);
        numbers[3] = 9;  // expect: 0 MpiRace
    }
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Get(some, 10, MPI_INT, other, 0, 10, MPI_INT, window);
        MPI_Get(&some[9], 10, MPI_INT, other, 0, 10, MPI_INT, window);  // expect: 0 MpiRace
    }
    MPI_Win_fence(0, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Rput(numbers, 10, MPI_INT, other, 0, 10, MPI_INT, window, &request);
        numbers[4] = 9;  // expect: 0 MpiRace
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_flush(other, window);
        MPI_Fetch_and_op(one, &old, MPI_INT, other, 0, MPI_SUM, window);  // expect: 0 MpiBuffer
        MPI_Win_flush(other, window);
        MPI_Rput(numbers, 10, MPI_INT, other, 0, 10, MPI_INT, window, &request);  // expect: 0 MpiRequest
    }
    MPI_Win_unlock_all(window);
    numbers[2] = 1;  // correct: the window is synchronised
    MPI_Win_free(&window);
    const int shares[2] = {1, 1};
    numbers[1] = 1;
    if (rank == 0) MPI_Reduce_scatter(one, &old, shares, MPI_INT, MPI_SUM, MPI_COMM_SELF);  // expect: 0 MpiBuffer
    if (rank == 0) {
        MPI_Irecv(&room[20], 10, MPI_INT, other, 16, MPI_COMM_WORLD, &request);
        MPI_Irecv(grid, 1, column, other, 16, MPI_COMM_WORLD, &second);  // its holes are the program's
        for (int i = 0; i < kSide; ++i) grid[i * kSide + 1] = 1;
        room[20 + kSide / 4] += 1;  // expect: 0 MpiBufferInUse
        MPI_Send(numbers, 1, MPI_INT, other, 17, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&second, MPI_STATUS_IGNORE);
        MPI_Ialltoall(numbers, 1, MPI_INT, &room[40], 1, MPI_INT, MPI_COMM_WORLD, &request);
        room[41] = 1;  // expect: 0 MpiBufferInUse
        MPI_Send(numbers, 1, MPI_INT, other, 18, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&room[60], 1, MPI_INT, other, 19, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ibcast(numbers, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(room, 1, MPI_INT, other, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(numbers, 10, MPI_INT, other, 16, MPI_COMM_WORLD);
        MPI_Send(grid, 1, column, other, 16, MPI_COMM_WORLD);
        MPI_Recv(room, 1, MPI_INT, other, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ialltoall(numbers, 1, MPI_INT, &room[40], 1, MPI_INT, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ibcast(&room[50], 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        if (room[50] == 12345) puts("too early");  // expect: 1 UninitCondition
        MPI_Send(numbers, 1, MPI_INT, other, 19, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (room[50] == 12345) puts("wrong");
    }
    // A variable on the stack is guarded, too.
    int word = 1;
    if (rank == 0) {
        MPI_Issend(&word, 1, MPI_INT, other, 20, MPI_COMM_WORLD, &request);
        use(&word);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Issend(numbers, kInts, MPI_INT, other, 21, MPI_COMM_WORLD, &request);
        if (read(zero, &numbers[12], 1) != 1) puts("wrong");  // expect: 0 MpiBufferInUse
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&word, 1, MPI_INT, other, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(room, kInts, MPI_INT, other, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
        MPI_Irecv(numbers, 1, MPI_INT, other, 23, MPI_COMM_WORLD, &request);
        MPI_Send(numbers, 1, MPI_INT, other, 24, MPI_COMM_WORLD);  // expect: 0 MpiBufferInUse
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(room, 1, MPI_INT, other, 24, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(room, 1, MPI_INT, other, 23, MPI_COMM_WORLD);
    }
    MPI_Comm groups;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, 15, &groups);
    MPI_Bcast(rank == 0 ? one : room, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, groups);  // expect: 0 MpiBuffer
    MPI_Allgather(rank == 0 ? one : numbers, 1, MPI_INT, &room[9], 1, MPI_INT, groups);  // expect: 0 MpiBuffer
    MPI_Comm_free(&groups);
#if MPI_VERSION >= 4
    if (rank == 0) MPI_Send_c(one, 1, MPI_INT, other, 13, MPI_COMM_WORLD);  // expect 4: 0 MpiBuffer
    if (rank == 1) MPI_Recv_c(one, 1, MPI_INT, other, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    free(some);
    free(one);
    MPI_Type_free(&column);
    MPI_Finalize();
    free(numbers);
    free(room);
    free(grid);
    return 0;
}
