/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Conjugate gradients with OpenMP: solves A x = b for a sparse symmetric matrix by rows (each with its diagonal, its
 * neighbours, and some entries far away). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16384, FAR = 6, MOST = ROWS * (3 + FAR) };
static double *value, *x, *b, *r, *p, *q;
static int *first, *column;

static void make_matrix(void) {
    unsigned random = 12345;
    int entries = 0;
    for (int i = 0; i < ROWS; ++i) {
        first[i] = entries;
        value[entries] = 8 + 2 * FAR, column[entries++] = i;
        if (i > 0) value[entries] = -1, column[entries++] = i - 1;
        if (i + 1 < ROWS) value[entries] = -1, column[entries++] = i + 1;
        for (int k = 0; k < FAR; ++k) {
            random = random * 1664525 + 1013904223;
            value[entries] = -0.5, column[entries++] = (int)(random >> 8) % ROWS;
        }
    }
    first[ROWS] = entries;
}

static void multiply(const double *from, double *to) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; ++i) {
        double sum = 0;
        for (int k = first[i]; k < first[i + 1]; ++k) sum += value[k] * from[column[k]];
        to[i] = sum;
    }
}

static double dot(const double *u, const double *v) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < ROWS; ++i) sum += u[i] * v[i];
    return sum;
}

static void add(double *to, double factor, const double *other, double own) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; ++i) to[i] = own * to[i] + factor * other[i];
}

static int solve(double *residual) {
    for (int i = 0; i < ROWS; ++i) x[i] = 0, b[i] = r[i] = p[i] = 1.0 / (1 + i % 7);
    double old = dot(r, r);
    int step = 0;
    for (; step < 12 && old > 1e-12; ++step) {
        multiply(p, q);
        const double alpha = old / dot(p, q);
        add(x, alpha, p, 1);
        add(r, -alpha, q, 1);
        const double now = dot(r, r);
        add(p, 1, r, now / old);
        old = now;
    }
    *residual = sqrt(old);
    return step;
}

/* An argument: how often it is solved. */
int main(int count, char **arguments) {
    value = malloc(MOST * sizeof *value);
    column = malloc(MOST * sizeof *column);
    first = malloc((ROWS + 1) * sizeof *first);
    x = malloc(ROWS * sizeof *x);
    b = malloc(ROWS * sizeof *b);
    r = malloc(ROWS * sizeof *r);
    p = malloc(ROWS * sizeof *p);
    q = malloc(ROWS * sizeof *q);
    make_matrix();
    int steps = 0;
    double residual = 0;
    for (int times = count > 1 ? atoi(arguments[1]) : 1; times > 0; --times) steps += solve(&residual);
    printf("%d steps, residual %.3g\n", steps, residual);
    return 0;
}
