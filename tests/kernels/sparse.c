// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sparse linear algebra: conjugate gradients on a matrix in compressed rows, whose columns are scattered.
// Ranks have rows, all get the whole vector before each product, and sums of all.
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

enum { kInRow = 9 };
static int n, first, last;  // rows of this rank
static int *row, *column;
static double* value;

static void multiply(double* restrict y, const double* restrict x) {
#pragma omp parallel for
    for (int i = first; i < last; ++i) {
        double sum = 0;
        for (int k = row[i]; k < row[i + 1]; ++k) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}
static double dot(const double* x, const double* y) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = first; i < last; ++i) sum += x[i] * y[i];
    in_ranks(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, ALL));
    return sum;
}

int main(int count, char** arguments) {
    begin();
    n = count > 1 ? atoi(arguments[1]) : 4000;
    in_ranks(n -= n % ranks);
    first = n / ranks * rank;
    last = first + n / ranks;
    row = malloc(sizeof(int) * (n + 1));
    column = malloc(sizeof(int) * n * kInRow);
    value = malloc(sizeof(double) * n * kInRow);
    double *x = calloc(n, 8), *r = malloc(8 * n), *p = malloc(8 * n), *q = malloc(8 * n);
    unsigned state = 1;
    for (int i = 0, k = 0; i <= n; ++i) {
        row[i] = k;
        for (int j = 0; i < n && j < kInRow - (i % 3); ++j, ++k) {
            state = state * 1103515245u + 12345;
            column[k] = j == 0 ? i : (int)((state >> 8) % (unsigned)n);
            value[k] = j == 0 ? 4.0 * kInRow : -1;
        }
    }
    for (int i = 0; i < n; ++i) r[i] = p[i] = 1;
    double rr = dot(r, r);
    for (int step = 0; step < 15; ++step) {
        in_ranks(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, p, n / ranks, MPI_DOUBLE, ALL));
        multiply(q, p);
        const double alpha = rr / dot(p, q);
#pragma omp parallel for
        for (int i = first; i < last; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        const double next = dot(r, r), beta = next / rr;
        rr = next;
#pragma omp parallel for
        for (int i = first; i < last; ++i) p[i] = r[i] + beta * p[i];
    }
    printf("%g %g\n", rr, x[0]);
    end();
    return 0;
}
