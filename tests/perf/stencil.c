// SPDX-License-Identifier: GPL-2.0-or-later
//
// Benchmark: a five-point stencil over two heap grids, rows shared out to OpenMP threads. The sum of the
// last grid is printed, so that a wrong run shows.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const int size = 512;
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    double* now = malloc(sizeof(double) * (size_t)(size * size));
    double* next = malloc(sizeof(double) * (size_t)(size * size));
    if (now == NULL || next == NULL) return 1;
    for (int i = 0; i < size * size; ++i) now[i] = next[i] = (double)(i * 7919 % 1000) / 1000.0;
    for (int step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(static)
        for (int y = 1; y < size - 1; ++y)
            for (int x = 1; x < size - 1; ++x) {
                const int at = y * size + x;
                const double around = now[at - 1] + now[at + 1] + now[at - size] + now[at + size];
                next[at] = 0.5 * now[at] + 0.125 * around;
            }
        double* swap = now;
        now = next;
        next = swap;
    }
    double sum = 0;
    for (int i = 0; i < size * size; ++i) sum += now[i];
    printf("%.6f\n", sum);
    free(now);
    free(next);
    return 0;
}
