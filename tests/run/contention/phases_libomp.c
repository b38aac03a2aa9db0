// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the model sees each kind of barrier of LLVM's libomp, in teams of many threads, too
// COMPILE: clang -O2 -fopenmp
// ARGS: --sharing-floor=1000000000 --leak-check=no
// ENVIRONMENT: OMP_DYNAMIC=false
// SET: THREADS=12 WRITES=300 PHASES=24
// ALSO: KMP_PLAIN_BARRIER_PATTERN=linear,linear KMP_FORKJOIN_BARRIER_PATTERN=linear,linear
// ALSO: KMP_PLAIN_BARRIER_PATTERN=tree,tree KMP_FORKJOIN_BARRIER_PATTERN=tree,tree
// ALSO: OMP_WAIT_POLICY=passive
// ALSO: OMP_WAIT_POLICY=active
// ALSO: KMP_BLOCKTIME=0 --interleave=100
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
            // Each of these ends in a barrier, and none writes the watched data.
            if (phase % 3 == 0) {
#pragma omp barrier
            } else if (phase % 3 == 1) {
#pragma omp for
                for (int i = 0; i < THREADS; ++i) (void)i;
            } else {
#pragma omp single
                (void)0;
            }
        }
    }
    return 0;
}
