// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: threads that each add to their own int in one line cost a miss and an invalidation per addition in the
// PROVES: model, whatever the slice
// COMPILE: gcc clang -O0 -O2 -pthread
// SET: THREADS=4 COUNT=100000 STRIDE=1
// SET: THREADS=3 COUNT=20000 STRIDE=5
// SET: THREADS=7 COUNT=6000 STRIDE=2
// ALSO: --interleave=100 --fair-sched=yes
// ALSO: --interleave=1000 --fair-sched=yes
// ALSO: --defects=no
// COUNTS: modelled counters misses=THREADS*COUNT~2% invalidations=THREADS*COUNT~2% cold=1
// COUNTS: modelled counters true=0 false=2*THREADS*COUNT~2% accesses=2*THREADS*COUNT~1%
// COUNTS: observed counters misses=THREADS..THREADS*COUNT/500 invalidations=THREADS-1..THREADS*COUNT/500 when=!--interleave
// COUNTS: observed counters misses=THREADS*COUNT/2000..THREADS*COUNT/20 when="--interleave=100 "
// COUNTS: modelled total threads=THREADS+1
// SHARING: FalseSharing names="counters" text="64" at="add"
#include "workers.h"

static LINE_ALIGNED struct {
    int value[LINE / sizeof(int)];
} counters;

static void work(int index) {
    int* mine = &counters.value[index * STRIDE];
    for (int i = 0; i < COUNT; ++i) INCREMENT(*mine); /* label: add */
    NEED_TRUE(*mine == COUNT);
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
