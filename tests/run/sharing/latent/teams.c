// SPDX-License-Identifier: GPL-2.0-or-later
//
// OpenMP. CASE: an array with PITCH bytes for each thread, allocated or static; a reduction; rows of a grid, by static
// shares; a dynamic schedule.
#include <omp.h>
#include <stdlib.h>

#define ALLOCATED 0
#define STATIC 1
#define REDUCTION 2
#define ROWS 3
#define DYNAMIC 4

#ifndef THREADS
#define THREADS 4
#endif
#ifndef PITCH
#define PITCH 64
#endif

static _Alignas(256) char sums[THREADS * PITCH];
static _Alignas(64) double from[130][128], to[130][128];

int main(void) {
    omp_set_num_threads(THREADS);
#if CASE == ALLOCATED || CASE == STATIC
    char *const each = CASE == STATIC ? sums : aligned_alloc(256, (THREADS * PITCH + 255) & ~(size_t)255);
#pragma omp parallel
    {
        volatile double *const mine = (volatile double *)(each + omp_get_thread_num() * PITCH);
#pragma omp for
        for (int i = 0; i < 100000; ++i) *mine += i * 0.5;
    }
#elif CASE == REDUCTION
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100000; ++i) sum += i * 0.5;
    sums[0] = (char)sum;
#elif CASE == ROWS
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel for
        for (int i = 1; i < 129; ++i)
            for (int k = 1; k < 127; ++k) to[i][k] = (from[i - 1][k] + from[i + 1][k] + from[i][k - 1] + from[i][k + 1]) / 4;
#pragma omp parallel for
        for (int i = 1; i < 129; ++i)
            for (int k = 1; k < 127; ++k) from[i][k] = to[i][k];
    }
#else
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 1; i < 129; ++i)
        for (int k = 1; k < 127; ++k) to[i][k] = (from[i - 1][k] + from[i + 1][k]) / 2;
#endif
    return 0;
}
