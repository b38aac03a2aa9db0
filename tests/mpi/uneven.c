/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rank 1 has five times the others' work before each sum. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 10, CELLS = 20000 };
static double cells[CELLS];

int main(int count, char **arguments) {
    MPI_Init(&count, &arguments);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double all = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int pass = 0; pass < (rank == 1 ? 10 : 2); ++pass)
            for (int i = 0; i < CELLS; ++i) cells[i] += 0.5 * i + round;
        MPI_Allreduce(&cells[round], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%g\n", all);
    MPI_Finalize();
    return 0;
}
