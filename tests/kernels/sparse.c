// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sparse linear algebra: conjugate gradients on a matrix in compressed rows, whose columns are scattered.
#include <stdio.h>
#include <stdlib.h>

enum { kInRow = 9 };
static int n;
static int *row, *column;
static double* value;

static void multiply(double* restrict y, const double* restrict x) {
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int k = row[i]; k < row[i + 1]; ++k) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}
static double dot(const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

int main(int count, char** arguments) {
    n = count > 1 ? atoi(arguments[1]) : 4000;
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
        multiply(q, p);
        const double alpha = rr / dot(p, q);
        for (int i = 0; i < n; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        const double next = dot(r, r), beta = next / rr;
        rr = next;
        for (int i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
    }
    printf("%g %g\n", rr, x[0]);
    return 0;
}
