// A correct program of the usual patterns: a halo of rows and columns, a master with workers, transposition of a
// matrix, neighbours in a topology, two groups, windows, files, persistent and cancelled requests, large counts. Its types have
// holes that are never set, and its receives are longer than the messages. Nothing may be reported, on any rank.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSide = 40, kTasks = 12, kPart = 25 };

static int rank, size;

// Columns are a vector type: the elements between are not initialised and must not be looked at.
static double exchange_halo(void) {
    double* grid = malloc(kSide * kSide * sizeof(double));
    for (int i = 0; i < kSide; ++i) {
        grid[i * kSide + 1] = grid[i * kSide + kSide - 2] = rank + 1;
        for (int j = 2; j < kSide - 2 && i < 2; ++j) grid[i * kSide + j] = rank;
    }
    MPI_Datatype column;
    MPI_Type_vector(kSide, 1, kSide, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    const int left = rank == 0 ? MPI_PROC_NULL : rank - 1, right = rank + 1 == size ? MPI_PROC_NULL : rank + 1;
    for (int step = 0; step < 3; ++step) {
        MPI_Request requests[4];
        MPI_Irecv(&grid[0], 1, column, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&grid[kSide - 1], 1, column, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&grid[1], 1, column, left, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&grid[kSide - 2], 1, column, right, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Type_free(&column);
    double sum = 0;
    for (int i = 0; i < kSide; ++i)
        sum += (left == MPI_PROC_NULL ? 0 : grid[i * kSide]) + (right == MPI_PROC_NULL ? 0 : grid[i * kSide + kSide - 1]);
    if (sum < 0) puts("negative");
    free(grid);
    return sum;
}

typedef struct {
    char kind;  // three bytes of padding follow
    int number;
    short few;  // six bytes of padding follow
    double value;
} Task;

static MPI_Datatype task_type(void) {
    const int lengths[4] = {1, 1, 1, 1};
    const MPI_Aint offsets[4] = {offsetof(Task, kind), offsetof(Task, number), offsetof(Task, few), offsetof(Task, value)};
    const MPI_Datatype types[4] = {MPI_CHAR, MPI_INT, MPI_SHORT, MPI_DOUBLE};
    MPI_Datatype packed, type;
    MPI_Type_create_struct(4, lengths, offsets, types, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(Task), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&packed);
    return type;
}

static double share_tasks(void) {
    MPI_Datatype type = task_type();
    double total = 0;
    if (rank == 0) {
        Task* tasks = malloc(kTasks * sizeof(Task));
        for (int i = 0; i < kTasks; ++i) {
            tasks[i].kind = 'x';
            tasks[i].number = i;
            tasks[i].few = 1;
            tasks[i].value = i;
        }
        int given = 0, back = 0;
        for (int worker = 1; worker < size; ++worker) MPI_Send(&tasks[given++], 1, type, worker, 1, MPI_COMM_WORLD);
        while (back < kTasks) {
            double result;
            MPI_Status status;
            MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            total += result;
            ++back;
            if (given < kTasks)
                MPI_Send(&tasks[given++], 1, type, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
            else
                MPI_Send(NULL, 0, type, status.MPI_SOURCE, 3, MPI_COMM_WORLD);
        }
        free(tasks);
    } else {
        for (;;) {
            Task task[2];
            MPI_Status status;
            MPI_Recv(task, 2, type, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);  // longer than the message
            if (status.MPI_TAG == 3) break;
            if (task[0].number < 0 || task[0].kind != 'x') puts("wrong");
            const double result = task[0].value * task[0].few;
            MPI_Send(&result, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Type_free(&type);
    return total;
}

static int transpose(void) {
    int* out = malloc((size_t)(size * kPart) * sizeof(int));
    int* in = malloc((size_t)(size * kPart) * sizeof(int));
    int counts[16], offsets[16];
    for (int i = 0; i < size * kPart; ++i) out[i] = rank * 1000 + i;
    MPI_Alltoall(out, kPart, MPI_INT, in, kPart, MPI_INT, MPI_COMM_WORLD);
    int sum = 0;
    for (int i = 0; i < size * kPart; ++i) sum += in[i];
    for (int i = 0; i < size; ++i) {
        counts[i] = kPart - 1;
        offsets[i] = i * kPart;
    }
    int* rest = malloc((size_t)(size * kPart) * sizeof(int));
    MPI_Alltoallv(out, counts, offsets, MPI_INT, rest, counts, offsets, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * kPart; ++i)
        if (i % kPart != kPart - 1) sum += rest[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, kPart, MPI_INT, MPI_COMM_WORLD);
    int before = 0;
    MPI_Exscan(&rank, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    struct {
        short value;
        int where;
    } best = {(short)rank, rank}, all;
    MPI_Reduce(&best, rank == 0 ? &all : NULL, 1, MPI_SHORT_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
    volatile long double number = rank;
    long double* copy = malloc(sizeof *copy);  // ten of sixteen bytes are set
    *copy = number;
    MPI_Bcast(copy, 1, MPI_LONG_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0 && all.where != size - 1) puts("wrong");
    free(copy);
    free(rest);
    free(in);
    free(out);
    return sum + before;
}

static void use_requests(void) {
    int* numbers = malloc(10 * sizeof(int));
    numbers[0] = rank;  // the others are never set
    MPI_Request request, never, several[3];
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Irecv(&numbers[1], 9, MPI_INT, before, 77, MPI_COMM_WORLD, &never);
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    MPI_Isend(&numbers[0], 1, MPI_INT, next, 5, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&numbers[1], 1, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (numbers[1] != before) puts("wrong");
    MPI_Barrier(MPI_COMM_WORLD);
    numbers[0] = rank + 1;  // its message has arrived
    MPI_Ssend_init(&numbers[0], 1, MPI_INT, next, 6, MPI_COMM_WORLD, &several[0]);
    MPI_Recv_init(&numbers[2], 4, MPI_INT, before, 6, MPI_COMM_WORLD, &several[1]);
    for (int i = 0; i < 3; ++i) {
        numbers[0] = i;
        MPI_Startall(2, several);
        int left = 2;
        while (left > 0) {
            int done = 0, indices[2];
            MPI_Testsome(2, several, &done, indices, MPI_STATUSES_IGNORE);
            if (done == MPI_UNDEFINED) break;
            left -= done;
        }
        if (numbers[2] != i) puts("wrong");
    }
    MPI_Request_free(&several[0]);
    MPI_Request_free(&several[1]);
    numbers[5] = 1;
    MPI_Ibcast(&numbers[5], 1, MPI_INT, 0, MPI_COMM_SELF, &several[2]);
    MPI_Wait(&several[2], MPI_STATUS_IGNORE);
    free(numbers);
}

static long use_window(void) {
    long* cells = calloc((size_t)size, sizeof(long));
    MPI_Win window;
    MPI_Win_create(cells, size * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    const long mine = rank + 1;
    long old = 0;
    MPI_Win_lock_all(0, window);
    for (int to = 0; to < size; ++to) {
        MPI_Put(&mine, 1, MPI_LONG, to, rank, 1, MPI_LONG, window);
        MPI_Win_flush(to, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(0, window);
    long sum = 0;
    for (int i = 0; i < size; ++i) sum += cells[i];
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&mine, &old, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    free(cells);
    return sum;
}

// Requests of one-sided operations, and buffers that are used again once the window is synchronised.
static long use_window_requests(void) {
    long* cells;
    MPI_Win window;
    MPI_Win_allocate(kPart * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &window);
    for (int i = 0; i < kPart; ++i) cells[i] = rank * 100 + i;
    MPI_Barrier(MPI_COMM_WORLD);
    const int next = (rank + 1) % size;
    long* out = malloc(2 * sizeof(long));
    long* in = malloc(kPart * sizeof(long));
    MPI_Request requests[2];
    MPI_Win_lock_all(0, window);
    out[0] = rank;
    MPI_Rget(in, 5, MPI_LONG, next, 5, 5, MPI_LONG, window, &requests[0]);
    MPI_Rput(out, 1, MPI_LONG, next, 20, 1, MPI_LONG, window, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    out[0] = 1;
    MPI_Raccumulate(out, 1, MPI_LONG, next, 0, 1, MPI_LONG, MPI_SUM, window, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    out[0] = 2;
    MPI_Accumulate(out, 1, MPI_LONG, next, 1, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_flush(next, window);
    out[0] = 3;
    MPI_Get_accumulate(&out[1], 0, MPI_LONG, &in[5], 1, MPI_LONG, next, 2, 1, MPI_LONG, MPI_NO_OP, window);
    MPI_Rget_accumulate(out, 1, MPI_LONG, &in[6], 1, MPI_LONG, next, 3, 1, MPI_LONG, MPI_SUM, window, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    long sum = 0;
    for (int i = 0; i < 7; ++i) sum += in[i];
    MPI_Win_fence(0, window);
    MPI_Get(in, 2, MPI_LONG, next, 0, 2, MPI_LONG, window);
    MPI_Get(&in[2], 2, MPI_LONG, next, 0, 2, MPI_LONG, window);
    MPI_Win_fence(0, window);
    sum += in[0] + in[1] - in[2] - in[3];
    MPI_Win_free(&window);
    free(out);
    free(in);
    return sum;
}

// A line without ends to the next rank: the blocks for neighbours that the first and last rank do not have are
// never set.
static int use_neighbours(void) {
    const int periods = 0;
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &line);
    int* out = malloc(2 * sizeof(int));
    int* in = malloc(2 * sizeof(int));
    if (rank > 0) out[0] = rank;
    if (rank + 1 < size) out[1] = rank;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line);
    int sum = (rank > 0 ? in[0] : 0) + (rank + 1 < size ? in[1] : 0);
    MPI_Request request;
    MPI_Ineighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += (rank > 0 ? in[0] : 0) + (rank + 1 < size ? in[1] : 0);
    MPI_Comm_free(&line);
    free(out);
    free(in);

    int* numbers = malloc((size_t)(2 * size) * sizeof(int));
    int counts[16], offsets[16];
    MPI_Datatype types[16];
    for (int i = 0; i < size; ++i) {
        numbers[2 * i] = i;  // the odd ones are never set
        counts[i] = 1;
        offsets[i] = 2 * i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    int* results = malloc((size_t)(2 * size) * sizeof(int));
    MPI_Alltoallw(numbers, counts, offsets, types, results, counts, offsets, types, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) sum += results[2 * i];
    int mine = 0;
    for (int i = 0; i < size; ++i) results[i] = i;
    MPI_Reduce_scatter(results, &mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(numbers);
    free(results);
    return sum + mine;
}

// Rank 0 in one group, the others in another one. A rank has a block for each rank of the other group, and of the
// operations with a root those buffers only that its part in them has: all others are not set, or null.
static int use_groups(void) {
    MPI_Comm mine, groups;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, rank == 0, 3, &groups);
    const int others = rank == 0 ? size - 1 : 1, root = rank == 0 ? MPI_ROOT : 0;
    int* out = malloc((size_t)others * sizeof(int));
    int* in = malloc((size_t)others * sizeof(int));
    int* unset = malloc(sizeof(int));
    int counts[16], offsets[16], sum = 0, result = 0;
    for (int i = 0; i < others; ++i) {
        out[i] = rank + i;
        counts[i] = 1;
        offsets[i] = i;
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, groups);
    for (int i = 0; i < others; ++i) sum += in[i];
    MPI_Alltoallv(out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, groups);
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, groups);
    for (int i = 0; i < others; ++i) sum += in[i];
    MPI_Bcast(rank == 0 ? out : &result, 1, MPI_INT, root, groups);
    MPI_Scatter(rank == 0 ? out : NULL, 1, MPI_INT, rank == 0 ? NULL : &result, 1, MPI_INT, root, groups);
    sum += result;
    MPI_Gather(rank == 0 ? unset : out, 1, MPI_INT, rank == 0 ? in : NULL, 1, MPI_INT, root, groups);
    MPI_Gatherv(rank == 0 ? unset : out, 1, MPI_INT, rank == 0 ? in : NULL, counts, offsets, MPI_INT, root, groups);
    if (rank == 0)
        for (int i = 0; i < others; ++i) sum += in[i];
    MPI_Reduce(rank == 0 ? unset : out, rank == 0 ? &result : NULL, 1, MPI_INT, MPI_SUM, root, groups);
    sum += result;
    MPI_Request request;
    MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, groups, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += in[0];
    // The other way: among several ranks of a root's group the others have no part.
    const int to = rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(rank == 1 ? out : rank == 0 ? in : unset, 1, MPI_INT, to, groups);
    if (rank == 0) sum += in[0];
    MPI_Comm_free(&groups);
    MPI_Comm_free(&mine);
    free(out);
    free(in);
    free(unset);
    return sum;
}

// Buffers of operations that go on while the program writes to memory beside them. All were set before.
static int use_collective_requests(void) {
    enum { kEach = 3 };
    int* numbers = calloc(8 * 16 * kEach, sizeof(int));
    int* parts[8];
    for (int i = 0; i < 8; ++i) parts[i] = numbers + i * 16 * kEach;
    for (int i = 0; i < size * kEach; ++i) parts[0][i] = parts[2][i] = rank + i;
    MPI_Request requests[7];
    MPI_Ialltoall(parts[0], kEach, MPI_INT, parts[1], kEach, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(MPI_IN_PLACE, parts[2], size * kEach, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[1]);
    MPI_Ireduce(parts[0], parts[3], kEach, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Igather(parts[0], kEach, MPI_INT, parts[4], kEach, MPI_INT, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Iscatter(parts[0], kEach, MPI_INT, rank == 0 ? MPI_IN_PLACE : parts[5], kEach, MPI_INT, 0, MPI_COMM_WORLD, &requests[4]);
    MPI_Iallgather(parts[0], kEach, MPI_INT, parts[6], kEach, MPI_INT, MPI_COMM_WORLD, &requests[5]);
    MPI_Iscan(parts[0], parts[7], kEach, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[6]);
    for (int i = 1, done = 0; done == 0; ++i) {
        for (int part = 0; part < 8; ++part) parts[part][16 * kEach - 1] = i;  // behind the buffer's end
        MPI_Testall(7, requests, &done, MPI_STATUSES_IGNORE);
    }
    for (int part = 0; part < 8; ++part) parts[part][16 * kEach - 1] = 0;
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts[1], kEach, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, parts[6], kEach, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    int sum = 0;
    for (int i = 0; i < 8 * 16 * kEach; ++i) sum += numbers[i];
    free(numbers);
    return sum;
}

static int use_file(void) {
    MPI_File file;
    int* out = malloc(10 * sizeof(int));
    int* in = malloc(10 * sizeof(int));
    for (int i = 0; i < 10; ++i) out[i] = rank * 10 + i;
    MPI_File_open(MPI_COMM_WORLD, "numbers.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_Request request;
    MPI_File_iwrite_at(file, rank * 10, out, 5, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, rank * 10 + 5, out + 5, 5, MPI_INT);
    MPI_File_write_at_all_end(file, out + 5, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, rank * 10, in, 10, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int sum = 0;
    for (int i = 0; i < 10; ++i) sum += in[i];
    MPI_Datatype stripes;  // by all ranks in turn, so that they exchange what they write
    MPI_Type_vector(2, 5, 5 * size, MPI_INT, &stripes);
    MPI_Type_commit(&stripes);
    MPI_File_set_view(file, rank * 5 * (MPI_Offset)sizeof(int), MPI_INT, stripes, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, out, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 0, in, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&stripes);
    MPI_File_close(&file);
    free(out);
    free(in);
    return sum;
}

// A type with a large count is not taken apart, and the library must not be asked for its parts.
static int use_large_counts(void) {
    int sum = 0;
#if MPI_VERSION >= 4
    int* numbers = malloc(10 * sizeof(int));
    MPI_Count counts[16];
    MPI_Aint offsets[16];
    for (int i = 0; i < size; ++i) {
        numbers[i] = rank;
        counts[i] = 1;
        offsets[i] = i;
    }
    int* results = malloc(10 * sizeof(int));
    MPI_Alltoallv_c(numbers, counts, offsets, MPI_INT, results, counts, offsets, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) sum += results[i];
    MPI_Datatype type;
    MPI_Type_vector_c(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    numbers[2] = rank;
    MPI_Sendrecv_c(numbers, 1, type, (rank + 1) % size, 9, results, 2, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    sum += results[0] + results[1];
    MPI_Type_free(&type);
    free(numbers);
    free(results);
#endif
    return sum;
}

// What is received each time that an operation is started was never set before, and is read. The sender may change its
// numbers in between.
static int start_collectives_again(void) {
    int sum = 0;
#if MPI_VERSION >= 4
    int* out = malloc((size_t)size * sizeof(int));
    int* in = malloc((size_t)size * sizeof(int));
    int most = 0;
    MPI_Request requests[2];
    MPI_Alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&rank, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < size; ++i) out[i] = rank + round;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < size; ++i) sum += in[i];
        sum += most;
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
    int to = rank, from = -1;
    MPI_Isendrecv(&to, 1, MPI_INT, (rank + 1) % size, 8, &from, 1, MPI_INT, (rank + size - 1) % size, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    sum += from;
    free(out);
    free(in);
#endif
    return sum;
}

// A message whose parts threads make ready as they are done, three times; the receiver divides it otherwise, and reads a part
// before the rest has come. A message of the same tag, and a second partitioned one of other types, go beside it.
static int send_partitions(void) {
    int sum = 0;
#if MPI_VERSION >= 4
    enum { kParts = 4, kInts = 6 };
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int* out = malloc(kParts * kInts * sizeof(int));
    int* in = malloc(kParts * kInts * sizeof(int));
    double more[2] = {rank, 1}, less[2];
    MPI_Request requests[4];
    MPI_Psend_init(out, kParts, kInts, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 2 * kInts, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Psend_init(more, 2, 1, MPI_DOUBLE, next, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Precv_init(less, 1, 2, MPI_DOUBLE, before, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    for (int round = 0; round < 3; ++round) {
        // The second one first: their order is that of their requests, not of their starts.
        MPI_Start(&requests[2]);
        MPI_Start(&requests[3]);
        MPI_Pready_range(0, 1, requests[2]);
        MPI_Startall(2, requests);
        char letter = 'a', got = 0;
        MPI_Sendrecv(&letter, 1, MPI_CHAR, next, 5, &got, 1, MPI_CHAR, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for num_threads(2)
        for (int part = 0; part < kParts; ++part) {
            for (int i = 0; i < kInts; ++i) out[part * kInts + i] = round + i;
            MPI_Pready(part, requests[0]);
        }
        for (int arrived = 0; !arrived;) MPI_Parrived(requests[1], 1, &arrived);
        for (int i = 2 * kInts; i < 4 * kInts; ++i) sum += in[i];
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 2 * kInts; ++i) sum += in[i];
        sum += (int)less[1] + got;
    }
    for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
    free(out);
    free(in);
#endif
    return sum;
}

int main(int count, char** words) {
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double halo = exchange_halo(), tasks = share_tasks();
    const int sum = transpose();
    use_requests();
    const long cells = use_window(), more = use_window_requests();
    const int near = use_neighbours(), apart = use_groups(), several = use_collective_requests(), numbers = use_file(), large = use_large_counts(),
              again = start_collectives_again(), parts = send_partitions();
    if (rank == 0)
        printf("%.0f %.0f %d %ld %ld %d %d %d %d %d %d %d\n", halo, tasks, sum, cells, more, near, apart, several, numbers, large, again, parts);
    MPI_Finalize();
    return 0;
}
