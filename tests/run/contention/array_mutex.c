// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: turns under a mutex do not overlap in the model: each takes the lines of the protected data once, and all
// PROVES: of that is true sharing
// COMPILE: gcc -O1 -O2 -pthread
// SET: THREADS=4 ROUNDS=50
// SET: THREADS=3 ROUNDS=20
// ALSO: --defects=no
// ALSO: --contention-exact=yes --skew=0
// ALSO: --contention-exact=yes
// COUNTS: modelled total_of misses=128*THREADS*ROUNDS~2% invalidations=128*THREADS*ROUNDS~2% false<=128
// A turn is longer than the bounded skew, so most turns are another thread's in the run, too; not so with the core's slices.
// COUNTS: observed total_of events<=1.02*2*128*THREADS*ROUNDS
// COUNTS: observed total_of events<=0.2*2*128*THREADS*ROUNDS when=--skew
// SHARING: TrueSharing names="total_of lock" maybe=yes
// SHARING: FalseSharing names="lock" maybe=yes
#include "workers.h"

#define COUNT 2048
static LINE_ALIGNED int total_of[COUNT];
static LINE_ALIGNED pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LINE_ALIGNED char end[LINE];

static void work(int index) {
    int own[COUNT];
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < COUNT; ++i) STORE(own[i], i ^ round ^ index);
        pthread_mutex_lock(&lock);
        for (int i = 0; i < COUNT; ++i) STORE(total_of[i], LOAD(total_of[i]) + LOAD(own[i]));
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    NEED_TRUE(end[0] == 0);
    run_together(THREADS, work);
    return 0;
}
