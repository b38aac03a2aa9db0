// Split access to files by two ranks: right, and with mistakes. `expect: RANK KIND` stands in the line that is
// reported, once for each rank; all others are right.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kInts = 10 };

static int rank;
static MPI_File file;

static int* row_of(int first) {
    int* row = malloc(kInts * sizeof(int));
    for (int i = 0; i < kInts; ++i) row[i] = first + i;
    return row;
}
static void demand(const int* row, int many, int first) {
    for (int i = 0; i < many; ++i)
        if (row[i] != first + i) puts("wrong");
}

// What the program does between begin and end leaves the buffer alone, or reads what is written.
static void use_rightly(void) {
    int *out = row_of(100 * rank), *in = malloc(kInts * sizeof(int)), many = 0;
    const MPI_Offset mine = rank * kInts;
    MPI_Status status;
    MPI_File_write_at_all_begin(file, mine, out, kInts, MPI_INT);
    MPI_Barrier(MPI_COMM_WORLD);
    demand(out, kInts, 100 * rank);
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    out[0] = -1;
    MPI_File_read_at_all_begin(file, mine, in, kInts, MPI_INT);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all_end(file, in, &status);
    MPI_Get_count(&status, MPI_INT, &many);
    if (many != kInts) puts("too few");
    demand(in, kInts, 100 * rank);
    free(in);
    free(out);

    out = row_of(200 * rank);
    in = malloc(kInts * sizeof(int));
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_write_all_begin(file, out, kInts, MPI_INT);
    MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, in, kInts, MPI_INT);
    MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
    demand(in, kInts, 200 * rank);
    free(in);
    free(out);

    out = row_of(300 * rank);
    in = malloc(kInts * sizeof(int));
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered_begin(file, out, kInts, MPI_INT);
    MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(file, in, kInts, MPI_INT);
    MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
    demand(in, kInts, 300 * rank);
    free(in);
    free(out);
}

static void make_mistakes(void) {
    const MPI_Offset mine = rank * kInts;
    int* out = malloc(kInts * sizeof(int));
    int* in = malloc(kInts * sizeof(int));
    for (int i = 0; i < kInts; ++i)
        if (rank == 0 || i != 5) out[i] = i;
    MPI_File_write_at_all_begin(file, mine, out, kInts, MPI_INT);  // expect: 1 MpiBuffer
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    out[5] = 5;
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_write_all_begin(file, out, rank == 0 ? kInts + 1 : kInts, MPI_INT);  // expect: 0 MpiBuffer
    MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);

    MPI_File_write_at_all_begin(file, mine, out, kInts, MPI_INT);
    if (rank == 0) out[3] = 9;  // expect: 0 MpiBufferInUse
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_write_all_begin(file, out, kInts, MPI_INT);
    if (rank == 1) out[4] = 9;  // expect: 1 MpiBufferInUse
    MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered_begin(file, out, kInts, MPI_INT);
    if (rank == 1) MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &out[7], 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);  // expect: 1 MpiBufferInUse
    MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);  // expect: 1 MpiBufferInUse

    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, in, kInts, MPI_INT);
    if (rank == 0 && in[4] == 12345) puts("too early");  // expect: 0 UninitCondition
    MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
    if (in[4] == 12345) puts("wrong");
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(file, in, kInts, MPI_INT);
    if (rank == 1) in[2] = 1;  // expect: 1 MpiBufferInUse
    MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
    free(out);

    out = row_of(0);
    MPI_File_write_at_all_begin(file, mine, out, kInts, MPI_INT);
    if (rank == 0) free(out);
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);  // expect: 0 MpiBufferInUse
    if (rank == 1) free(out);
    free(in);
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "split.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    use_rightly();
    make_mistakes();
    static int last = 1;
    MPI_File_write_at_all_begin(file, rank, &last, 1, MPI_INT);
    MPI_File_write_at_all_end(file, &last, MPI_STATUS_IGNORE);
    static int never = 1;
    MPI_File_write_at_all_begin(file, rank, &never, 1, MPI_INT);  // expect: 0 MpiRequest // expect: 1 MpiRequest
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
