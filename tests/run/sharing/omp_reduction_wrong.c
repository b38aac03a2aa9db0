// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: sums per thread in one array, the reduction written by hand, are falsely shared
// COMPILE: gcc clang -O0 -O2 -fopenmp
// ARGS: --leak-check=no
// With a processor for each thread, threads wait for each other by spinning.
// SET: THREADS=2 N=30000
// SET: THREADS=4 N=40000
// ALSO: OMP_WAIT_POLICY=passive
// ALSO: OMP_WAIT_POLICY=active
// COUNTS: modelled partial events>=0.8*N false>=0.8*N true<=20
// SHARING: FalseSharing names="partial" text="64" at="add"
#include <omp.h>

#include "workers.h"

static LINE_ALIGNED double partial[LINE / sizeof(double)];
static LINE_ALIGNED double values[N];

int main(void) {
    for (int i = 0; i < N; ++i) values[i] = i % 7;
    double sum = 0;
#pragma omp parallel num_threads(THREADS)
    {
        volatile double* mine = &partial[omp_get_thread_num()];
#pragma omp for schedule(static)
        for (int i = 0; i < N; ++i) *mine += values[i]; /* label: add */
    }
    for (int i = 0; i < THREADS; ++i) sum += partial[i];
    printf("%g\n", sum);
    return 0;
}
