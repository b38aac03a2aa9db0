// SPDX-License-Identifier: GPL-2.0-or-later
//
// Structured grids: three fields of electrodynamics in the plane, on a staggered grid, in single loops over rows, with a
// material.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
    const int n = count > 1 ? atoi(arguments[1]) : 100;
    const size_t all = (size_t)n * n;
    double *e = calloc(all, 8), *hx = calloc(all, 8), *hy = calloc(all, 8), *inverse = malloc(all * 8);
    for (size_t i = 0; i < all; ++i) inverse[i] = i % n > (size_t)n / 2 ? 0.25 : 0.5;
    for (int step = 0; step < 40; ++step) {
        for (int y = 0; y + 1 < n; ++y)
            for (int x = 0; x + 1 < n; ++x) {
                const size_t i = (size_t)y * n + x;
                hx[i] -= 0.5 * (e[i + n] - e[i]);
                hy[i] += 0.5 * (e[i + 1] - e[i]);
            }
        for (int y = 1; y + 1 < n; ++y)
            for (int x = 1; x + 1 < n; ++x) {
                const size_t i = (size_t)y * n + x;
                e[i] += inverse[i] * (hy[i] - hy[i - 1] - hx[i] + hx[i - n]);
            }
        e[all / 2 + n / 2] += step % 8;
    }
    printf("%g\n", e[all / 2]);
    return 0;
}
