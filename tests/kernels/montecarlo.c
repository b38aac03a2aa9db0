// SPDX-License-Identifier: GPL-2.0-or-later
//
// Monte Carlo: particles that are followed by drawn numbers until they are absorbed, and counted where that is.
// Ranks and threads have particles and numbers of their own.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ranks.h"

static uint64_t state = 88172645463325252u;
#pragma omp threadprivate(state)
static double drawn(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

int main(int count, char** arguments) {
    begin();
    const int n = count > 1 ? atoi(arguments[1]) : 20000;
    enum { kCells = 256 };
    static long absorbed[kCells];
    double length = 0;
    long escaped = 0;
#pragma omp parallel
    state += 1000003u * (uint64_t)(rank + 1) + (uint64_t)(uintptr_t)&state;
#pragma omp parallel for reduction(+ : length, escaped)
    for (int particle = rank; particle < n; particle += ranks) {
        double x = kCells / 2, direction = drawn() < 0.5 ? -1 : 1;
        for (;;) {
            const double step = 3 * drawn() * drawn();
            x += direction * step;
            length += step;
            if (x < 0 || x >= kCells) {
                ++escaped;
                break;
            }
            if (drawn() < 0.1) {
#pragma omp atomic
                ++absorbed[(int)x];
                break;
            }
            if (drawn() < 0.4) direction = -direction;
        }
    }
    in_ranks(long all[kCells]; MPI_Reduce(absorbed, all, kCells, MPI_LONG, MPI_SUM, 0, ALL));
    printf("%ld %ld %g\n", escaped, absorbed[kCells / 2], length);
    end();
    return 0;
}
