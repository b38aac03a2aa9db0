// SPDX-License-Identifier: GPL-2.0-or-later
//
// Structured grids: Jacobi steps with seven points on a box. Ranks have planes, and exchange their outer ones with the next
// ranks.
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

int main(int count, char** arguments) {
    begin();
    const int n = count > 1 ? atoi(arguments[1]) : 40;
    const size_t plane = (size_t)n * n;
    double* now = calloc(n * plane, sizeof(double));
    double* next = calloc(n * plane, sizeof(double));
    for (size_t i = 0; i < n * plane; ++i) now[i] = i % 5;
    const int first = 1 + (n - 2) * rank / ranks, last = 1 + (n - 2) * (rank + 1) / ranks;
    for (int step = 0; step < 12; ++step) {
#pragma omp parallel for
        for (int z = first; z < last; ++z)
            for (int y = 1; y < n - 1; ++y)
                for (int x = 1; x < n - 1; ++x) {
                    const double* p = now + z * plane + (size_t)y * n + x;
                    next[p - now] =
                        0.4 * p[0] + 0.1 * (p[-1] + p[1] + p[-n] + p[n] + p[-(long)plane] + p[plane]);
                }
        in_ranks(const int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
                 const int down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
                 MPI_Sendrecv(next + (last - 1) * plane, n * n, MPI_DOUBLE, up, 0, next + (first - 1) * plane,
                              n * n, MPI_DOUBLE, down, 0, ALL, MPI_STATUS_IGNORE);
                 MPI_Sendrecv(next + first * plane, n * n, MPI_DOUBLE, down, 1, next + last * plane, n * n,
                              MPI_DOUBLE, up, 1, ALL, MPI_STATUS_IGNORE));
        double* const t = now;
        now = next;
        next = t;
    }
    printf("%g\n", now[plane + n + 1]);
    end();
    return 0;
}
