// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: conjugate gradients on a sparse matrix of five diagonals, shared out to OpenMP threads. All threads
// read the whole vector of directions; sums are reductions. The number of steps and whether the last residual is small are
// printed, so that a wrong run shows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSide = 64, kRows = kSide * kSide };

static double solution[kRows], residual[kRows], direction[kRows], product[kRows];

static void multiply(void) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < kRows; ++row) {
        double sum = 4.0 * direction[row];
        if (row % kSide != 0) sum -= direction[row - 1];
        if (row % kSide != kSide - 1) sum -= direction[row + 1];
        if (row >= kSide) sum -= direction[row - kSide];
        if (row < kRows - kSide) sum -= direction[row + kSide];
        product[row] = sum;
    }
}

static double dot(const double* a, const double* b) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int row = 0; row < kRows; ++row) sum += a[row] * b[row];
    return sum;
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 50;
    for (int row = 0; row < kRows; ++row) residual[row] = direction[row] = 1.0 + row % 7;
    double old = dot(residual, residual);
    int step = 0;
    for (; step < steps && old > 1e-12; ++step) {
        multiply();
        const double length = old / dot(direction, product);
#pragma omp parallel for schedule(static)
        for (int row = 0; row < kRows; ++row) {
            solution[row] += length * direction[row];
            residual[row] -= length * product[row];
        }
        const double now = dot(residual, residual);
        const double part = now / old;
#pragma omp parallel for schedule(static)
        for (int row = 0; row < kRows; ++row) direction[row] = residual[row] + part * direction[row];
        old = now;
    }
    printf("%d %s\n", step, sqrt(old) < 0.01 ? "small" : "large");
    return 0;
}
