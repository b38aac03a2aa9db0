// SPDX-License-Identifier: GPL-2.0-or-later
// OpenMP threads add up in an array, by their numbers.
// EXPECT: FalseSharing sums '.' openmp
#include <omp.h>
#include "../../include/workers.h"
enum { THREADS = 4 };
#ifdef MENDED
enum { STEP = 8 };
#else
enum { STEP = 1 };
#endif
static LINE_ALIGNED volatile double sums[THREADS * 8];

int main(void) {
    double all = 0;
#pragma omp parallel num_threads(THREADS)
    {
        const int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < 8000; ++i) sums[me * STEP] += i * 0.5;
    }
    for (int i = 0; i < THREADS; ++i) all += sums[i * STEP];
    return all > 0 ? 0 : 1;
}
