// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: critical sections of libgomp and of LLVM's libomp are handed on in virtual time: the protected data is
// PROVES: contended in the model
// COMPILE: gcc clang -O0 -O2 -fopenmp
// ARGS: --sharing-floor=1000000000 --leak-check=no
// ENVIRONMENT: OMP_DYNAMIC=false
// SET: THREADS=4 COUNT=2000
// COUNTS: modelled counter misses=0.4*THREADS*COUNT..1.2*THREADS*COUNT
// EXPECT: nothing
// A thread that ends before the others arrive meets no other: on a loaded machine two of the four did.
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
