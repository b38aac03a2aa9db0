// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a mutex is handed on in virtual time: the protected data is contended in the model although the threads ran
// PROVES: one after the other
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=4 COUNT=3000
// SET: THREADS=2 COUNT=9000
// ALSO: --interleave=100
// ALSO: --defects=no
// COUNTS: modelled counter misses=0.8*THREADS*COUNT..1.2*THREADS*COUNT invalidations=0.8*THREADS*COUNT..1.2*THREADS*COUNT
// COUNTS: observed counter events<=0.2*THREADS*COUNT when=!--interleave
// COUNTS: modelled counter false<=0.02*THREADS*COUNT
// SHARING: TrueSharing names="counter" at="add"
// SHARING: TrueSharing names="lock" maybe=yes
// SHARING: Contention names="lock" maybe=yes
// SHARING: FalseSharing names="lock" maybe=yes
#include "workers.h"

static LINE_ALIGNED long counter[LINE / sizeof(long)];
static LINE_ALIGNED pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LINE_ALIGNED char end[LINE];

static void work(int index) {
    (void)index;
    for (int i = 0; i < COUNT; ++i) {
        pthread_mutex_lock(&lock);
        INCREMENT(counter[0]); /* label: add */
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    NEED_TRUE(end[0] == 0);
    run_together(THREADS, work);
    NEED_TRUE(counter[0] == (long)THREADS * COUNT);
    return 0;
}
