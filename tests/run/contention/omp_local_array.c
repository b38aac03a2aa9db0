// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: sums per thread in a local array are told to be padded also where the structure lies beside them by which GCC
// hands the array to its threads. The structure has a pointer to it.
// COMPILE: gcc -O0 -fopenmp
// ARGS: --leak-check=no
// SET: THREADS=2 N=30000
// SET: THREADS=4 N=40000
// SHARING: FalseSharing names="partial" text="^False sharing between partial of main and pointer to partial of main" at="add"
// SHARING: FalseSharing names="partial" text="Pad each element of partial of main .8 bytes. to 64" at="add"
#include <omp.h>

#include "workers.h"

int main(void) {
    LINE_ALIGNED double partial[THREADS] = {0};
#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num();
        for (int i = me; i < N; i += THREADS) partial[me] += i % 7; /* label: add */
    }
    double sum = 0;
    for (int i = 0; i < THREADS; ++i) sum += partial[i];
    printf("%g\n", sum);
    return 0;
}
