// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dense linear algebra: a product of matrices in blocks, then an LU factorisation without pivots.
#include <stdio.h>
#include <stdlib.h>

static void multiply(int n, double* restrict c, const double* restrict a, const double* restrict b) {
    enum { kBlock = 16 };
    for (int kk = 0; kk < n; kk += kBlock)
        for (int i = 0; i < n; ++i)
            for (int k = kk; k < kk + kBlock && k < n; ++k)
                for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void factor(int n, double* a) {
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) {
            const double l = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; ++j) a[i * n + j] -= l * a[k * n + j];
        }
}

int main(int count, char** arguments) {
    const int n = count > 1 ? atoi(arguments[1]) : 96;
    double* const a = malloc(sizeof(double) * n * n);
    double* const b = malloc(sizeof(double) * n * n);
    double* const c = calloc((size_t)n * n, sizeof(double));
    for (int i = 0; i < n * n; ++i) a[i] = b[i] = 1.0 / (1 + i % 17);
    for (int i = 0; i < n; ++i) a[i * n + i] += n;
    multiply(n, c, a, b);
    factor(n, a);
    printf("%g %g\n", c[n], a[n]);
    return 0;
}
