// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: the start and the end of a parallel region order the accesses in it and around it
// COMPILE: gcc clang -O2 -fopenmp
// ARGS: --sharing-floor=1000000000 --leak-check=no
// SET: THREADS=4 REGIONS=20 WRITES=100
// SET: THREADS=2 REGIONS=55 WRITES=1000
// ALSO: OMP_WAIT_POLICY=passive
// COUNTS: modelled watched misses=2*REGIONS cold=1 invalidations=2*REGIONS-1
// COUNTS: observed watched misses=2*REGIONS cold=1 invalidations=2*REGIONS-1
// EXPECT: nothing
#include <omp.h>

#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];

static void add(void) {
    for (int i = 0; i < WRITES; ++i) INCREMENT(watched[i % 8]);
}

int main(void) {
    for (int region = 0; region < REGIONS; ++region) {
        add();
#pragma omp parallel num_threads(THREADS)
        if (omp_get_thread_num() == THREADS - 1) add();
    }
    return 0;
}
