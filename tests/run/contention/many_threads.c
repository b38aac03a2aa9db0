// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: two hundred simultaneous threads are distinguished, with no limit to their number
// COMPILE: gcc -O2 -O0 -pthread
// SET: THREADS=200 COUNT=300
// SET: THREADS=130 COUNT=700
// COUNTS: modelled shared misses=THREADS*COUNT~10% invalidations=THREADS*COUNT~10% true=0
// COUNTS: modelled apart first=0 coherence=0 invalidations=0
// COUNTS: modelled total threads=THREADS+1
// SHARING: FalseSharing names="shared"
// TIMEOUT: 120
#include "workers.h"

static LINE_ALIGNED int shared[THREADS];
static struct {
    LINE_ALIGNED int value;
} apart[THREADS];

static void work(int index) {
    for (int i = 0; i < COUNT; ++i) {
        INCREMENT(shared[index]);
        INCREMENT(apart[index].value);
    }
}

int main(void) {
    run_together(THREADS, work);
    return 0;
}
