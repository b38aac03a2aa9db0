// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: OpenMP's own reduction gives no finding
// COMPILE: gcc clang -O0 -O2 -fopenmp
// ARGS: --leak-check=no
// SET: THREADS=4 N=40000
// SET: THREADS=3 N=99999
// ALSO: OMP_WAIT_POLICY=passive
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED double values[N];

int main(void) {
    for (int i = 0; i < N; ++i) values[i] = i % 7;
    double sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum) schedule(static)
    for (int i = 0; i < N; ++i) sum += values[i];
    printf("%g\n", sum);
    return 0;
}
