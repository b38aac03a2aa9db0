// A mistake of each kind, and its correct neighbour (0 instead of 1); arguments: kind, 0 or 1. Beside each the report that
// comes with 1 in one of two ranks; with 0 nothing is reported.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, wrong, numbers[64], results[64];
static const MPI_Comm world = MPI_COMM_WORLD;

// expect root: MpiCollective
static void root(void) { MPI_Bcast(numbers, 4, MPI_INT, wrong ? rank : 1, world); }
// expect operation: MpiCollective
static void operation(void) { MPI_Allreduce(numbers, results, 1, MPI_INT, wrong && rank ? MPI_MAX : MPI_SUM, world); }
// expect elements: MpiCollective
static void elements(void) { MPI_Bcast(numbers, wrong && rank ? 1 : 2, MPI_INT, 0, world); }
// expect gathered: MpiCollective
static void gathered(void) { MPI_Gather(numbers, wrong && rank ? 1 : 2, MPI_INT, results, 2, MPI_INT, 0, world); }
// expect kinds_of_types: MpiCollective
static void kinds_of_types(void) { MPI_Bcast(numbers, 2, wrong && rank ? MPI_FLOAT : MPI_INT, 0, world); }
// expect calls: MpiCollective
static void calls(void) {
    if (wrong && rank) MPI_Barrier(world);
    else MPI_Allreduce(numbers, results, 1, MPI_INT, MPI_SUM, world);
}
// expect same_buffer: MpiOverlap
static void same_buffer(void) {
    MPI_Sendrecv(numbers, 4, MPI_INT, rank, 1, numbers + (wrong ? 2 : 4), 4, MPI_INT, rank, 1, world, MPI_STATUS_IGNORE);
}
// expect offsets: MpiOverlap
static void offsets(void) {
    const int counts[2] = {2, 2}, at[2] = {0, wrong ? 1 : 2};
    MPI_Allgatherv(numbers, 2, MPI_INT, results, counts, at, MPI_INT, world);
}
static MPI_Win window_of(int* cells) {
    MPI_Win window;
    MPI_Win_create(cells, 64 * sizeof *cells, sizeof *cells, MPI_INFO_NULL, world, &window);
    MPI_Win_fence(0, window);
    return window;
}
static volatile int seen;
// expect read_early: MpiRace
static void read_early(void) {
    int here[4] = {0};
    MPI_Win window = window_of(numbers);
    MPI_Get(here, 4, MPI_INT, 1 - rank, 0, 4, MPI_INT, window);
    if (wrong && here[1] == 3) seen = 1;
    MPI_Win_fence(0, window);
    if (here[2] == 3) seen = 2;
    MPI_Win_free(&window);
}
// expect written_early: MpiRace
static void written_early(void) {
    int* const block = calloc(64, sizeof *block);
    MPI_Win window = window_of(numbers);
    MPI_Put(block, 4, MPI_INT, 1 - rank, 0, 4, MPI_INT, window);
    if (wrong) block[1] = 3;
    MPI_Win_fence(0, window);
    block[2] = 3;
    MPI_Win_free(&window);
    free(block);
}
// expect communicator: MpiLeak
static void communicator(void) {
    MPI_Comm copy;
    MPI_Comm_dup(world, &copy);
    if (!wrong) MPI_Comm_free(&copy);
}
// expect type: MpiLeak
static void type(void) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (!wrong) MPI_Type_free(&pair);
}
// expect group: MpiLeak
static void group(void) {
    MPI_Group all;
    MPI_Comm_group(world, &all);
    if (!wrong) MPI_Group_free(&all);
}
// expect persistent: MpiLeak
static void persistent(void) {
    MPI_Request request;
    MPI_Send_init(numbers, 1, MPI_INT, rank, 0, world, &request);
    if (!wrong) MPI_Request_free(&request);
}
// expect message: MpiLeak
static void message(void) {
    if (rank == 1) MPI_Send(numbers, 1, MPI_INT, 0, 9, world);
    if (rank == 0 && !wrong) MPI_Recv(results, 1, MPI_INT, 1, 9, world, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}
// expect end: MpiLeak
static void end(void) {
    MPI_Barrier(world);
    if (wrong) exit(0);
}
// expect null_communicator: MpiError
static void null_communicator(void) { MPI_Allreduce(numbers, results, 1, MPI_INT, MPI_SUM, wrong ? MPI_COMM_NULL : world); }
// expect negative: MpiError
static void negative(void) {
    if (rank == 0) MPI_Send(numbers, wrong ? -1 : 1, MPI_INT, 1, 0, world);
    else MPI_Recv(results, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
}

#define KIND(name) {#name, name}
static const struct {
    const char* name;
    void (*go)(void);
} kinds[] = {KIND(root),         KIND(operation),     KIND(elements), KIND(gathered), KIND(kinds_of_types), KIND(calls),
             KIND(same_buffer),  KIND(offsets),       KIND(read_early), KIND(written_early), KIND(communicator), KIND(type),
             KIND(group),        KIND(persistent),    KIND(message),  KIND(end),      KIND(null_communicator), KIND(negative)};

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(world, &rank);
    wrong = words[2][0] == '1';
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (strcmp(words[1], kinds[i].name) == 0) kinds[i].go();
    MPI_Finalize();
    return 0;
}
