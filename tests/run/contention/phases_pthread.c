// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: when a barrier lets one thread at a time write, a line changes hands once per phase in both views
// COMPILE: gcc -O0 -O2 -pthread
// SET: THREADS=4 WRITES=1000
// SET: THREADS=7 WRITES=5000
// SET: THREADS=2 WRITES=30
// ALSO: --interleave=100
// ALSO: --interleave=1000
// COUNTS: modelled watched misses=THREADS cold=1 invalidations=THREADS-1
// COUNTS: observed watched misses=THREADS cold=1 invalidations=THREADS-1
// EXPECT: nothing
#include "workers.h"

static LINE_ALIGNED long watched[LINE / sizeof(long)];
static LINE_ALIGNED pthread_barrier_t barrier;

static void work(int index) {
    for (int phase = 0; phase < THREADS; ++phase) {
        if (phase == index)
            for (int i = 0; i < WRITES; ++i) INCREMENT(watched[i % 8]);
        pthread_barrier_wait(&barrier);
    }
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, THREADS);
    run_threads(THREADS, work);
    return 0;
}
