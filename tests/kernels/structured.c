// SPDX-License-Identifier: GPL-2.0-or-later
//
// Structured grids: Jacobi steps with seven points on a box.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
    const int n = count > 1 ? atoi(arguments[1]) : 40;
    const size_t plane = (size_t)n * n;
    double* now = calloc(n * plane, sizeof(double));
    double* next = calloc(n * plane, sizeof(double));
    for (size_t i = 0; i < n * plane; ++i) now[i] = i % 5;
    for (int step = 0; step < 12; ++step) {
        for (int z = 1; z < n - 1; ++z)
            for (int y = 1; y < n - 1; ++y)
                for (int x = 1; x < n - 1; ++x) {
                    const double* p = now + z * plane + (size_t)y * n + x;
                    next[p - now] =
                        0.4 * p[0] + 0.1 * (p[-1] + p[1] + p[-n] + p[n] + p[-(long)plane] + p[plane]);
                }
        double* const t = now;
        now = next;
        next = t;
    }
    printf("%g\n", now[plane + n + 1]);
    return 0;
}
