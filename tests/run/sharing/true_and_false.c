// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: in one line, data that threads exchange counts as true sharing, and data beside it as false sharing
// COMPILE: gcc -O0 -O2 -pthread
// SET: COUNT=9000
// SET: COUNT=4000
// COUNTS: modelled exchanged misses=2*COUNT~5% invalidations=2*COUNT~5% false<=0.02*COUNT
// COUNTS: modelled beside misses=2*COUNT~5% invalidations=2*COUNT~5% true=0
// SHARING: TrueSharing names="exchanged"
// SHARING: FalseSharing names="beside"
#include "workers.h"

static LINE_ALIGNED int exchanged[LINE / sizeof(int)];
static LINE_ALIGNED int beside[LINE / sizeof(int)];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        __atomic_fetch_add(&exchanged[4], 1, __ATOMIC_RELAXED);
        INCREMENT(beside[4 + index]);
    }
}

int main(void) {
    run_together(2, work);
    return 0;
}
