/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Conjugate gradients on a symmetric matrix by rows, in variables of the file: OUTER times INNER steps, from the last direction.
 * The entries of a row are at PAIRS distances to both sides, in an order of rows that is drawn by lot. */
#include <math.h>
#include <stdio.h>

#ifndef ROWS
#define ROWS 1400
#define PAIRS 27
#define OUTER 15
#define INNER 25
#endif
enum { ENTRIES = ROWS * (2 * PAIRS + 1) };

static double a[ENTRIES], x[ROWS], z[ROWS], p[ROWS], q[ROWS], r[ROWS];
static int column[ENTRIES], first[ROWS + 1], order[ROWS], place[ROWS], distance[PAIRS];

static int draw(unsigned *lot, int below) {
    *lot = *lot * 1664525 + 1013904223;
    return (int)((*lot >> 8) % (unsigned)below);
}
static void make_matrix(void) {
    unsigned lot = 314159;
    for (int i = 0; i < ROWS; ++i) order[i] = i;
    for (int i = ROWS - 1; i > 0; --i) {
        const int other = draw(&lot, i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int i = 0; i < ROWS; ++i) place[order[i]] = i;
    for (int k = 0; k < PAIRS; ++k) distance[k] = 1 + draw(&lot, ROWS / 2 - 1);
    int entry = 0;
    for (int i = 0; i < ROWS; ++i) {
        first[i] = entry;
        a[entry] = 2 * PAIRS + 1.5;
        column[entry++] = i;
        const int middle = place[i];
        for (int k = 0; k < PAIRS; ++k) {
            const int apart = distance[k];
            for (int side = -1; side <= 1; side += 2) {
                a[entry] = -0.5;
                column[entry++] = order[(middle + side * apart + ROWS) % ROWS];
            }
        }
    }
    first[ROWS] = entry;
}
static void multiply(const double *from, double *to) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; ++i) {
        double sum = 0;
        for (int k = first[i]; k < first[i + 1]; ++k) sum += a[k] * from[column[k]];
        to[i] = sum;
    }
}
static double dot(const double *left, const double *right) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < ROWS; ++i) sum += left[i] * right[i];
    return sum;
}
static double solve(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; ++i) q[i] = z[i] = 0, p[i] = r[i] = x[i];
    double rho = dot(r, r);
    for (int step = 0; step < INNER; ++step) {
        multiply(p, q);
        const double alpha = rho / dot(p, q), before = rho;
#pragma omp parallel for schedule(static)
        for (int i = 0; i < ROWS; ++i) {
            z[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        const double beta = rho / before;
#pragma omp parallel for schedule(static)
        for (int i = 0; i < ROWS; ++i) p[i] = r[i] + beta * p[i];
    }
    multiply(z, r);
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < ROWS; ++i) sum += (x[i] - r[i]) * (x[i] - r[i]);
    return sqrt(sum);
}
int main(void) {
    make_matrix();
    for (int i = 0; i < ROWS; ++i) x[i] = 1 + i % 7;
    for (int times = 0; times < OUTER; ++times) {
        const double rest = solve(), length = 1 / sqrt(dot(z, z));
#pragma omp parallel for schedule(static)
        for (int i = 0; i < ROWS; ++i) x[i] = length * z[i];
        if (times == OUTER - 1) printf("%s\n", rest < 1e-6 ? "small" : "large");
    }
    return 0;
}
