// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: nobody waits for a reference count, though each thread adds to it and takes that away again, as a lock is taken
// PROVES: and given
// COMPILE: gcc clang -O1 -O2 -pthread
// SET: THREADS=4 COPIES=3000
// SET: THREADS=3 COPIES=2000
// Threads that waited for each other would have one miss for a copy at most.
// COUNTS: modelled references misses=THREADS*COPIES*1.3..THREADS*COPIES*2.1
// COUNTS: modelled references invalidations=THREADS*COPIES*1.3..THREADS*COPIES*2.1
// SHARING: anything
#include "workers.h"

static LINE_ALIGNED long references[LINE / sizeof(long)];
static LINE_ALIGNED long value[LINE / sizeof(long)];

static void work(int index) {
    (void)index;
    long sum = 0;
    for (int i = 0; i < COPIES; ++i) {
        __atomic_fetch_add(&references[0], 1, __ATOMIC_RELAXED);
        for (int k = 0; k < 40; ++k) sum += LOAD(value[k % 8]);
        NEED_TRUE(__atomic_fetch_sub(&references[0], 1, __ATOMIC_ACQ_REL) > 0);
        for (int k = 0; k < 40; ++k) sum += LOAD(value[k % 8]);
    }
    NEED_TRUE(sum == 0);
}

int main(void) {
    run_threads(THREADS, work);
    return 0;
}
