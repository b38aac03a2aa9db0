// SPDX-License-Identifier: GPL-2.0-or-later
//
// N-body with short forces: a list of neighbours for each particle, made anew by cells every few steps.
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 120, kSteps = 12, kRebuild = 6 };
static double (*at)[3], (*speed)[3], (*force)[3];
static int *cell_first, *next_in_cell, *neighbours, *known;
static int side;
static const double kCut = 2.5, kList = 2.8;

static int cell_of(const double* p) {
    int c[3];
    for (int d = 0; d < 3; ++d) {
        c[d] = (int)(p[d] / kList);
        c[d] = c[d] < 0 ? 0 : c[d] >= side ? side - 1 : c[d];
    }
    return (c[2] * side + c[1]) * side + c[0];
}

static void make_lists(int n) {
    for (int c = 0; c < side * side * side; ++c) cell_first[c] = -1;
    for (int i = 0; i < n; ++i) {
        const int c = cell_of(at[i]);
        next_in_cell[i] = cell_first[c];
        cell_first[c] = i;
    }
    for (int i = 0; i < n; ++i) {
        known[i] = 0;
        const int c = cell_of(at[i]), x = c % side, y = c / side % side, z = c / side / side;
        for (int k = z > 0 ? z - 1 : 0; k <= z + 1 && k < side; ++k)
            for (int l = y > 0 ? y - 1 : 0; l <= y + 1 && l < side; ++l)
                for (int m = x > 0 ? x - 1 : 0; m <= x + 1 && m < side; ++m)
                    for (int j = cell_first[(k * side + l) * side + m]; j >= 0; j = next_in_cell[j]) {
                        const double u = at[i][0] - at[j][0], v = at[i][1] - at[j][1],
                                     w = at[i][2] - at[j][2];
                        if (j > i && u * u + v * v + w * w < kList * kList && known[i] < kMost)
                            neighbours[i * kMost + known[i]++] = j;
                    }
    }
}

static void forces(int n) {
    for (int i = 0; i < n; ++i) {
        double sum[3] = {0, 0, 0};
        for (int k = 0; k < known[i]; ++k) {
            const int j = neighbours[i * kMost + k];
            const double u = at[i][0] - at[j][0], v = at[i][1] - at[j][1], w = at[i][2] - at[j][2];
            const double square = u * u + v * v + w * w;
            if (square >= kCut * kCut) continue;
            const double r2 = 1 / square, r6 = r2 * r2 * r2, f = r6 * (48 * r6 - 24) * r2;
            sum[0] += f * u;
            sum[1] += f * v;
            sum[2] += f * w;
            force[j][0] -= f * u;
            force[j][1] -= f * v;
            force[j][2] -= f * w;
        }
        for (int d = 0; d < 3; ++d) force[i][d] += sum[d];
    }
}

int main(int count, char** arguments) {
    const int edge = count > 1 ? atoi(arguments[1]) : 9, n = edge * edge * edge;
    const double length = 1.06 * edge;
    side = (int)(length / kList) + 1;
    at = calloc(n, sizeof *at), speed = calloc(n, sizeof *speed), force = calloc(n, sizeof *force);
    cell_first = malloc(sizeof(int) * side * side * side), next_in_cell = malloc(sizeof(int) * n);
    neighbours = malloc(sizeof(int) * n * kMost), known = malloc(sizeof(int) * n);
    for (int i = 0; i < n; ++i) {
        at[i][0] = 1.06 * (i % edge), at[i][1] = 1.06 * (i / edge % edge),
        at[i][2] = 1.06 * (i / edge / edge);
        for (int d = 0; d < 3; ++d) speed[i][d] = 0.01 * (i * 7 % 11 - 5);
    }
    for (int step = 0; step < kSteps; ++step) {
        if (step % kRebuild == 0) make_lists(n);
        forces(n);
        for (int i = 0; i < n; ++i)
            for (int d = 0; d < 3; ++d) {
                speed[i][d] += 0.001 * force[i][d];
                at[i][d] += 0.001 * speed[i][d];
                force[i][d] = 0;
            }
    }
    printf("%g\n", at[1][0]);
    return 0;
}
