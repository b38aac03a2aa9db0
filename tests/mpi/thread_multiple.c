// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each of three threads of a rank exchanges numbers with the same thread of the other rank, all at once, so that the
// library gives handles of requests that one thread waits for to another one. Correct without an argument.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 3, kSteps = 8, kNumbers = 500 };

int main(int argc, char** argv) {
    int level, rank, mistakes = argc > 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
    double sum = 0, all = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : sum)
    {
        const int thread = omp_get_thread_num();
        double* out = malloc(kNumbers * sizeof *out);
        double* in = malloc(kNumbers * sizeof *in);
        for (int step = 0; step < kSteps; ++step) {
            if (mistakes && thread == 1 && step == 2 && rank == 0) {
                free(out);
                out = malloc(kNumbers * sizeof *out);
            }
            for (int i = mistakes && step == 2 ? kNumbers / 2 : 0; i < kNumbers; ++i) out[i] = rank + thread + step;
            MPI_Request requests[2];
            MPI_Irecv(in, kNumbers, MPI_DOUBLE, 1 - rank, thread, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, kNumbers, MPI_DOUBLE, 1 - rank, thread, MPI_COMM_WORLD, &requests[1]);
            // While another thread is in the library the store is only found when the request completes.
            if (mistakes && thread == 2 && step == 3 && rank == 1) out[5] = -1;
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            for (int i = 0; i < kNumbers && !mistakes; ++i) sum += in[i];
        }
        free(in);
        free(out);
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.0f\n", all);
    MPI_Finalize();
    return 0;
}
