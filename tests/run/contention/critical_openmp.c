// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: critical sections of libgomp and of LLVM's libomp are handed on in virtual time: the protected data is
// PROVES: contended in the model
// COMPILE: gcc clang -O0 -O2 -fopenmp
// ARGS: --sharing-floor=1000000000 --leak-check=no
// ENVIRONMENT: OMP_DYNAMIC=false
// SET: THREADS=4 COUNT=2000
// COUNTS: modelled counter misses=THREADS*COUNT~10%
// EXPECT: nothing
#include <omp.h>

#include "workers.h"

static LINE_ALIGNED long counter[LINE / sizeof(long)];

int main(void) {
#pragma omp parallel num_threads(THREADS)
    {
        NEED_TRUE(omp_get_num_threads() == THREADS);
        for (int i = 0; i < COUNT; ++i) {
#pragma omp critical
            INCREMENT(counter[0]);
        }
    }
    NEED_TRUE(counter[0] == (long)THREADS * COUNT);
    return 0;
}
