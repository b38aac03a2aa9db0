// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: conjugate gradients with a preconditioner (Gauss and Seidel's steps inside each thread's block) on a
// 27-point operator in a cube, stored by rows with the number of each entry's column, as in a finite element
// code. The residual is printed, so that a wrong run shows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 27 };
static int side, rows;
static double *values, *x, *r, *z, *p, *q;
static int *columns;
static unsigned char* counts;

static void make_matrix(void) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row) {
        const int i = row % side, j = row / side % side, k = row / side / side;
        int count = 0;
        for (int dk = -1; dk <= 1; ++dk)
            for (int dj = -1; dj <= 1; ++dj)
                for (int di = -1; di <= 1; ++di) {
                    if (i + di < 0 || i + di >= side || j + dj < 0 || j + dj >= side || k + dk < 0 || k + dk >= side)
                        continue;
                    const int column = row + di + side * (dj + side * dk);
                    values[row * kMost + count] = column == row ? 26.0 : -1.0;
                    columns[row * kMost + count++] = column;
                }
        counts[row] = (unsigned char)count;
        x[row] = 0;
        r[row] = 1.0 + row % 5;
        z[row] = p[row] = 0;
    }
}

static void multiply(const double* from, double* to) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int n = 0; n < counts[row]; ++n) sum += values[row * kMost + n] * from[columns[row * kMost + n]];
        to[row] = sum;
    }
}

static void smooth(const double* right, double* to) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row) to[row] = right[row] / 26.0;
#pragma omp parallel for schedule(static, 64)
    for (int row = 0; row < rows; ++row) {
        double sum = right[row];
        const int block = row / 64;
        for (int n = 0; n < counts[row]; ++n) {
            const int column = columns[row * kMost + n];
            if (column / 64 == block && column != row) sum -= values[row * kMost + n] * to[column];
        }
        to[row] = sum / 26.0;
    }
}

static double dot(const double* a, const double* b) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int row = 0; row < rows; ++row) sum += a[row] * b[row];
    return sum;
}

static void add(double* to, double own, double factor, const double* other) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; ++row) to[row] = own * to[row] + factor * other[row];
}

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    side = argc > 2 ? atoi(argv[2]) : 24;
    rows = side * side * side;
    values = malloc(sizeof *values * (size_t)rows * kMost);
    columns = malloc(sizeof *columns * (size_t)rows * kMost);
    counts = malloc((size_t)rows);
    double** vectors[] = {&x, &r, &z, &p, &q};
    for (int i = 0; i < 5; ++i) *vectors[i] = malloc(sizeof(double) * (size_t)rows);
    make_matrix();
    double old = 0;
    for (int step = 0; step < steps; ++step) {
        smooth(r, z);
        const double now = dot(r, z);
        add(p, step == 0 ? 0 : now / old, 1, z);
        old = now;
        multiply(p, q);
        const double length = now / dot(p, q);
        add(x, 1, length, p);
        add(r, 1, -length, q);
    }
    printf("%d rows, residual %.2e\n", rows, sqrt(dot(r, r)));
    return 0;
}
