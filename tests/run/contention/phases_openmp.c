// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the model sees the barriers of libgomp and of LLVM's libomp, however their threads wait
// COMPILE: gcc clang -O0 -O2 -fopenmp
// ARGS: --sharing-floor=1000000000 --leak-check=no
// ENVIRONMENT: OMP_DYNAMIC=false
// SET: THREADS=4 WRITES=1000 PHASES=4
// SET: THREADS=3 WRITES=200 PHASES=12
// ALSO: OMP_WAIT_POLICY=passive
// ALSO: OMP_WAIT_POLICY=active
// ALSO: OMP_WAIT_POLICY=passive --interleave=100
// ALSO: --interleave=1000 --defects=no
// COUNTS: modelled watched misses=PHASES cold=1 invalidations=PHASES-1
// COUNTS: observed watched misses=PHASES cold=1 invalidations=PHASES-1
// EXPECT: nothing
#include <omp.h>

#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];

int main(void) {
#pragma omp parallel num_threads(THREADS)
    {
        NEED_TRUE(omp_get_num_threads() == THREADS);
        for (int phase = 0; phase < PHASES; ++phase) {
            if (phase % THREADS == omp_get_thread_num())
                for (int i = 0; i < WRITES; ++i) INCREMENT(watched[i % 8]);
#pragma omp barrier
        }
    }
    return 0;
}
