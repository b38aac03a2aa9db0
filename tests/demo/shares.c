// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ranks of MPI need one table. The first makes it and sends it to all others, which wait. With -DFIXED each makes a share, and
// all gather the table.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { kEntries = 4000, kTerms = 400 };

static double table[kEntries];

static double entry(int i) {
    double sum = 0;
    for (int term = 1; term <= kTerms; ++term) sum += sqrt(i + term) / term;
    return sum;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#ifdef FIXED
    const int share = kEntries / ranks;
    for (int i = rank * share; i < (rank + 1) * share; ++i) table[i] = entry(i);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, table, share, MPI_DOUBLE, MPI_COMM_WORLD);
#else
    if (rank == 0)
        for (int i = 0; i < kEntries; ++i) table[i] = entry(i);
    MPI_Bcast(table, kEntries, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#endif
    double mine = 0, all = 0;
    for (int i = rank; i < kEntries; i += ranks) mine += table[i];
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.3f\n", all);
    MPI_Finalize();
    return 0;
}
