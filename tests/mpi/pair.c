// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rank 0 computes for ever; all others wait in MPI_Recv for a message that does not come. Each loses 40 bytes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, got = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char* volatile lost = malloc(40);
    lost = NULL;
    char name[64];
    snprintf(name, sizeof name, "ready.%d", rank);
    fclose(fopen(name, "w"));
    if (rank != 0) MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (volatile unsigned long steps = 0;; ++steps) {
    }
}
