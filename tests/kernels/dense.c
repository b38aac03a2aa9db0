// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dense linear algebra: a product of matrices in blocks, then an LU factorisation without pivots. Ranks have rows in turn;
// rows that all need go from their owner to all.
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

static void multiply(int n, double* restrict c, const double* restrict a, const double* restrict b) {
    enum { kBlock = 16 };
    for (int kk = 0; kk < n; kk += kBlock) {
        in_ranks(const int rows = n - kk < kBlock ? n - kk : kBlock;
                 MPI_Bcast((void*)(b + kk * n), rows * n, MPI_DOUBLE, kk / kBlock % ranks, ALL));
#pragma omp parallel for
        for (int i = rank; i < n; i += ranks)
            for (int k = kk; k < kk + kBlock && k < n; ++k)
                for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

static void factor(int n, double* a) {
    for (int k = 0; k < n; ++k) {
        in_ranks(MPI_Bcast(a + k * n + k, n - k, MPI_DOUBLE, k % ranks, ALL));
#pragma omp parallel for
        for (int i = k + 1 + (ranks + rank - (k + 1) % ranks) % ranks; i < n; i += ranks) {
            const double l = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; ++j) a[i * n + j] -= l * a[k * n + j];
        }
    }
}

int main(int count, char** arguments) {
    begin();
    const int n = count > 1 ? atoi(arguments[1]) : 96;
    double* const a = malloc(sizeof(double) * n * n);
    double* const b = malloc(sizeof(double) * n * n);
    double* const c = calloc((size_t)n * n, sizeof(double));
    for (int i = 0; i < n * n; ++i) a[i] = b[i] = 1.0 / (1 + i % 17);
    for (int i = 0; i < n; ++i) a[i * n + i] += n;
    multiply(n, c, a, b);
    factor(n, a);
    printf("%g %g\n", c[n], a[n]);
    end();
    return 0;
}
