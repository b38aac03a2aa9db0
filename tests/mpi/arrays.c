// Types by MPI_Type_create_darray and MPI_Type_create_subarray. Of a whole array each process has a part: its elements are
// looked at, those of other processes are not, which have no values here. `expect: RANK KIND` stands in the line of a call that is reported.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 3, kMostElements = 400 };

typedef struct {
    int dimensions, order;
    int sizes[kMost], kinds[kMost], blocks[kMost], grid[kMost];
} Array;

enum { B = MPI_DISTRIBUTE_BLOCK, C = MPI_DISTRIBUTE_CYCLIC, N = MPI_DISTRIBUTE_NONE, D = MPI_DISTRIBUTE_DFLT_DARG };
static const Array kArrays[] = {
    {1, 0, {10}, {B}, {D}, {4}},           // the last process has one element
    {1, 0, {9}, {B}, {3}, {4}},            // the last process has none
    {1, 0, {11}, {C}, {D}, {3}},
    {1, 0, {23}, {C}, {4}, {3}},           // the last run is cut short
    {2, 0, {7, 5}, {B, C}, {D, 2}, {2, 2}},
    {2, 0, {6, 9}, {C, N}, {2, D}, {2, 1}},
    {2, 0, {6, 9}, {N, B}, {D, 4}, {1, 3}},
    {3, 0, {4, 5, 7}, {C, B, C}, {D, D, 3}, {2, 1, 2}},
    {3, 0, {3, 4, 8}, {N, C, B}, {D, 3, D}, {1, 2, 3}},
};

static int processes_of(const Array* a) {
    int processes = 1;
    for (int d = 0; d < a->dimensions; ++d) processes *= a->grid[d];
    return processes;
}
static int elements_of(const Array* a) {
    int elements = 1;
    for (int d = 0; d < a->dimensions; ++d) elements *= a->sizes[d];
    return elements;
}
// Whose an element is, by its place in memory.
static int owner_of(const Array* a, int place) {
    int index[kMost], owner = 0;
    for (int i = 0; i < a->dimensions; ++i) {
        const int d = a->order == MPI_ORDER_C ? a->dimensions - 1 - i : i;
        index[d] = place % a->sizes[d];
        place /= a->sizes[d];
    }
    for (int d = 0; d < a->dimensions; ++d) {
        int block = a->blocks[d];
        if (a->kinds[d] == N) block = a->sizes[d];
        if (a->kinds[d] == B && block == D) block = (a->sizes[d] + a->grid[d] - 1) / a->grid[d];
        if (a->kinds[d] == C && block == D) block = 1;
        owner = owner * a->grid[d] + index[d] / block % a->grid[d];
    }
    return owner;
}
static MPI_Datatype type_of(const Array* a, int process, MPI_Datatype element) {
    MPI_Datatype type;
    MPI_Type_create_darray(processes_of(a), process, a->dimensions, a->sizes, a->kinds, a->blocks, a->grid, a->order, element, &type);
    MPI_Type_commit(&type);
    return type;
}

// The elements of a part and no others have values here, which go through a message.
static void send_part(MPI_Datatype type, const char* is_part, int all) {
    int *out = malloc(all * sizeof(int)), *in = malloc(all * sizeof(int)), *row = malloc(all * sizeof(int)), mine = 0;
    for (int i = 0; i < all; ++i)
        if (is_part[i]) {
            out[i] = i;
            ++mine;
        }
    MPI_Sendrecv(out, 1, type, 0, 1, row, all, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (int i = 0, next = 0; i < all; ++i)
        if (is_part[i] && row[next++] != i) puts("another order");
    MPI_Sendrecv(row, mine, MPI_INT, 0, 2, in, 1, type, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (int i = 0; i < all; ++i)
        if (is_part[i] && in[i] != i) puts("another place");
    free(out);
    free(in);
    free(row);
    MPI_Type_free(&type);
}
static void send_part_of(const Array* a, int process) {
    char is_part[kMostElements];
    const int all = elements_of(a);
    for (int i = 0; i < all; ++i) is_part[i] = owner_of(a, i) == process;
    send_part(type_of(a, process, MPI_INT), is_part, all);
}

// A box in an array of 5 x 6 x 7, or of its first dimensions.
static const int kWhole[kMost] = {5, 6, 7}, kBox[kMost] = {2, 3, 4}, kFrom[kMost] = {3, 0, 2};
static void send_box(int dimensions, int order) {
    char is_part[5 * 6 * 7];
    int all = 1;
    for (int d = 0; d < dimensions; ++d) all *= kWhole[d];
    for (int i = 0; i < all; ++i) {
        is_part[i] = 1;
        for (int n = 0, place = i; n < dimensions; ++n) {
            const int d = order == MPI_ORDER_C ? dimensions - 1 - n : n, index = place % kWhole[d];
            is_part[i] = is_part[i] && index >= kFrom[d] && index < kFrom[d] + kBox[d];
            place /= kWhole[d];
        }
    }
    MPI_Datatype type;
    MPI_Type_create_subarray(dimensions, kWhole, kBox, kFrom, order, MPI_INT, &type);
    MPI_Type_commit(&type);
    send_part(type, is_part, all);
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int orders[2] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
    for (unsigned i = 0; i < sizeof kArrays / sizeof *kArrays; ++i)
        for (int order = 0; order < 2; ++order) {
            Array array = kArrays[i];
            array.order = orders[order];
            for (int process = rank; process < processes_of(&array); process += 2) send_part_of(&array, process);
        }
    for (int dimensions = 1; dimensions <= kMost; ++dimensions)
        for (int order = 0; order < 2; ++order) send_box(dimensions, orders[order]);
    // Mistakes, in an array of 6 x 8 doubles. Its process 1 has rows 0, 1 and 4, 5, and of them the columns 4 to 7.
    Array array = {2, MPI_ORDER_C, {6, 8}, {C, B}, {2, D}, {2, 2}};
    MPI_Datatype type = type_of(&array, 1, MPI_DOUBLE), columns;
    double* matrix = malloc(48 * sizeof(double));
    double* values = calloc(48, sizeof(double));
    if (rank == 0) {
        for (int i = 0; i < 48; ++i)
            if (owner_of(&array, i) == 1 && i != 4 * 8 + 5) matrix[i] = i;
        MPI_Send(matrix, 1, type, 1, 1, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
        matrix[4 * 8 + 5] = 0;
        MPI_Send(matrix, 1, type, 1, 2, MPI_COMM_WORLD);
        // Its last element is the array's last one.
        double* shorter = malloc(47 * sizeof(double));
        for (int i = 0; i < 47; ++i) shorter[i] = i;
        MPI_Send(shorter, 1, type, 1, 3, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
        free(shorter);
        MPI_Request request;
        MPI_Issend(matrix, 1, type, 1, 4, MPI_COMM_WORLD, &request);
        matrix[3 * 8 + 5] = matrix[4 * 8 + 3] = 1;  // another process's
        matrix[5 * 8 + 4] = 1;  // expect: 0 MpiBufferInUse
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // In the order of Fortran the same rows and columns lie elsewhere.
        array = (Array){2, MPI_ORDER_FORTRAN, {6, 8}, {C, B}, {2, D}, {2, 2}};
        columns = type_of(&array, 1, MPI_DOUBLE);
        double* grid = malloc(48 * sizeof(double));
        for (int i = 0; i < 48; ++i)
            if (owner_of(&array, i) == 1 && i != 6 * 7 + 4) grid[i] = i;
        MPI_Send(grid, 1, columns, 1, 5, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
        free(grid);
        MPI_Type_free(&columns);
        // Rows 2 to 4 and columns 1 to 3 of 6 x 8.
        const int whole[2] = {6, 8}, box[2] = {3, 3}, from[2] = {2, 1};
        MPI_Type_create_subarray(2, whole, box, from, MPI_ORDER_C, MPI_DOUBLE, &columns);
        MPI_Type_commit(&columns);
        grid = malloc(48 * sizeof(double));
        for (int row = 2; row < 5; ++row)
            for (int column = 1; column < 4; ++column)
                if (row != 4 || column != 3) grid[row * 8 + column] = 1;
        MPI_Send(grid, 1, columns, 1, 6, MPI_COMM_WORLD);  // expect: 0 MpiBuffer
        free(grid);
        MPI_Type_free(&columns);
        MPI_Send(values, 16, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
        MPI_Send(values, 32, MPI_FLOAT, 1, 8, MPI_COMM_WORLD);
    } else {
        for (int tag = 1; tag < 7; ++tag) MPI_Recv(values, 48, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(matrix, 1, type, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (matrix[4 * 8 + 5] == 12345) puts("wrong");
        if (matrix[4 * 8 + 3] == 12345) puts("not received");  // expect: 1 UninitCondition
        MPI_Recv(matrix, 1, type, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // expect: 1 MpiTypes
    }
    MPI_Type_free(&type);
    free(matrix);
    free(values);
    MPI_Finalize();
    return 0;
}
